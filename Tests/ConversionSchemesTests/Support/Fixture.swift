import AdAttribution
import ConversionSchemes
import Foundation
import Testing

/// Files of the tests.
enum Fixture {
    /// The bytes of a file of the folder `Fixtures`.
    static func bytes(_ name: String) throws -> [UInt8] {
        let url = try #require(Bundle.module.url(forResource: "Fixtures/\(name)", withExtension: nil))
        return Array(try Data(contentsOf: url))
    }
}

extension ConversionScheme {
    /// A scheme with the members of a minimal file and these.
    init(_ members: String) throws {
        self = try SchemeFile.read(Array(Self.text(members).utf8))
    }

    /// A minimal file with these members, the last of which ends in line 3.
    static func text(_ members: String) -> String {
        "{ \"app-id\": 525463029, \"name\": \"test\",\n\"valid-from\": \"2026-10-01T00:00:00Z\""
            + (members.isEmpty ? "}" : ",\n\(members)}")
    }
}

/// The problems of a file that must be refused, a line each.
func refusal(_ text: String) throws -> [String] {
    do throws(SchemeErrors) {
        let scheme = try SchemeFile.read(Array(text.utf8))
        Issue.record("was accepted: \(String(decoding: scheme.file, as: UTF8.self))")
        return []
    } catch {
        return error.errors.map(\.description)
    }
}
