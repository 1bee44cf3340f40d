import Destinations
import Testing

extension Destination {
    /// The destination of a text.
    init(_ document: String) throws {
        try self.init(document: Array(document.utf8))
    }

    /// A destination with these members, and with the few that every file needs.
    init(members: KeyValuePairs<String, String>) throws {
        try self.init(DestinationDocument(members).text)
    }

    /// The problems of a text that must be refused, a line each.
    static func problems(_ document: String) -> [String] {
        do throws(DestinationProblems) {
            let destination = try Destination(document: Array(document.utf8))
            Issue.record("was accepted: \(destination)")
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }
}

/// A file with a member in each line.
struct DestinationDocument {
    /// The members that every file needs; those of a test replace them.
    private static let least: KeyValuePairs = [
        "name": #""branch""#, "url": #""https://receiver.example/""#, "body": #""raw""#,
    ]

    /// The file.
    ///
    /// Its brace is line 1, the name line 2, the URL line 3 and the body line 4; others follow.
    let text: String

    /// Takes members with their JSON; `-` leaves one out.
    init(_ members: KeyValuePairs<String, String>) {
        let given = Dictionary(members.map { ($0.key, $0.value) }) { $1 }
        let known = Set(Self.least.map(\.key))
        let all =
            Self.least.map { ($0.key, given[$0.key] ?? $0.value) }
            + members.filter { !known.contains($0.key) }.map { ($0.key, $0.value) }
        let lines = all.filter { $0.1 != "-" }.map { #""\#($0.0)": \#($0.1)"# }
        text = "{\n" + lines.joined(separator: ",\n") + "\n}"
    }
}
