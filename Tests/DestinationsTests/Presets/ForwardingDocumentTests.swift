import Destinations
import Foundation
import TestSupport
import Testing

@Suite("docs/forwarding.md")
struct ForwardingDocumentTests {
    private func section(_ heading: String) throws -> String {
        let file = VectorFile.repository.appending(path: "docs/forwarding.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let sections = text.split(separator: "\n## ")
        return String(try #require(sections.first { $0.hasPrefix(heading + "\n") }, "no section \(heading)"))
    }

    @Test("It has each macro, and no others")
    func macros() throws {
        let rows = try section("Macros").matches(of: /^\| (`\{.*\}`) \|/.anchorsMatchLineEndings())
        let names = rows.flatMap { $0.1.matches(of: /\{([a-z0-9-]+)\}/).map { String($0.1) } }
        #expect(names.sorted() == Macro.allCases.map(\.rawValue).sorted())
    }

    @Test("It has each preset, and no others")
    func presets() throws {
        let rows = try section("Presets").matches(of: /^\| `([a-z-]+)` \|/.anchorsMatchLineEndings())
        #expect(rows.map { String($0.1) } == DestinationPreset.allCases.map(\.rawValue))
    }

    @Test("The least file that it shows is good")
    func least() throws {
        let line = try #require(try section("A destination file").firstMatch(of: /(?m)^    (\{ "name".*\})$/))
        _ = try Destination(String(line.1))
    }
}
