import AdAttribution
import Foundation
import Testing

@testable import adsign

@Suite("Batches", .enabled(if: Tool.adsign != nil, "no adsign in TEST_BIN_DIR or beside the tests"))
struct SigningBatchTests {
    let folder: Scratch

    init() async throws {
        folder = try Scratch()
        _ = try await Tool.adsign("keygen", "--out", folder["key.pem"])
        _ = try await Tool.adsign("public-key", "--key", folder["key.pem"], "--out", folder["pub.pem"])
    }

    private func batch(_ options: String..., input: String) async throws -> Tool.Result {
        try await Tool.run(
            ["sign", "--batch", "--key", folder["key.pem"], "--ad-network-id", "example123.skadnetwork"] + options,
            input: input)
    }

    private func line(_ app: Int, _ more: String = "") -> String {
        "{\"source-identifier\":5239,\"itunes-item-id\":\(app),\"source-app-id\":1,\"fidelity-type\":1\(more)}\n"
    }

    @Test("Many lines come out in order, on any number of threads, and all verify", arguments: ["1", "2", "7"])
    func order(threads: String) async throws {
        let result = try await batch("--threads", threads, input: (1...3_000).map { line($0) }.joined())
        #expect(result.code == 0)
        #expect(try result.lines.map { try object($0)["itunes-item-id"] as? Int } == Array(1...3_000))
        #expect(Set(try result.lines.map { try object($0)["nonce"] as? String }).count == 3_000)
        let verified = try await Tool.adsign("verify", "--public-key", folder["pub.pem"], input: result.output)
        #expect(verified.code == 0)
        #expect(verified.lines == (1...3_000).map { "{\"line\":\($0),\"verdict\":\"valid\"}" })
    }

    @Test("A wrong line gives its error in its place, on both outputs; the others are signed, and the code is 65")
    func badLines() async throws {
        let long = line(3, ",\"nonce\":\"\(String(repeating: "a", count: 400_000))\"")
        let input =
            line(1) + "nonsense\r\n" + "\n" + long + "  \r\n" + "{\"source-identifier\":-1}\n"
            + line(2, ",\"campaign\":1").replacingOccurrences(of: "\n", with: "\r\n") + String(line(4).dropLast())
        let result = try await batch(input: input)
        #expect(result.code == 65)
        let lines = try result.lines.map { try object($0) }
        #expect(lines.count == 6)
        #expect(lines.map { $0["itunes-item-id"] as? Int } == [1, nil, nil, nil, nil, 4])
        #expect(lines.map { $0["line"] as? Int } == [nil, 2, 4, 6, 7, nil])
        let errors = lines.compactMap { $0["error"] as? [String: String] }
        #expect(errors.map { $0["field"] } == ["json", "impression", "source-identifier", "campaign"])
        #expect(errors[1]["rule"]?.contains("16384 bytes") == true)
        #expect(errors[2] == ["field": "source-identifier", "rule": "must be an integer from 0 to 9999"])
        #expect(result.errors == result.lines.filter { $0.contains("error") }.joined(separator: "\n") + "\n")
    }

