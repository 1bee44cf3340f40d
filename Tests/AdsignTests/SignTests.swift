import Foundation
import Testing

@Suite("Signing", .enabled(if: Tool.adsign != nil, "no adsign in TEST_BIN_DIR or beside the tests"))
struct SignTests {
    let folder: Scratch

    init() async throws {
        folder = try Scratch()
        _ = try await Tool.openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", folder["key.pem"])
        _ = try await Tool.openssl("pkey", "-in", folder["key.pem"], "-pubout", "-out", folder["pub.pem"])
    }

    private static let good: [String: String] = [
        "--ad-network-id": "example123.skadnetwork", "--source-identifier": "5239", "--itunes-item-id": "525463029",
        "--source-app-id": "1234567891", "--fidelity-type": "1",
    ]

    /// Signs with the good options but for the changes; nil leaves one out.
    private func sign(_ changes: [String: String?] = [:]) async throws -> Tool.Result {
        var options = Self.good
        for (name, value) in changes { options[name] = value }
        var arguments = ["sign", "--key", folder["key.pem"]]
        for (name, value) in options { arguments += [name, value] }
        return try await Tool.run(arguments)
    }

    /// What `openssl dgst -verify` says of the values joined by U+2063.
    private func openssl(_ values: [String], _ signed: [String: Any]) async throws -> String {
        try folder.write("message", values.joined(separator: "\u{2063}"))
        let text = try #require(signed["signature"] as? String)
        let signature = try #require(Data(base64Encoded: text))
        try signature.write(to: URL(fileURLWithPath: folder["signature"]))
        return try await Tool.openssl(
            "dgst", "-sha256", "-verify", folder["pub.pem"], "-signature", folder["signature"], folder["message"]
        ).output
    }

    @Test(
        "openssl verifies an app ad of 4.0 over the documented string; a nonce in upper case is changed to lower case")
    func opensslVerifiesAppAd() async throws {
        let result = try await sign([
            "--nonce": "B7C9DA2B-15C7-4F3B-9326-135F9630033D", "--timestamp": "1676057605705",
        ])
        #expect(result.code == 0)
        let signed = try object(result.output)
        #expect(signed["nonce"] as? String == "b7c9da2b-15c7-4f3b-9326-135f9630033d")
        #expect(signed["source-identifier"] as? Int == 5239)
        #expect(signed["timestamp"] as? Int == 1_676_057_605_705)
        let values = [
            "4.0", "example123.skadnetwork", "5239", "525463029", "b7c9da2b-15c7-4f3b-9326-135f9630033d",
            "1234567891", "1", "1676057605705",
        ]
        #expect(try await openssl(values, signed).contains("Verified OK"))
        #expect(try await !openssl(values.reversed(), signed).contains("Verified OK"))
    }

