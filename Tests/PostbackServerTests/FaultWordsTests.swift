import Foundation
import TestSupport
import Testing

/// What is logged or printed of an error is its description: a type without one would show Swift's names.
@Suite("Faults in words") struct FaultWordsTests {
    /// Errors that something else turns into words, or that never leave the code that throws them.
    private static let silent: Set = [
        "CommandError", "DocumentProblem", "FailedCheck", "HTTPError", "IPNetworkError", "JSONError", "KeyDoesNotSign",
        "LaneObstacle", "LocatedJSONError", "OutputClosed", "Problem", "Refusal", "RestoreError", "SettingsErrors",
        "SigningError", "Stop", "Stopped", "TemplateError", "TokenRowError", "TooLong",
    ]

    @Test("Each type of error says what is wrong in words, unless something else does")
    func descriptions() throws {
        let folder = URL(filePath: TestEnvironment.root + "Sources")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var errors: [String: Bool] = [:]
        var described: Set<String> = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /(struct|enum|class|extension) ([A-Za-z]+): ([A-Za-z, ]+)/) {
                let (kind, name, protocols) = (match.output.1, String(match.output.2), match.output.3)
                let names = protocols.split { $0 == "," || $0 == " " }
                let isDescribed = names.contains("CustomStringConvertible")
                if isDescribed { described.insert(name) }
                if names.contains("Error"), kind != "extension" {
                    // Two types may have the same name.
                    errors[name] = (errors[name] ?? true) && isDescribed
                }
            }
        }
        let without = errors.filter { !$0.value }.map(\.key).filter { name in
            name == "Refusal" || !described.contains(name)
        }
        #expect(errors.count > 40)
        #expect(Set(without) == Self.silent)
    }
}
