/// Writes CSV (RFC 4180).
package enum CSVText {
    /// A row with its line end: fields with a comma, a quote or a line end are in quotes; nil is empty.
    package static func row(_ fields: [String?]) -> String {
        fields.map { quoted($0 ?? "") }.joined(separator: ",") + "\r\n"
    }

    /// A text that no spreadsheet runs: one that begins like a formula gets an apostrophe before it.
    ///
    /// Spreadsheets take a cell with one of these at its beginning for a formula (OWASP, "CSV Injection"). Never use it
    /// for a number, which may begin with a minus sign.
    package static func withoutFormula(_ text: String) -> String {
        let beginnings: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]
        guard let first = text.unicodeScalars.first, beginnings.contains(first) else { return text }
        return "'" + text
    }

    private static func quoted(_ field: String) -> String {
        let special: Set<UInt8> = [UInt8(ascii: ","), UInt8(ascii: "\""), 0x0A, 0x0D]
        guard field.utf8.contains(where: special.contains) else { return field }
        return "\"" + field.replacing("\"", with: "\"\"") + "\""
    }
}
