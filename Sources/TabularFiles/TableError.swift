import Encodings
import StrictJSON

/// What is wrong in a table, and where.
package struct TableError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line, from 1.
    ///
    /// For a row of CSV that takes several lines, it is the first of them.
    package let line: Int
    /// The column; nil if the whole row is meant.
    package let field: String?
    /// The rule, to complete "must be …", or another whole clause about the field.
    package let rule: String
    /// The beginning of the value; nil if it is missing, or would not help.
    package let value: String?

    /// The greatest number of bytes of a value that are shown.
    private static let shownBytes = 60

    /// Takes a place and a rule.
    package init(line: Int, field: String? = nil, rule: String, value: String? = nil) {
        self.line = line
        self.field = field
        self.rule = rule
        self.value = value.map { $0.prefix(bytes: Self.shownBytes) }
    }

    /// Line, field, rule and value in one line, without control characters.
    package var description: String {
        let place = ["line \(line)", field].compactMap(\.self).joined(separator: ": ")
        guard let value else { return "\(place): \(rule)" }
        return "\(place): \(rule), not \(JSONText.quoted(value))"
    }
}

/// Why a file is refused: all that is wrong with it, or the first errors.
package struct TableErrors: Error, Sendable, Equatable, CustomStringConvertible {
    /// The errors, in the order of the file; at most `greatestCount`.
    package let errors: [TableError]

    /// After so many errors the rest of a file is not read.
    package static let greatestCount = 20

    /// Takes the errors; those after the greatest count are left out.
    package init(_ errors: [TableError]) {
        self.errors = Array(errors.sorted { $0.line < $1.line }.prefix(Self.greatestCount))
    }

    /// A line for each error.
    package var description: String {
        let lines = errors.map(\.description)
        guard lines.count >= Self.greatestCount else { return lines.joined(separator: "\n") }
        return (lines + ["there may be more problems; these are the first \(lines.count)"]).joined(separator: "\n")
    }
}
