import AdAttribution
import StrictJSON

/// A rule that a destination's file breaks.
package struct DestinationProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line, from 1.
    package let line: Int
    /// The way to the value, such as `limits.in-flight`; `file` for the whole file, `json` if it is none.
    package let place: String
    /// What the value must be, as "must be …" or another whole clause about it; with the value as given if that is fit
    /// to show.
    package let rule: String

    init(_ problem: DocumentProblem) {
        line = problem.place.line
        place = problem.place.path.isEmpty ? "file" : problem.place.path
        let error = FieldError(field: place, rule: problem.rule, value: problem.value)
        rule = error.rule + (error.value.map { ", not \($0)" } ?? "")
    }

    /// Line, place and rule in one line.
    package var description: String { "line \(line): \(place): \(rule)" }
}

/// Why a destination's file is refused: all its problems, up to a hundred.
package struct DestinationProblems: Error, Sendable, Equatable, CustomStringConvertible {
    /// The problems in the order of their lines; at least one.
    package let problems: [DestinationProblem]

    /// The greatest number of problems that are kept.
    private static let limit = 100

    init(_ problems: [DocumentProblem]) {
        let sorted = problems.map { DestinationProblem($0) }.sorted { $0.line < $1.line }
        self.problems = Array(sorted.prefix(Self.limit))
    }

    /// The problems, a line each.
    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
