/// Texts that fields of several tables have.
package enum FieldText {
    /// The greatest size of a name, in bytes.
    private static let greatestName = 200

    /// What a name must be, to complete "must be …".
    package static let nameRule = "1 to \(greatestName) bytes of text without control characters"

    /// An id or a name that somebody gave; nil if it is too long, or would change what a terminal shows.
    package static func name(_ text: String) -> String? {
        guard (1...greatestName).contains(text.utf8.count),
            !text.unicodeScalars.contains(where: { isControl($0.properties.generalCategory) })
        else { return nil }
        return text
    }

    private static func isControl(_ category: Unicode.GeneralCategory) -> Bool {
        // `format` holds the scalars that turn the direction of text around.
        category == .control || category == .format || category == .lineSeparator || category == .paragraphSeparator
    }

    /// What an integer must be, to complete "must be …".
    package static let integerRule = "an integer from 0 to \(Int64.max)"

    /// An integer from 0 to 2^63 − 1, written in digits only; nil for anything else.
    package static func integer(_ text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }
}
