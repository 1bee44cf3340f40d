import Destinations
import Testing

@Suite("Files to fill in for receivers")
struct DestinationPresetTests {
    private func document(_ preset: DestinationPreset) throws -> String {
        preset.document(name: try #require(DestinationName("partner")))
    }

    private func filledIn(_ preset: DestinationPreset) throws -> Destination {
        let text = try document(preset).replacing(
            "https://\(DestinationPreset.placeholder)", with: "https://receiver.example/skan")
        return try Destination(text.replacing(DestinationPreset.placeholder, with: "abc123"))
    }

    /// Method and URL, headers, and the body, as the fixtures have them.
    private func text(of request: PreparedRequest) -> String {
        let head = (["\(request.method.rawValue) \(request.url)"] + request.headers.map { "\($0.name): \($0.value)" })
            .joined(separator: "\n")
        return head + "\n" + (request.body.map { "\n" + String(decoding: $0, as: UTF8.self) } ?? "")
    }

    @Test(
        "What a preset sends of a genuine postback is byte for byte what the receiver's documentation asks for",
        arguments: DestinationPreset.allCases)
    func request(_ preset: DestinationPreset) throws {
        let request = try filledIn(preset).request(for: .genuine())
        #expect(text(of: request) == (try Fixture.text("Presets/\(preset.rawValue).http")))
    }

    @Test(
        "A file that was not filled in is refused with the places",
        arguments: [
            (DestinationPreset.branch, []), (.appmetrica, []), (.adjustApple, ["add.adjust-tracker"]),
            (.adjustQuery, ["url"]), (.unityStyle, ["url"]), (.skanStandard, ["url"]), (.raw, ["url"]),
        ] as [(DestinationPreset, [String])])
    func notFilledIn(_ preset: DestinationPreset, _ places: [String]) throws {
        let text = Array(try document(preset).utf8)
        var problems: [DestinationProblem] = []
        do throws(DestinationProblems) {
            _ = try Destination(document: text)
        } catch {
            problems = error.problems
        }
        #expect(problems.map(\.place) == places)
        #expect(problems.allSatisfy { $0.rule == "still has FILL-IN, where something is to be filled in" })
    }

    @Test("Only raw takes postbacks of AdAttributionKit too", arguments: DestinationPreset.allCases)
    func protocols(_ preset: DestinationPreset) throws {
        let filter = try filledIn(preset).filter
        #expect(filter.matches(try .genuine()))
        #expect(filter.matches(try .genuine(protocolName: "adattributionkit")) == (preset == .raw))
    }
}
