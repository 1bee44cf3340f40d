import Foundation
import TestSupport
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

    @Test("Options choose how many sources and lines there are, and how often each comes")
    func populations() async throws {
        let result = try await simulate(
            "--seed", "1", "--count", "40", "--source-app-rate", "1", "--sources", "each:4", "--first-source", "11",
            "--app-id", "7", "--app-id", "8", "--lines", "each:20")
        let lines = try result.lines.map { try object($0) }
        #expect(lines.map { $0["source-app-id"] as? Int } == (0..<40).map { 1_500_000_011 + $0 % 4 })
        #expect(lines.map { $0["app-id"] as? Int } == (0..<40).map { 7 + $0 % 2 })
        #expect(lines.map { $0["campaign-id"] as? Int } == (0..<40).map { 1 + $0 % 20 / 2 })
    }

    @Test(
        "Options that can't be simulated end with code 64 and a reason",
        arguments: [
            (["--count", "0"], "count"), (["--count", "9", "--campaigns", "101"], "campaigns"),
            (["--count", "9", "--sources", "zipf"], "must be a number such as 20, zipf:100000 or each:1000"),
            (["--count", "9", "--sources", "zipf:9999999"], "sources"), (["--count", "9", "--lines", "301"], "lines"),
            (["--count", "9", "--lines", "30", "--campaigns", "3"], "not with --lines"),
            (["--timeline", "--lines", "30"], "lines: not with --timeline"),
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

    @Test("`version` and `--version` print the tool's own version; behind a command, `--version` is SKAdNetwork's")
    func version() async throws {
        let day = String(decoding: try TestEnvironment.file("public-suffix-list/date"), as: UTF8.self)
        for arguments in [["version"], ["--version"]] {
            let version = try await Tool.run(arguments)
            #expect(version.code == 0 && version.errors == "")
            #expect(version.output == "0.2.0\nPublic Suffix List of \(day)")
        }
        #expect(try await Tool.adsign("simulate", "--version").code == 64)
        #expect(try await Tool.adsign("nonsense").code == 64)
    }

    @Test("A link is not written through, and what the shell names is written to")
    func outputLinks() async throws {
        let folder = try Scratch()
        for curve in ["p192", "p256"] {
            #expect(try await Tool.adsign("keygen", "--curve", curve, "--out", folder["\(curve).pem"]).code == 0)
        }
        try folder.write("mine", "mine")
        try FileManager.default.createSymbolicLink(atPath: folder["link"], withDestinationPath: folder["mine"])
        let simulate = [
            "simulate", "--timeline", "--seed", "1", "--days", "2", "--installs-a-day", "20", "--key",
            folder["p192.pem"], "--key", folder["p256.pem"], "--truth",
        ]
        let link = try await Tool.run(simulate + [folder["link"]])
        #expect(link.code == 66 && link.errors.contains("link is a symbolic link"), "\(link.errors)")
        #expect(try folder.read("mine") == "mine")
        let device = try await Tool.run(simulate + ["/dev/stderr"])
        #expect(device.code == 0 && device.errors.hasPrefix("{"), "\(device.errors)")
    }

    @Test("Escape sequences in names of files, arguments and inputs do not reach the terminal")
    func escapeSequences() async throws {
        let folder = try Scratch()
        let name = "a\u{1B}[2J\u{9B}31m\u{202E}b"
        let shown = #"a\u001b[2J\u009b31m\u202eb"#
        try folder.write("input", #"{"version":"\#u{9B}\#u{202E}","x":"\#u{1B}"}"# + "\n")
        #expect(try await Tool.adsign("keygen", "--out", folder["key.pem"]).code == 0)
        let results = [
            try await Tool.adsign("verify", "--public-key", folder[name]), try await Tool.adsign(name),
            try await Tool.adsign("keygen", "--out", folder[name]), try await Tool.adsign("keygen", "--curve", name),
            try await Tool.adsign("check-endpoint", "https://127.0.0.1/" + name),
        ]
        for result in results {
            let text = result.output + result.errors
            #expect(text.contains(shown), "\(text)")
            #expect(!text.unicodeScalars.contains { ["\u{1B}", "\u{9B}", "\u{202E}"].contains($0) })
        }
        // Here the value is shown in another way, or not at all.
        for result in [
            try await Tool.adsign("verify-postback", "--explain", folder["input"]),
            try await Tool.adsign("sign", "--key", folder["key.pem"], "--version", name),
        ] {
            #expect(result.code != 0)
            #expect(
                !(result.output + result.errors).unicodeScalars.contains {
                    ["\u{1B}", "\u{9B}", "\u{202E}"].contains($0)
                })
        }
    }
}
