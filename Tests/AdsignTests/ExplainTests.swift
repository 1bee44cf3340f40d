import AdAttribution
import Foundation
import TestSupport
import Testing

@Suite(
    "Explaining and verifying postbacks of every version",
    .enabled(if: Tool.adsign != nil, "no adsign in TEST_BIN_DIR or beside the tests"))
struct ExplainTests {
    private func vectors(_ name: String) throws -> [[String: Any]] {
        let file = try TestEnvironment.file("Tests/AdAttributionTests/Fixtures/\(name)")
        let entries = try #require(try JSONSerialization.jsonObject(with: Data(file)) as? [[String: Any]])
        return entries.filter { $0["postback"] is [String: Any] }
    }

    @Test(
        "Each of Apple's vectors gets the verdict, the signed bytes and the SHA-256 of its entry",
        arguments: ["skan-postbacks.json", "adattributionkit.json"])
    func appleVectors(_ name: String) async throws {
        let entries = try vectors(name)
        try #require(!entries.isEmpty)
        for entry in entries {
            let postback = try #require(entry["postback"])
            let body = String(decoding: try JSONSerialization.data(withJSONObject: postback), as: UTF8.self)
            let result = try await Tool.adsign("verify-postback", "--explain", input: body)
            let verifies = entry["verifies"] as? Bool == true
            #expect(result.code == (verifies ? 0 : 1))
            let verdict = try object(try #require(result.lines.last))
            #expect(verdict["verdict"] as? String == (verifies ? "valid" : "invalid_signature"))
            #expect(result.output.contains("bytes      \(try #require(entry["signed_utf8_hex"] as? String))\n"))
            #expect(result.output.contains("SHA-256    \(try #require(entry["signed_sha256"] as? String))\n"))
        }
    }

    @Test("A postback that verifies only without a source app id of 0 shows both strings, and says so")
    func relay() async throws {
        let keys = try TestKeys()
        let folder = try Scratch()
        try folder.write("load-test.pem", keys.postbackKey.publicKey.pem)
        let postback = TestPostback {
            $0.sourceAppID = nil
            $0.unsigned["source-app-id"] = "0"
        }
        let body = String(decoding: try postback.body(keys.postbackKey), as: UTF8.self)
        let result = try await Tool.adsign(
            "verify-postback", "--explain", "--public-key", folder["load-test.pem"], input: body)
        #expect(result.code == 0)
        let strings = result.lines.filter { $0.hasPrefix("string ") }
        #expect(strings.count == 2)
        #expect(strings[0].hasSuffix("·false·0"))
        #expect(strings[1].hasSuffix("·false"))
        let detail = try object(try #require(result.lines.last))["detail"] as? String
        #expect(detail?.hasPrefix("relay_normalised") == true)
    }

    @Test("A key of --public-key is tried for its name or, without a name, for every kid but Apple's")
    func keyNames() async throws {
        let keys = try TestKeys()
        let folder = try Scratch()
        try folder.write("key.pem", keys.postbackKeyP256.publicKey.pem)
        func verdict(_ option: String, kid: String) async throws -> [String: Any] {
            let postback = TestAdAttributionKitPostback { $0.keyID = kid }
            let body = String(decoding: try postback.body(keys.postbackKeyP256), as: UTF8.self)
            let result = try await Tool.adsign("verify-postback", "--public-key", option, input: body)
            return try object(try #require(result.lines.first))
        }
        let named = try await verdict("load-test=\(folder["key.pem"])", kid: "load-test")
        #expect(named["verdict"] as? String == "valid")
        #expect(named["key"] as? String == "load-test")
        #expect(named["environment"] as? String == "test")
        #expect(
            try await verdict("load-test=\(folder["key.pem"])", kid: "other")["verdict"] as? String
                == "invalid_signature")
        #expect(try await verdict(folder["key.pem"], kid: "other")["verdict"] as? String == "valid")
        #expect(
            try await verdict(folder["key.pem"], kid: "apple-cas-identifier/0")["verdict"] as? String
                == "invalid_signature")
        let apple = try await Tool.adsign(
            "verify-postback", "--public-key", "apple-cas-identifier/0=\(folder["key.pem"])", input: "{}")
        #expect(apple.code == 64)
    }

    @Test("Untrusted text can't control the terminal, and wrong input does not crash")
    func hostile() async throws {
        let keys = try TestKeys()
        var postback = TestAdAttributionKitPostback()
        postback.marketplaceIdentifier = "com.example\u{202E}\u{1B}[31m"
        // The payload is no JSON with a raw control character in it; the explanation of one that is escapes the rest.
        let broken = String(decoding: try postback.body(keys.postbackKeyP256), as: UTF8.self)
        let first = try await Tool.adsign("verify-postback", "--explain", input: broken)
        #expect(first.code == 65)
        postback.marketplaceIdentifier = "com.example\\u202e"
        let second = try await Tool.adsign(
            "verify-postback", "--explain",
            input: String(decoding: try postback.body(keys.postbackKeyP256), as: UTF8.self))
        #expect(second.code == 65)
        var random = SeededGenerator(seed: 3)
        let lines = (0..<300).map { _ in
            let length = Int.random(in: 0..<200, using: &random)
            return String(decoding: random.bytes(length), as: UTF8.self).replacing("\n", with: " ")
        }
        let fuzz = try await Tool.adsign("verify-postback", "--explain", input: lines.joined(separator: "\n"))
        #expect(fuzz.code == 65)
        for output in [first.output, second.output, fuzz.output] {
            #expect(!output.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x202E })
        }
    }
}
