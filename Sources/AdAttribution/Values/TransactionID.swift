import Encodings

public import struct Foundation.UUID

/// The identifier of a postback: a UUID that is signed as received and compared in any letter case.
///
/// Source: Apple, "Identifying the parameters in install-validation postbacks".
public struct TransactionID: TextWireValue {
    /// The text as received, which the signature covers.
    public let text: String
    /// The UUID, which is a part of the postback's key.
    public let uuid: UUID

    /// Reads 8-4-4-4-12 hexadecimal digits; nil for other texts.
    public init?(_ text: String) {
        guard let uuid = UUIDText.parse(text) else { return nil }
        self.text = text
        self.uuid = uuid
    }

    /// What the value must be, to complete "must be …".
    package static let rule = "a UUID, 8-4-4-4-12 hexadecimal digits"
}

/// The text form of a UUID that Apple uses, 8-4-4-4-12.
///
/// It is faster than Foundation's parser.
enum UUIDText {
    /// Reads 36 characters: hexadecimal digits in any letter case, and four dashes in their places.
    static func parse(_ text: String) -> UUID? {
        var text = text
        return text.withUTF8(parse)
    }

    private static func parse(_ utf8: UnsafeBufferPointer<UInt8>) -> UUID? {
        guard utf8.count == 36, utf8[8] == 0x2D, utf8[13] == 0x2D, utf8[18] == 0x2D, utf8[23] == 0x2D else {
            return nil
        }
        var isGood = true
        let first =
            number(utf8, 0..<8, &isGood) << 32 | number(utf8, 9..<13, &isGood) << 16
            | number(utf8, 14..<18, &isGood)
        let second = number(utf8, 19..<23, &isGood) << 48 | number(utf8, 24..<36, &isGood)
        guard isGood else { return nil }
        return withUnsafeBytes(of: (first.bigEndian, second.bigEndian)) { raw in
            UUID(uuid: raw.loadUnaligned(as: UUIDBytes.self))
        }
    }

    /// The number of hexadecimal digits.
    @inline(__always)
    private static func number(
        _ utf8: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ isGood: inout Bool
    ) -> UInt64 {
        var number: UInt64 = 0
        for index in range {
            let digit = utf8[index] &- 0x30
            let letter = (utf8[index] | 0x20) &- 0x61
            isGood = isGood && (digit < 10 || letter < 6)
            number = number << 4 | UInt64(digit < 10 ? digit : letter &+ 10)
        }
        return number
    }

    /// The lower-case 36 characters.
    static func lowercase(_ uuid: UUID) -> String {
        withUnsafeBytes(of: uuid.uuid) { bytes in
            String(unsafeUninitializedCapacity: 36) { output in
                var position = 0
                for index in 0..<16 {
                    if index == 4 || index == 6 || index == 8 || index == 10 {
                        output[position] = 0x2D
                        position += 1
                    }
                    output[position] = Hexadecimal.digit(bytes[index] >> 4)
                    output[position + 1] = Hexadecimal.digit(bytes[index] & 15)
                    position += 2
                }
                return position
            }
        }
    }

    private typealias UUIDBytes = (
        UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
    )
}
