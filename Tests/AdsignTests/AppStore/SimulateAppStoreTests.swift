import Foundation
import TestSupport
import Testing

@Suite(
    "The command that simulates the App Store",
    .enabled(if: Tool.adsign != nil, "no adsign in TEST_BIN_DIR or beside the tests"))
struct SimulateAppStoreTests {
    let folder: Scratch

    init() async throws {
        folder = try Scratch()
        _ = try await Tool.adsign("keygen", "--out", folder["root.pem"])
        _ = try await Tool.adsign("public-key", "--key", folder["root.pem"], "--out", folder["root.pub"])
        try folder.write("secret", "a-secret-of-the-simulation\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder["secret"])
    }

    private func simulate(_ options: [String]) async throws -> Tool.Result {
        try await Tool.run(["simulate", "--seed", "7", "--key", folder["root.pem"]] + options)
    }

    private func decoded(_ lines: [String]) throws -> [DecodedNotification] {
        try lines.map { try DecodedNotification(Array($0.utf8)) }
    }

    @Test("Lines, truth and history are the same for the same seed, and the truth counts both parts")
    func writes() async throws {
        let options = [
            "--app-store", "120", "--v1-share", "0.3", "--shared-secret-file", folder["secret"],
            "--missing-share", "0.1", "--repeated-share", "0.2",
            "--begin", "2026-03-01", "--days", "90", "--bundle-id", "com.example.mine",
        ]
        let first = try await simulate(
            options + ["--truth", folder["truth"], "--history", folder["history"], "--root", folder["root"]])
        let second = try await simulate(
            options + ["--truth", folder["truth2"], "--history", folder["history2"], "--output", folder["lines"]])
        #expect(first.code == 0 && second.code == 0, "\(first.errors) \(second.errors)")
        #expect(first.errors == "" && second.output == "")
        let lines = try decoded(first.lines)
        let again = try decoded(try folder.read("lines").split(separator: "\n").map(String.init))
        #expect(try lines.map { try $0.text() } == again.map { try $0.text() })
        #expect(try folder.read("truth") == folder.read("truth2"))
        let history = try folder.read("history").split(separator: "\n").map(String.init)
        let truth = try object(folder.read("truth"))
        #expect(truth["deliveries"] as? Int == lines.count && truth["undelivered"] as? Int == history.count)
        #expect(try Set(lines.map { try $0.text() }).count == truth["notifications"] as? Int)
        #expect(try decoded(history).allSatisfy { $0.payload["version"] as? String == "2.0" })
        let cells = try #require(truth["with_history"] as? [[String: Any]])
        #expect(Set(cells.map { $0["bundle_id"] as? String }) == ["com.example.mine"])
        #expect(Set(cells.map { $0["environment"] as? String }) == ["development", "test"])
        #expect(cells.allSatisfy { ($0["day"] as? String ?? "") >= "2026-03-01" })
    }

    @Test(
        "The root that is written has the given key and signs itself",
        .enabled("openssl is installed", OpenSSLCommand.isInstalled))
    func root() async throws {
        #expect(try await simulate(["--app-store", "1", "--root", folder["root"]]).code == 0)
        let verified = try await Tool.openssl("verify", "-CAfile", folder["root"], folder["root"])
        #expect(verified.code == 0, "\(verified.errors)")
        let key = try await Tool.openssl("x509", "-in", folder["root"], "-noout", "-pubkey")
        #expect(try key.lines == folder.read("root.pub").split(separator: "\n").map(String.init))
    }

    @Test(
        "Options that do not fit end with code 64, and name the option",
        arguments: [
            (["--app-store", "0"], "app-store"), (["--app-store", "9", "--count", "3"], "count"),
            (["--app-store", "9", "--timeline"], "timeline"), (["--app-store", "9", "--raises", "0.1"], "shares"),
            (["--app-store", "9", "--copies", "x"], "copies"), (["--app-store", "9", "--lines", "3"], "lines"),
            (["--app-store", "9", "--v1-share", "1"], "shared-secret-file"),
            (["--app-store", "9", "--refund-share", "2"], "refund-share"),
            (["--app-store", "9", "--truth", "x", "--root", "x"], "truth"),
            (["--app-store", "9", "--deliver", "http://127.0.0.1:1", "--output", "x"], "output"),
            (["--count", "9", "--history", "x"], "history: needs --app-store"),
            (["--count", "9", "--late-share", "0.1"], "needs --app-store"),
        ])
    func refused(options: [String], name: String) async throws {
        let result = try await simulate(options)
        #expect(result.code == 64 && result.output.isEmpty)
        #expect(result.errors.contains(name), "\(result.errors)")
    }
}
