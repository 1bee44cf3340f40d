import Foundation
import Testing

@Suite("Simulating in time", .enabled(if: Tool.adsign != nil, "no adsign in TEST_BIN_DIR or beside the tests"))
struct TimelineCommandTests {
    let folder: Scratch

    init() async throws {
        folder = try Scratch()
        for curve in ["p192", "p256"] {
            _ = try await Tool.adsign("keygen", "--out", folder["\(curve).pem"], "--curve", curve)
            _ = try await Tool.adsign("public-key", "--key", folder["\(curve).pem"], "--out", folder["\(curve).pub"])
        }
    }

    private func simulate(_ options: [String]) async throws -> Tool.Result {
        let keys = ["--key", folder["p192.pem"], "--key", folder["p256.pem"]]
        return try await Tool.run(["simulate", "--timeline", "--seed", "7"] + keys + options)
    }

    @Test("Archive, truth and copies are the same for the same seed, and the archive verifies under the test keys")
    func writes() async throws {
        let options = ["--days", "4", "--installs-a-day", "40", "--truth"]
        let first = try await simulate(options + [folder["truth"], "--copies", folder["copies"]])
        let second = try await simulate(options + [folder["truth2"], "--copies", folder["copies2"]])
        #expect(first.code == 0 && first.errors.isEmpty && first.lines.count > 200)
        #expect(first.output == second.output)
        #expect(try folder.read("truth") == folder.read("truth2"))
        #expect(try folder.read("copies") == folder.read("copies2"))
        let truth = try folder.read("truth").split(separator: "\n").map { try object($0) }
        #expect(Set(truth.map { $0["ad-network-id"] as? String }).count == 3)
        let copies = try folder.read("copies").split(separator: "\n").count
        #expect(copies == truth.count { $0["did-win"] as? Bool == true && $0["version"] as? String != "1.0" })
        let verified = try await Tool.adsign(
            "verify-postback", "--public-key", folder["p192.pub"], "--public-key", "p256=\(folder["p256.pub"])",
            input: first.output)
        #expect(verified.code == 0, "\(verified.errors)")
    }

    @Test("Options stand over the file, and printed settings give the same lines")
    func settings() async throws {
        try folder.write("config.json", #"{"days":9,"installs-a-day":20,"versions":{"4.0":1},"retry-share":0}"#)
        let options = [
            "--config", folder["config.json"], "--days", "3", "--ad-network-id", "a.skadnetwork", "--app-id", "99",
            "--withhold-at-random", "1", "--delayed-share", "0.5", "--begin", "2026-01-05",
        ]
        let lines = try await simulate(options + ["--truth", folder["truth"]])
        let values = try lines.lines.map { try object($0) }
        #expect(Set(values.map { $0["ad-network-id"] as? String }) == ["a.skadnetwork"])
        #expect(Set(values.map { $0["app-id"] as? Int }) == [99])
        #expect(Set(values.map { $0["version"] as? String }) == ["4.0"])
        #expect(values.allSatisfy { $0["conversion-value"] == nil && $0["coarse-conversion-value"] == nil })
        let truth = try folder.read("truth").split(separator: "\n").map { try object($0) }
        // 2026-01-05, and three days later.
        let days = 1_767_571_200_000..<1_767_830_400_000
        #expect(truth.allSatisfy { days.contains($0["installed-at"] as? Int ?? 0) })
        let printed = try await simulate(options + ["--print-config"])
        #expect(printed.code == 0)
        try folder.write("printed.json", printed.output)
        #expect(try await simulate(["--config", folder["printed.json"]]).output == lines.output)
    }

    @Test("--until leaves out what arrives from that moment on, and changes nothing before it")
    func until() async throws {
        let options = ["--days", "9", "--installs-a-day", "30", "--truth", folder["truth"], "--copies"]
        let whole = try await simulate(options + [folder["copies"]])
        let copies = try folder.read("copies")
        // Four days and half of one, in milliseconds.
        let end = 1_783_252_800_000
        let begun = try await simulate(options + [folder["copies2"], "--until", "2026-07-05T12:00:00Z"])
        #expect(begun.code == 0 && begun.errors.isEmpty && begun.lines.count > 30)
        #expect(try begun.lines == whole.lines.filter { try receivedAt($0) < end })
        #expect(
            try folder.read("copies2").split(separator: "\n")
                == copies.split(separator: "\n").filter {
                    try receivedAt($0) < end
                })
    }

    private func receivedAt(_ line: some StringProtocol) throws -> Int {
        try #require(object(line)["received-at"] as? Int)
    }

