import Foundation
import Testing

@Suite("Simulating postbacks", .enabled(if: Tool.adsign != nil, "no adsign in TEST_BIN_DIR or beside the tests"))
struct SimulateTests {
    let folder: Scratch

    init() async throws {
        folder = try Scratch()
        _ = try await Tool.adsign("keygen", "--out", folder["key.pem"], "--curve", "p192")
        _ = try await Tool.adsign("public-key", "--key", folder["key.pem"], "--out", folder["key.pub"])
    }

    private func simulate(_ options: String...) async throws -> Tool.Result {
        try await Tool.run(["simulate", "--key", folder["key.pem"]] + options)
    }

    @Test("The same seed gives the same bytes, another seed gives others, and all verify under the test key")
    func reproducible() async throws {
        let options = ["--count", "1000", "--duplicates", "0.1", "--raises", "0.05", "--shuffle"]
        let first = try await Tool.run(["simulate", "--key", folder["key.pem"], "--seed", "7"] + options)
        let second = try await Tool.run(["simulate", "--key", folder["key.pem"], "--seed", "7"] + options)
        let other = try await Tool.run(["simulate", "--key", folder["key.pem"], "--seed", "8"] + options)
        #expect(first.code == 0)
        #expect(first.lines.count == 1_000)
        #expect(first.output == second.output)
        #expect(Set(first.lines).isDisjoint(with: other.lines))
        let verified = try await Tool.adsign("verify-postback", "--public-key", folder["key.pub"], input: first.output)
        #expect(verified.code == 0)
        #expect(
            verified.lines.first
                == #"{"line":1,"verdict":"valid","environment":"test","key":"key.pub","detail":null}"#)
        // Without the test key nothing of it counts.
        #expect(try await Tool.adsign("verify-postback", input: first.output).code == 1)
    }

    @Test("Options choose networks, apps, campaigns and the share of source apps")
    func options() async throws {
        let result = try await simulate(
            "--seed", "1", "--count", "300", "--ad-network-id", "a.skadnetwork", "--ad-network-id", "b.skadnetwork",
            "--app-id", "99", "--campaigns", "2", "--source-app-rate", "0")
        let lines = try result.lines.map { try object($0) }
        #expect(Set(lines.map { $0["ad-network-id"] as? String }) == ["a.skadnetwork", "b.skadnetwork"])
        #expect(Set(lines.map { $0["app-id"] as? Int }) == [99])
        #expect(Set(lines.map { $0["campaign-id"] as? Int }) == [1, 2])
        #expect(lines.allSatisfy { $0["source-app-id"] == nil })
    }

    @Test(
        "Options that can't be simulated end with code 64 and a reason",
        arguments: [
            (["--count", "0"], "count"), (["--count", "9", "--campaigns", "101"], "campaigns"),
            (["--count", "9", "--duplicates", "1.5"], "duplicates"), (["--count", "9", "--raises", "0.9"], "raises"),
            (["--count", "9", "--rate", "5"], "--deliver"), (["--count", "9", "--connections", "5"], "--deliver"),
            (["--count", "9", "--deliver", "ftp://example.com"], "It must be a URL such as"),
            (["--count", "9", "--deliver", "http://127.0.0.1:1/", "--rate", "0"], "--rate"),
            (["--count", "9", "--deliver", "http://127.0.0.1:1/", "--connections", "0"], "--connections"),
            (["--timeline", "--deliver", "http://127.0.0.1:1/"], "deliver"),
            (["--count", "9", "--version", "9.9"], "version"), (["--count", "9", "--app-id", "x"], "app-id"),
        ])
    func wrong(options: [String], field: String) async throws {
        let result = try await Tool.run(["simulate", "--key", folder["key.pem"], "--seed", "1"] + options)
        #expect(result.code == 64)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains(field))
    }

    @Test("Version 2.0 needs a key on P-192")
    func wrongCurve() async throws {
        _ = try await Tool.adsign("keygen", "--out", folder["p256.pem"])
        let result = try await Tool.adsign("simulate", "--seed", "1", "--count", "1", "--key", folder["p256.pem"])
        #expect(result.code == 65)
        #expect(result.errors.contains("P-192"))
    }

    @Test("--all makes every version and AdAttributionKit, with a key on each curve, and all verify")
    func everything() async throws {
        _ = try await Tool.adsign("keygen", "--out", folder["ring-name.pem"])
        _ = try await Tool.adsign("public-key", "--key", folder["ring-name.pem"], "--out", folder["p256.pub"])
        let arguments = [
            "simulate", "--seed", "5", "--count", "2000", "--all", "--shuffle", "--key", folder["key.pem"], "--key",
            folder["ring-name.pem"],
        ]
        let result = try await Tool.run(arguments)
        #expect(result.code == 0)
        #expect(try await Tool.run(arguments).output == result.output)
        let versions = Set(try result.lines.map { try object($0)["version"] as? String })
        #expect(versions.isSuperset(of: ["1.0", "2.0", "2.1", "2.2", "3.0", "4.0", nil]))
        let verified = try await Tool.adsign(
            "verify-postback", "--public-key", folder["key.pub"], "--public-key", "ring-name=\(folder["p256.pub"])",
            input: result.output)
        #expect(verified.code == 0)
        #expect(verified.lines.contains { $0.contains("relay_normalised") })
        let kit = try await Tool.adsign(
            "simulate", "--seed", "5", "--count", "20", "--ad-attribution-kit", "--key", folder["ring-name.pem"],
            "--key-name", "other")
        #expect(try kit.lines.allSatisfy { try object($0)["jws-string"] != nil })
        let missing = try await simulate("--seed", "1", "--count", "9", "--all")
        #expect(missing.code == 64)
        #expect(missing.errors.contains("P-256"))
        let development = try await simulate("--seed", "1", "--count", "9", "--development-rate", "0.5")
        #expect(development.code == 64)
        #expect(development.errors.contains("development-key"))
    }

    @Test("adsign version prints the tool's own version")
    func version() async throws {
        #expect(try await Tool.adsign("version").output == "0.2.0\n")
        #expect(try await Tool.adsign("nonsense").code == 64)
    }
}
