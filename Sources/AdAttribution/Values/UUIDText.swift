import struct Foundation.UUID

/// The one text form of a UUID that Apple uses, 8-4-4-4-12; Foundation's own parser is not needed on this path.
enum UUIDText {
    /// Reads 36 characters, hexadecimal digits in either case and four dashes in their places.
    static func parse(_ text: String) -> UUID? {
        var text = text
        return text.withUTF8(parse)
    }

    private static func parse(_ utf8: UnsafeBufferPointer<UInt8>) -> UUID? {
        guard utf8.count == 36 else { return nil }
        var bytes: Halves = (0, 0)
        var nibbles = 0
        for index in 0..<36 {
            let byte = utf8[index]
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == 0x2D else { return nil }
                continue
            }
            guard let nibble = Hexadecimal.nibble(byte) else { return nil }
            if nibbles < 16 {
                bytes.0 = bytes.0 << 4 | UInt64(nibble)
            } else {
                bytes.1 = bytes.1 << 4 | UInt64(nibble)
            }
            nibbles += 1
        }
        return withUnsafeBytes(of: (bytes.0.bigEndian, bytes.1.bigEndian)) { raw in
            UUID(uuid: raw.loadUnaligned(as: UUIDBytes.self))
        }
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

    private typealias Halves = (UInt64, UInt64)
    private typealias UUIDBytes = (
        UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
    )
}
