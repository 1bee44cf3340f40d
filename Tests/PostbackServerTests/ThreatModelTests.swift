import Foundation
import TestSupport
import Testing

/// docs/threat-model.md names a test for each attack, docs/page.md those that hold its figures, and docs/app-store-talks.md
/// those that show what Apple's talks say.
@Suite("The threat model") struct ThreatModelTests {
    @Test(
        "Each test that a document names exists in the suite that it names",
        arguments: [("docs/threat-model.md", 50), ("docs/page.md", 8), ("docs/app-store-talks.md", 50)])
    func names(document: String, more: Int) throws {
        let text = String(decoding: try TestEnvironment.file(document), as: UTF8.self)
        let files = try sources()
        var count = 0
        // `Suite`: "one test", "another test"
        for match in text.matches(of: #/`(?<suite>[A-Za-z0-9]+Tests)`: (?<names>"[^"]+"(?:, "[^"]+")*)/#) {
            let source = files[String(match.suite)]
            #expect(source != nil, "there is no file \(match.suite).swift in Tests")
            for name in match.names.matches(of: #/"([^"]+)"/#) {
                count += 1
                #expect(source?.contains("\"\(name.1)\"") == true, "\(match.suite) has no test \"\(name.1)\"")
            }
        }
        #expect(count > more)
    }

    /// The text of each file of tests, by its name without `.swift`.
    private func sources() throws -> [String: String] {
        let folder = URL(filePath: TestEnvironment.root + "Tests")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var sources: [String: String] = [:]
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            sources[file.deletingPathExtension().lastPathComponent, default: ""] += try String(
                contentsOf: file, encoding: .utf8)
        }
        return sources
    }
}
