import StrictJSON

/// Texts that fields of several tables have.
package enum FieldText {
    /// The greatest size of a name, in bytes.
    private static let greatestName = 200

    /// What a name must be, to complete "must be …".
    package static let nameRule = "1 to \(greatestName) bytes of text without control characters, and not only blanks"

    /// An id or a name that somebody gave; nil if it is too long, can't be seen, or would change what a terminal shows.
    ///
    /// Characters without a shape that words and emoji are joined by are text (U+200C and U+200D).
    package static func name(_ text: String) -> String? {
        guard (1...greatestName).contains(text.utf8.count), !text.allSatisfy(\.isWhitespace),
            !text.unicodeScalars.contains(where: JSONText.isControlling)
        else { return nil }
        return text
    }

    /// What an integer must be, to complete "must be …".
    package static let integerRule = "an integer from 0 to \(Int64.max)"

    /// An integer from 0 to 2^63 − 1, written in digits only; nil for anything else.
    package static func integer(_ text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }
}
