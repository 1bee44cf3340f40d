/// Base64 (RFC 4648), read strictly: no white space, padding as the alphabet has it, no set bits behind the last byte, so
/// that each byte string has one spelling only.
package enum Base64 {
    /// Which characters stand for 62 and 63, and whether the text is padded.
    package enum Alphabet: Sendable {
        /// Section 4: `+` and `/`, padded.
        case standard
        /// Section 5: `-` and `_`, without padding, as JSON Web Signatures have it.
        case urlSafe

        fileprivate var characters: [UInt8] { self == .standard ? Base64.standardCharacters : Base64.urlCharacters }
        fileprivate var values: [UInt8] { self == .standard ? Base64.standardValues : Base64.urlValues }
    }

    private static let alphanumerics = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    private static let standardCharacters = Array((alphanumerics + "+/").utf8)
    private static let urlCharacters = Array((alphanumerics + "-_").utf8)
    private static let standardValues = values(of: standardCharacters)
    private static let urlValues = values(of: urlCharacters)

    private static func values(of characters: [UInt8]) -> [UInt8] {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, byte) in characters.enumerated() { values[Int(byte)] = UInt8(value) }
        return values
    }

    /// The bytes that the text stands for, or nil where it is not base64 of this alphabet.
    package static func decode(
        _ text: UnsafeBufferPointer<UInt8>, _ alphabet: Alphabet = .standard
    ) -> [UInt8]? {
        guard let significant = significantCount(text, alphabet) else { return nil }
        let values = alphabet.values
        var output: [UInt8] = []
        output.reserveCapacity(significant * 3 / 4)
        var accumulator: UInt32 = 0
        for index in 0..<significant {
            let value = values[Int(text[index])]
            guard value != 0xFF else { return nil }
            accumulator = accumulator << 6 | UInt32(value)
            if index % 4 == 3 {
                output.append(UInt8(truncatingIfNeeded: accumulator >> 16))
                output.append(UInt8(truncatingIfNeeded: accumulator >> 8))
                output.append(UInt8(truncatingIfNeeded: accumulator))
                accumulator = 0
            }
        }
        switch significant % 4 {
        case 1: return nil
        case 2:
            guard accumulator & 0b1111 == 0 else { return nil }
            output.append(UInt8(truncatingIfNeeded: accumulator >> 4))
        case 3:
            guard accumulator & 0b11 == 0 else { return nil }
            output.append(UInt8(truncatingIfNeeded: accumulator >> 10))
            output.append(UInt8(truncatingIfNeeded: accumulator >> 2))
        default: break
        }
        return output
    }

    /// How many characters stand for bits, without the padding; nil where the padding is wrong.
    private static func significantCount(_ text: UnsafeBufferPointer<UInt8>, _ alphabet: Alphabet) -> Int? {
        guard alphabet == .standard, !text.isEmpty else { return text.count }
        guard text.count % 4 == 0 else { return nil }
        guard text[text.count - 1] == UInt8(ascii: "=") else { return text.count }
        return text[text.count - 2] == UInt8(ascii: "=") ? text.count - 2 : text.count - 1
    }

    /// The text of some bytes.
    package static func encode(_ bytes: [UInt8], _ alphabet: Alphabet = .standard) -> String {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count + 2) / 3 * 4)
        encode(bytes, alphabet, into: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends the text of some bytes.
    static func encode(_ bytes: [UInt8], _ alphabet: Alphabet = .standard, into output: inout [UInt8]) {
        let characters = alphabet.characters
        let start = output.count
        var index = 0
        while index < bytes.count {
            let remaining = bytes.count - index
            var group = UInt32(bytes[index]) << 16
            if remaining > 1 { group |= UInt32(bytes[index + 1]) << 8 }
            if remaining > 2 { group |= UInt32(bytes[index + 2]) }
            output.append(characters[Int(group >> 18)])
            output.append(characters[Int(group >> 12 & 63)])
            if remaining > 1 { output.append(characters[Int(group >> 6 & 63)]) }
            if remaining > 2 { output.append(characters[Int(group & 63)]) }
            index += 3
        }
        if alphabet == .standard {
            while (output.count - start) % 4 != 0 { output.append(UInt8(ascii: "=")) }
        }
    }
}