    @Test("Schemes are written as a file for each model, one valid from the end of the other on")
    func schemes() async throws {
        try FileManager.default.createDirectory(atPath: folder["schemes"], withIntermediateDirectories: true)
        let result = try await simulate(["--days", "1", "--installs-a-day", "1", "--schemes", folder["schemes"]])
        #expect(result.code == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder["schemes"]).sorted()
        #expect(
            names == [
                "10738027756-0.json", "1234567891-0.json", "1588000001-0.json", "1588000001-1.json",
                "1588000002-0.json", "525463029-0.json", "525463029-1.json", "525463029-2.json",
            ])
        let validities = try (0...2).map { number in
            let scheme = try object(folder.read("schemes/525463029-\(number).json"))
            return "\(scheme["valid-from"] ?? "") \(scheme["valid-to"] ?? "")"
        }
        #expect(
            validities == [
                "2026-06-01T00:00:00Z 2026-08-01T00:00:00Z", "2026-08-01T00:00:00Z 2026-09-01T00:00:00Z",
                "2026-09-01T00:00:00Z ",
            ])
    }

    @Test(
        "Options that do not fit end with code 64, wrong settings in a file with 65, and name the option or setting",
        arguments: [
            (["--count", "3"], 64, "count"), (["--all"], 64, "all"), (["--raises", "0.1"], 64, "shares"),
            (["--days", "0"], 64, "days"), (["--withhold-at-random", "2"], 64, "privacy.share"),
            (["--truth", "x", "--copies", "x"], 64, "truth"), (["--until", "2026-07-05"], 64, "until"),
            (["--config", "/nonexistent"], 66, "/nonexistent"),
            (["--truth", "/nonexistent/x"], 66, "/nonexistent/x"), (["--schemes", "/nonexistent"], 66, "/nonexistent"),
        ] as [([String], Int32, String)])
    func refused(options: [String], code: Int32, name: String) async throws {
        let result = try await simulate(options)
        #expect(result.code == code && result.output.isEmpty)
        #expect(result.errors.contains(name), "\(result.errors)")
    }

    @Test(
        "Days that do not exist are refused, with and without notifications of the App Store",
        arguments: ["2026-13-01", "2026-02-30", "2025-02-29", "2026-04-31", "2026-1-1", "2026-01-01T00:00:00Z", "-1"])
    func days(_ day: String) async throws {
        let message = "adsign: begin: must be a day from 2002 to 2200, such as 2026-07-01, not \(day)\n"
        for command in [["--timeline", "--key", folder["p192.pem"]], ["--app-store", "2"]] {
            let result = try await Tool.run(
                ["simulate", "--seed", "7", "--key", folder["p256.pem"], "--begin", day] + command)
            #expect(result.code == 64 && result.output.isEmpty)
            #expect(result.errors == message, "\(result.errors)")
        }
    }

    @Test(
        "A moment that does not exist, or is written in another way, is refused",
        arguments: [
            "2026-02-30T12:00:00Z", "2025-02-29T12:00:00Z", "2026-02-28T24:00:00Z", "2026-02-28T12:60:00Z",
            "2026-02-28T12:00:00+02:00", "2026-2-8T12:00:00Z", "2026-02-28T12:00:00Zx", "2026-02-28T12:00:00",
        ])
    func moments(_ moment: String) async throws {
        let result = try await simulate(["--days", "1", "--installs-a-day", "1", "--until", moment])
        #expect(result.code == 64 && result.output.isEmpty)
        #expect(result.errors.contains("must be a moment in UTC such as 2026-09-30T12:00:00Z"), "\(result.errors)")
    }

    @Test("The last day of February in a leap year can be the first day")
    func leapDay() async throws {
        let options = ["--begin", "2028-02-29", "--days", "1", "--installs-a-day", "5"]
        let result = try await simulate(options + ["--until", "2028-03-31T23:59:59Z"])
        #expect(result.code == 0 && !result.lines.isEmpty, "\(result.errors)")
    }

    @Test("Settings need --timeline, a wrong file is named with the member, and a missing key with its curve")
    func others() async throws {
        let result = try await Tool.adsign(
            "simulate", "--seed", "1", "--count", "1", "--key", folder["p192.pem"], "--truth", "x")
        #expect(result.code == 64 && result.errors.contains("truth: needs --timeline"))
        try folder.write("config.json", #"{"privacy":{"mode":"crowd","dayz":3}}"#)
        let wrong = try await simulate(["--config", folder["config.json"]])
        #expect(wrong.code == 65 && wrong.errors.contains("config.json: privacy.dayz: is not a setting"))
        let key = try await Tool.adsign("simulate", "--timeline", "--seed", "1", "--key", folder["p192.pem"])
        #expect(key.code == 64 && key.errors.contains("P-256"))
    }
}
