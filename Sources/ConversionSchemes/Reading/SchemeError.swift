package import AdAttribution

/// A place in a file: a line, and the way to a value, such as `fine[3].events[0].revenue`.
package struct Place: Sendable, Hashable {
    /// The line, from 1.
    package let line: Int
    /// The names and numbers on the way; empty for the whole file.
    package let path: String

    /// Takes both.
    package init(line: Int, path: String) {
        self.line = line
        self.path = path
    }

    func member(_ name: String, line: Int) -> Place {
        Place(line: line, path: path.isEmpty ? name : "\(path).\(name)")
    }

    func element(_ index: Int, line: Int) -> Place {
        Place(line: line, path: "\(path)[\(index)]")
    }
}

/// A rule that a file breaks.
package struct SchemeError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line, from 1.
    package let line: Int
    /// The field, the rule, and the wrong value.
    package let error: FieldError

    init(_ place: Place, _ rule: String, value: String? = nil) {
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

    /// The errors, a line each.
    package var description: String { errors.map(\.description).joined(separator: "\n") }
}

/// Something that a converter could not carry over.
package struct SchemeNote: Sendable, Hashable, CustomStringConvertible {
    /// Where it stands: in the file that was imported, or in the scheme that was exported.
    package let place: String
    /// What was left out, or changed.
    package let text: String

    /// Place and text in one line.
    package var description: String { place.isEmpty ? text : "\(place): \(text)" }
}
