package import AdAttribution
import StrictJSON

/// A rule that a file breaks.
package struct SchemeError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line, from 1.
    package let line: Int
    /// The field, the rule, and the wrong value.
    package let error: FieldError

    init(_ place: DocumentPlace, _ rule: String, value: String? = nil) {
        line = place.line
        error = FieldError(field: place.path.isEmpty ? "scheme" : place.path, rule: rule, value: value)
    }

    /// Line, field, rule and value in one line.
    package var description: String { "line \(line): \(error)" }
}

/// Why a file is refused: all its errors, up to a hundred.
package struct SchemeErrors: Error, Sendable, Equatable, CustomStringConvertible {
    /// The errors in the order of their lines; at least one.
    package let errors: [SchemeError]

    /// The greatest number of errors that are kept.
    static let limit = 100

    init(_ errors: [SchemeError]) {
        self.errors = Array(errors.sorted { $0.line < $1.line }.prefix(Self.limit))
    }

    init(_ findings: DocumentFindings) {
        self.init(findings.problems.map { SchemeError($0.place, $0.rule, value: $0.value) })
    }

    /// The errors, a line each.
    package var description: String { errors.map(\.description).joined(separator: "\n") }
}

/// Something that a converter could not carry over.
package struct SchemeNote: Sendable, Hashable, CustomStringConvertible {
    /// Where it stands: in the file that was imported, or in the scheme that was exported.
    package let place: String
    /// What was left out, or changed.
    package let text: String

    /// What happens to a member of a foreign file that a scheme can't say.
    static let leftOut = "left out: a scheme has no place for it"

    init(place: String, text: String) {
        self.place = place
        self.text = text
    }

    init(_ note: DocumentNote) {
        self.init(place: note.place, text: note.text)
    }

    /// Place and text in one line.
    package var description: String { place.isEmpty ? text : "\(place): \(text)" }
}