    @Test("An advertised app of 0 is not signed, and a source app of 0 is")
    func zeroApps() async throws {
        let development = line(1).replacing("\"source-app-id\":1", with: "\"source-app-id\":0")
        let result = try await batch(input: line(0) + development)
        #expect(result.code == 65)
        let lines = try result.lines.map { try object($0) }
        #expect(
            lines.first?["error"] as? [String: String] == [
                "field": "itunes-item-id", "rule": "must be an integer from 1 to 9223372036854775807",
            ])
        #expect(lines.last?["source-app-id"] as? Int == 0 && lines.last?["signature"] is String)
    }

    @Test("Options are the defaults for missing fields of a line; a nonce can't be one")
    func defaults() async throws {
        let web = "{\"itunes-item-id\":1,\"source-domain\":\"example.com\",\"ad-network-id\":\"other.skadnetwork\"}\n"
        let old = "{\"itunes-item-id\":1,\"version\":\"2.0\",\"campaign-id\":7}\n"
        let result = try await batch(
            "--source-app-id", "5", "--source-identifier", "12", "--timestamp", "1676057605705",
            input: web + old + line(1))
        #expect(result.code == 0)
        let lines = try result.lines.map { try object($0) }
        #expect(lines.map { $0["source-app-id"] as? Int } == [nil, 5, 1])
        #expect(lines.map { $0["source-identifier"] as? Int } == [12, nil, 5239])
        #expect(
            lines.map { $0["ad-network-id"] as? String }
                == ["other.skadnetwork", "example123.skadnetwork", "example123.skadnetwork"])
        #expect(lines.allSatisfy { $0["timestamp"] as? Int == 1_676_057_605_705 })
        #expect(try await batch("--nonce", "b7c9da2b-15c7-4f3b-9326-135f9630033d", input: "").code == 64)
        #expect(try await batch("--threads", "0", input: "").code == 64)
        #expect(try await batch("--input", folder["none"], input: "").code == 66)
    }

    private func time(hoursAgo hours: Int) -> String {
        ",\"timestamp\":\(Int64(Date().timeIntervalSince1970 * 1_000) - Int64(hours) * 3_600_000)"
    }

    private func nonce(_ number: Int) -> String {
        String(format: ",\"nonce\":\"00000000-0000-4000-8000-%012x\"", number)
    }

    @Test("A nonce that stands twice, in any letter case, and an old timestamp are signed with a warning each")
    func warnings() async throws {
        let input = [
            line(1, nonce(10)), line(2, nonce(11) + time(hoursAgo: 23)),
            line(3, nonce(10).uppercased().replacing("NONCE", with: "nonce")),
            line(4, time(hoursAgo: 26)), line(5), line(6, nonce(11)),
        ]
        let result = try await batch(input: input.joined())
        #expect(result.code == 0)
        #expect(result.lines.count == 6)
        let warnings = try result.errors.split(separator: "\n").map { try object($0) }
        #expect(warnings.map { $0["line"] as? Int } == [3, 4, 6])
        let rules = warnings.compactMap { $0["warning"] as? [String: String] }
        #expect(rules.map { $0["field"] } == ["nonce", "timestamp", "nonce"])
        #expect(rules.map { $0["rule"] }.first == "was used on line 1 too")
        #expect(rules[1]["rule"]?.hasPrefix("is 26 hours old") == true)
        #expect(rules[2]["rule"] == "was used on line 2 too")
    }

    @Test("Of each kind the first twenty warnings are written, on any number of threads, then how many there were")
    func manyWarnings() async throws {
        let input = (1...2_000).map { line($0, nonce($0 % 1_000) + time(hoursAgo: 48)) }.joined()
        let result = try await batch("--threads", "3", input: input)
        #expect(result.code == 0)
        let lines = result.errors.split(separator: "\n").map(String.init)
        #expect(lines.filter { $0.contains("\"nonce\"") }.count == 20)
        #expect(lines.filter { $0.contains("\"timestamp\"") }.count == 20)
        #expect(lines.contains("adsign: warning: 1000 lines have a nonce of an earlier line; the first 20 are named"))
        #expect(lines.contains("adsign: warning: 2000 lines have an old timestamp; the first 20 are named"))
        #expect(lines.count == 42)
    }

    @Test("Memory for nonces is bounded, and a warning says so")
    func boundedNonces() {
        var warnings = BatchWarnings(rememberedNonces: 2)
        let nonces = (0..<3).map { _ in Nonce(UUID()) }
        for (index, nonce) in (nonces + nonces).enumerated() {
            let output = warnings.add(BatchWarnings.Line(line: index + 1, nonce: nonce, age: nil))
            #expect(output.isEmpty == !(3...4).contains(index))
        }
        #expect(warnings.summary.count == 1)
        #expect(warnings.summary.first?.contains("the first 2 only; 2 lines") == true)
    }

    @Test("If the reader closes the output, the program ends without a message")
    func closedOutput() async throws {
        try folder.write("in", (1...20_000).map { line($0) }.joined())
        let tool = try #require(Tool.adsign)
        let command =
            "'\(tool)' sign --batch --key '\(folder["key.pem"])' --ad-network-id a.b --input '\(folder["in"])' | head -n 1"
        let result = try await Tool.shell(command)
        #expect(result.lines.count == 1)
        #expect(result.errors.isEmpty)
    }
}
