/// A place in a document: a line, and the way to a value, such as `fine[3].events[0].revenue`.
package struct DocumentPlace: Sendable, Hashable {
    /// The line, from 1.
    package let line: Int
    /// The names and numbers on the way; empty for the whole document.
    package let path: String

    /// Takes both.
    package init(line: Int, path: String) {
        self.line = line
        self.path = path
    }

    /// The place of a member of the value here.
    package func member(_ name: String, line: Int) -> DocumentPlace {
        DocumentPlace(line: line, path: path.isEmpty ? name : "\(path).\(name)")
    }

    /// The place of an element of the value here.
    package func element(_ index: Int, line: Int) -> DocumentPlace {
        DocumentPlace(line: line, path: "\(path)[\(index)]")
    }
}

/// A rule that a document breaks.
package struct DocumentProblem: Error, Sendable, Equatable {
    /// Where.
    package let place: DocumentPlace
    /// What the value must be, as "must be …" or another whole clause about it.
    package let rule: String
    /// The value as given; nil if it is missing or not fit to show.
    package let value: String?

    /// Takes all three.
    package init(_ place: DocumentPlace, _ rule: String, value: String? = nil) {
        self.place = place
        self.rule = rule
        self.value = value
    }
}

/// Something to know about a document that breaks no rule.
package struct DocumentNote: Sendable, Hashable {
    /// The way to the value.
    package let place: String
    /// What to know.
    package let text: String
}
