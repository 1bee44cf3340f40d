/// Writes CSV (RFC 4180).
package enum CSVText {
    /// A row with its line end: fields with a comma, a quote or a line end are in quotes; nil is empty.
    package static func row(_ fields: [String?]) -> String {
        fields.map { quoted($0 ?? "") }.joined(separator: ",") + "\r\n"
    }

    /// A text of which no spreadsheet runs a part: what looks like a formula gets an apostrophe before it.
    ///
    /// Spreadsheets take a cell that begins with one of these characters for a formula (OWASP, "CSV Injection"). In many
    /// countries they also separate cells at semicolons, and then read quotes in the middle of a line as they stand. So
    /// each part of the text that such a program takes for a cell is looked at: it begins at the beginning of the text,
    /// and behind a semicolon, a tab or a line end. White space and quotation marks before the character don't help.
    ///
    /// `withFormula` takes the apostrophes away again. Never use it for a number, which may begin with a minus sign.
    package static func withoutFormula(_ text: String) -> String {
        guard mayHaveFormula(text) else { return text }
        return cells(of: text).enumerated().map { number, cell in
            looksLikeFormula(cell, isFirst: number == 0) ? "'" + String(cell) : String(cell)
        }.joined()
    }

    /// The text of which `withoutFormula` made this one.
    package static func withFormula(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "'")), mayHaveFormula(text) else { return text }
        return cells(of: text).enumerated().map { number, cell in
            guard cell.first == "'", looksLikeFormula(cell.dropFirst(), isFirst: number == 0) else {
                return String(cell)
            }
            return String(cell.dropFirst())
        }.joined()
    }

    private static let formulaBeginnings: Set<Unicode.Scalar> = ["=", "+", "-", "@", "＝", "＋", "－", "＠"]
    private static let separators: Set<Unicode.Scalar> = [";", "\t", "\r", "\n"]
    private static let quotes: Set<Unicode.Scalar> = ["\"", "'"]

    /// Whether a text has any of the characters, which few texts have.
    private static func mayHaveFormula(_ text: String) -> Bool {
        text.unicodeScalars.contains { formulaBeginnings.contains($0) || separators.contains($0) }
    }

    /// What a spreadsheet may take for cells, each but the last one with its separator.
    private static func cells(of text: String) -> [Substring.UnicodeScalarView] {
        let scalars = Substring(text).unicodeScalars
        var cells: [Substring.UnicodeScalarView] = []
        var start = scalars.startIndex
        for index in scalars.indices where separators.contains(scalars[index]) {
            let end = scalars.index(after: index)
            cells.append(scalars[start..<end])
            start = end
        }
        return cells + [scalars[start...]]
    }

    private static func looksLikeFormula(_ cell: Substring.UnicodeScalarView, isFirst: Bool) -> Bool {
        let first = cell.first { scalar in
            separators.contains(scalar) || !scalar.properties.isWhitespace && !quotes.contains(scalar)
        }
        guard let first else { return false }
        // Some spreadsheets leave out a tab or a line end before a formula.
        return formulaBeginnings.contains(first) || isFirst && first != ";" && separators.contains(first)
    }

    private static func quoted(_ field: String) -> String {
        let special: Set<UInt8> = [UInt8(ascii: ","), UInt8(ascii: "\""), 0x0A, 0x0D]
        guard field.utf8.contains(where: special.contains) else { return field }
        return "\"" + field.replacing("\"", with: "\"\"") + "\""
    }
}