    @Test("openssl verifies a web ad of 4.0 and an impression of 2.0")
    func opensslVerifiesOthers() async throws {
        let nonce = "431a2487-3302-4ee7-9eb5-4243d4607672"
        let web = try await sign([
            "--source-app-id": nil, "--source-domain": "example.com", "--fidelity-type": nil,
            "--nonce": nonce, "--timestamp": "1676057605705",
        ])
        #expect(
            try await openssl(
                ["4.0", "example123.skadnetwork", "5239", "525463029", nonce, "example.com", "1", "1676057605705"],
                try object(web.output)
            ).contains("Verified OK"))
        let second = try await sign([
            "--version": "2.0", "--source-identifier": nil, "--campaign-id": "42",
            "--fidelity-type": nil, "--nonce": nonce, "--timestamp": "1676057605705",
        ])
        #expect(
            try await openssl(
                ["2.0", "example123.skadnetwork", "42", "525463029", nonce, "1234567891", "1676057605705"],
                try object(second.output)
            ).contains("Verified OK"))
    }

    @Test("A missing nonce and timestamp are made, and verify says valid")
    func makesNonceAndTimestamp() async throws {
        let before = Int(Date().timeIntervalSince1970 * 1_000)
        let first = try await sign()
        let second = try await sign()
        let signed = try object(first.output)
        let timestamp = try #require(signed["timestamp"] as? Int)
        #expect((before...before + 60_000).contains(timestamp))
        #expect(try object(second.output)["nonce"] as? String != signed["nonce"] as? String)
        let verified = try await Tool.adsign("verify", "--public-key", folder["pub.pem"], input: first.output)
        #expect(verified.code == 0)
        #expect(verified.output == "{\"line\":1,\"verdict\":\"valid\"}\n")
    }

    @Test(
        "An option without its value is refused, and takes neither the next option nor the next word",
        arguments: [
            (["--ad-network-id=", "--explain"], "--ad-network-id"),
            (["--ad-network-id", "--explain"], "--ad-network-id"),
            (["--ad-network-id=", "--format", "json"], "--ad-network-id"),
            (["--campaign-token=", "--provider-token=777"], "--campaign-token"),
            (["--campaign-id=", "--source-app-id=5"], "--campaign-id"), (["--nonce="], "--nonce"),
            (["--source-domain=", "example.com"], "--source-domain"), (["--passphrase-file=", "--explain"], "--pass"),
            (["--version"], "--version"), (["--timestamp", "--", "1676057605705"], "--timestamp"),
        ])
    func missingValue(_ words: [String], _ option: String) async throws {
        // Without the options that stand there already.
        let given = Self.good.filter { good in !words.contains { $0.hasPrefix(good.key) } }
        let result = try await Tool.run(
            ["sign", "--key", folder["key.pem"]] + given.flatMap { [$0.key, $0.value] } + words)
        #expect(result.code == 64 && result.output.isEmpty, "\(result.output)")
        #expect(result.errors.hasPrefix("Error: Missing value for '\(option)"), "\(result.errors)")
    }

    @Test("A value may begin with one dash, but not with two")
    func dashes() async throws {
        let one = try await sign(["--ad-network-id": "-a.skadnetwork"])
        #expect(one.code == 0, "\(one.errors)")
        #expect(try object(one.output)["ad-network-id"] as? String == "-a.skadnetwork")
        for text in ["--explain", "--"] {
            let two = try await Tool.adsign("sign", "--key", folder["key.pem"], "--ad-network-id=\(text)")
            #expect(two.code == 64 && two.output.isEmpty)
            #expect(two.errors.contains("--ad-network-id: its value must not begin with --"), "\(two.errors)")
        }
        let file = try await Tool.adsign("verify", "--public-key=", "impression.json")
        #expect(file.code == 64 && file.errors.hasPrefix("Error: Missing value for '--public-key'"), "\(file.errors)")
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        let changes: [String: String?]
        let says: [String]
        var testDescription: String { says.joined(separator: " ") }
    }

    @Test(
        "A wrong option ends with code 64 and names field, value and range",
        arguments: [
            Wrong(changes: ["--version": "2.0", "--campaign-id": "0"], says: ["campaign-id", "1 to 100", "\"0\""]),
            Wrong(
                changes: ["--version": "2.0", "--campaign-id": "101"], says: ["campaign-id", "1 to 100", "\"101\""]),
            Wrong(changes: ["--campaign-id": "-1"], says: ["campaign-id", "1 to 100", "\"-1\""]),
            Wrong(changes: ["--campaign-id": "01"], says: ["campaign-id", "1 to 100", "\"01\""]),
            Wrong(changes: ["--source-identifier": "10000"], says: ["source-identifier", "0 to 9999", "\"10000\""]),
            Wrong(changes: ["--timestamp": "1676057605"], says: ["timestamp", "13 digits", "\"1676057605\""]),
            Wrong(changes: ["--ad-network-id": "Example.SK"], says: ["ad-network-id", "lower case", "Example.SK"]),
            Wrong(changes: ["--nonce": "42"], says: ["nonce", "UUID", "\"42\""]),
            Wrong(changes: ["--fidelity-type": "2"], says: ["fidelity-type", "0", "1", "\"2\""]),
            Wrong(
                changes: ["--itunes-item-id": "9223372036854775808"], says: ["itunes-item-id", "9223372036854775807"]),
            Wrong(
                changes: ["--itunes-item-id": "0"], says: ["itunes-item-id", "1 to 9223372036854775807", "\"0\""]),
            Wrong(changes: ["--itunes-item-id": nil], says: ["itunes-item-id", "missing"]),
            Wrong(changes: ["--source-app-id": nil], says: ["source-app-id", "missing"]),
            Wrong(changes: ["--campaign-id": "42"], says: ["campaign-id", "version 4.0"]),
            Wrong(changes: ["--source-domain": "example.com"], says: ["source-domain", "source-app-id"]),
            Wrong(changes: ["--version": "9.9"], says: ["version", "4.0", "9.9"]),
            Wrong(changes: ["--format": "xml"], says: ["format", "xml", "json"]),
            Wrong(changes: ["--input": "x"], says: ["--input", "--batch"]),
        ])
    func wrongOption(_ wrong: Wrong) async throws {
        let result = try await sign(wrong.changes)
        #expect(result.code == 64)
        #expect(result.output.isEmpty)
        for text in wrong.says { #expect(result.errors.contains(text)) }
    }
}
