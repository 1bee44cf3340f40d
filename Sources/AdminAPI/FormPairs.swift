import Encodings

/// The pairs of names and values of a query or a form (`application/x-www-form-urlencoded`).
///
/// Whoever is not signed in can send them too. So each byte is read once, and there are few pairs.
package enum FormPairs {
    /// The greatest number of pairs: more than any report has parameters.
    static let greatestCount = 100

    /// Reads pairs as browsers and libraries write them.
    ///
    /// `%20` and `+` are a space. Empty pairs are left out.
    ///
    /// - Parameters:
    ///   - text: The bytes.
    ///   - field: What an error names if there are too many pairs.
    /// - Throws: `invalidParameter` if a text is no UTF-8 in percent-encoding, or has a zero byte, or if there are too many
    ///   pairs.
    package static func read(
        _ text: some Collection<UInt8>, field: String = "query"
    ) throws(Problem) -> [(name: String, value: String)] {
        let pairs = text.split(separator: UInt8(ascii: "&"), maxSplits: greatestCount)
        guard pairs.count <= greatestCount else {
            throw Problem(.invalidParameter, field: field, rule: "must have at most \(greatestCount) parameters")
        }
        var decoded: [(name: String, value: String)] = []
        for pair in pairs {
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            guard let nameText = self.decoded(name), let value = self.decoded(pair.dropFirst(name.count + 1)) else {
                throw Problem(
                    .invalidParameter, field: String(decoding: name, as: UTF8.self).prefix(bytes: 60),
                    rule: "must be UTF-8 in percent-encoding")
            }
            try Problem.check(nameText, of: field)
            try Problem.check(value, of: nameText)
            decoded.append((nameText, value))
        }
        return decoded
    }

    /// The text that percent-encoding stands for; nil if it is none, or no UTF-8.
    private static func decoded(_ text: some Collection<UInt8>) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(Hexadecimal.nibble),
                    let low = rest.next().flatMap(Hexadecimal.nibble)
                else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
