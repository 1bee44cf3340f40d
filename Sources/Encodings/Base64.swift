/// Base64 (RFC 4648), read strictly: no white space, the padding of the alphabet, no set bits after the last byte.
///
/// So each byte string has only one spelling.
package enum Base64 {
    /// The characters for 62 and 63, and whether the text has padding.
    package enum Alphabet: Sendable {
        /// Section 4: `+` and `/`, padded.
        case standard
        /// Section 5: `-` and `_`, without padding, as in JSON Web Signatures.
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

    /// Decodes a text; nil if it is not base64 of this alphabet.
    package static func decode(
        _ text: UnsafeBufferPointer<UInt8>, _ alphabet: Alphabet = .standard
    ) -> [UInt8]? {
        guard let significant = significantCount(text, alphabet) else { return nil }
        let count = significant / 4 * 3 + [0, 0, 1, 2][significant % 4]
        var isGood = significant % 4 != 1
        let output = alphabet.values.withUnsafeBufferPointer { values in
            [UInt8](unsafeUninitializedCapacity: count) { output, filled in
                filled = count
                var index = 0
                var place = 0
                // An invalid value has its highest bit set, and so has every "or" with it.
                var all: UInt8 = 0
                while index + 4 <= significant {
                    let a = values[Int(text[index])]
                    let b = values[Int(text[index + 1])]
                    let c = values[Int(text[index + 2])]
                    let d = values[Int(text[index + 3])]
                    all |= a | b | c | d
                    output[place] = a << 2 | b >> 4
                    output[place + 1] = b << 4 | c >> 2
                    output[place + 2] = c << 6 | d
                    index += 4
                    place += 3
                }
                if significant - index >= 2 {
                    let a = values[Int(text[index])]
                    let b = values[Int(text[index + 1])]
                    let c = significant - index == 3 ? values[Int(text[index + 2])] : 0
                    all |= a | b | c
                    output[place] = a << 2 | b >> 4
                    if significant - index == 3 { output[place + 1] = b << 4 | c >> 2 }
                    // Bits after the last byte.
                    let rest = significant - index == 3 ? c << 6 : b << 4
                    isGood = isGood && rest == 0
                }
                isGood = isGood && all & 0x80 == 0
            }
        }
        return isGood ? output : nil
    }

    /// The number of characters without the padding; nil if the padding is wrong.
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
    package static func encode(_ bytes: [UInt8], _ alphabet: Alphabet = .standard, into output: inout [UInt8]) {
        let padding = alphabet == .standard ? UInt8(ascii: "=") : nil
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: (bytes.count + 2) / 3 * 4) { text in
            alphabet.characters.withUnsafeBufferPointer { characters in
                var place = 0
                // In range by construction: four characters for each three bytes or fewer.
                func put(_ character: UInt8?) {
                    guard let character else { return }
                    text.initializeElement(at: place, to: character)
                    place += 1
                }
                for index in stride(from: 0, to: bytes.count, by: 3) {
                    let remaining = bytes.count - index
                    var group = UInt32(bytes[index]) << 16
                    if remaining > 1 { group |= UInt32(bytes[index + 1]) << 8 }
                    if remaining > 2 { group |= UInt32(bytes[index + 2]) }
                    put(characters[Int(group >> 18)])
                    put(characters[Int(group >> 12 & 63)])
                    put(remaining > 1 ? characters[Int(group >> 6 & 63)] : padding)
                    put(remaining > 2 ? characters[Int(group & 63)] : padding)
                }
                output.append(contentsOf: UnsafeBufferPointer(rebasing: text[..<place]))
            }
        }
    }
}
