import AdAttribution
import ArgumentParser
import StrictJSON

/// The verdict on one thing of the App Store, and what it says.
struct PayloadReport {
    /// How it is printed.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        /// A line for each value.
        case text
        /// One JSON object.
        case json
    }

    private let outcome: Verdicts.Outcome
    private let members: [(name: String, value: JSONDocument)]

    /// Something that was verified.
    ///
    /// - Parameter payload: What it says, under a name.
    init(environment: AttributionEnvironment, kind: String, payload: JSONDocument) {
        outcome = .valid
        members = [
            ("verdict", .string("valid")), ("environment", .string(environment.rawValue)), ("detail", .null),
            (kind, payload),
        ]
    }

    /// Something that was refused.
    init(_ outcome: Verdicts.Outcome, verdict: String, detail: String) {
        self.outcome = outcome
        members = [("verdict", .string(verdict)), ("environment", .null), ("detail", .string(detail))]
    }

    /// An input with more bytes than are read.
    ///
    /// - Parameter path: The file, or `-` for standard input.
    init(tooLarge verdict: String, _ path: String, atMost limit: Int) {
        self.init(
            .malformed, verdict: verdict, detail: "\(InputFile.name(of: path)): \(InputFile.sizeRule(limit))")
    }

    /// Prints it and ends the command.
    ///
    /// - Throws: `CommandError` with code 1 for what is not valid, and 65 for what is malformed.
    func finish(_ format: Format) throws {
        switch format {
        case .json: try StandardStream.output(JSONDocument.object(members).text())
        case .text:
            var lines: [String] = []
            for (name, value) in members { Self.append(value, at: name, to: &lines) }
            try StandardStream.output(Array(lines.map { JSONText.line($0) + "\n" }.joined().utf8))
        }
        switch outcome {
        case .valid: break
        case .failed: throw CommandError(.verification)
        case .malformed: throw CommandError(.data)
        }
    }

    /// Adds a line for each value in a value, with the way to it; `null` has none.
    private static func append(_ value: JSONDocument, at place: String, to lines: inout [String]) {
        switch value {
        case .object(let members):
            for (name, value) in members { append(value, at: "\(place).\(name)", to: &lines) }
        case .array(let elements):
            for (index, element) in elements.enumerated() { append(element, at: "\(place)[\(index)]", to: &lines) }
        case .string(let text): lines.append("\(place): \(text)")
        case .integer(let integer): lines.append("\(place): \(integer)")
        case .number(let text): lines.append("\(place): \(text)")
        case .boolean(let flag): lines.append("\(place): \(flag)")
        case .null: break
        }
    }
}
