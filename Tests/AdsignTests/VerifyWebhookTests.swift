import Destinations
import Foundation
import Testing

@Suite(
    "Verifying forwarded requests", .enabled(if: Tool.adsign != nil, "no adsign in TEST_BIN_DIR or beside the tests"))
struct VerifyWebhookTests {
    private static let hmac = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private static let ed25519 = "whsk_VEVTVFNJR05JTkdLRVlET05PVFVTRVRISVNGT1JBTlk="
    private static let ed25519Public = "whpk_ZlN4eg7dSSqi0moX9hQUk3orrOouK3QVQSlJa248c/g="
    private static let body = #"{"version":"3.0"}"#

    private let folder: Scratch
    private let headers: [HeaderField]

    /// A request signed now under both keys, and its files.
    init() throws {
        folder = try Scratch()
        for (name, text) in [
            ("hmac", Self.hmac), ("ed25519", Self.ed25519), ("ed25519.pub", Self.ed25519Public),
            ("stranger", "whsec_\(String(repeating: "A", count: 32))"),
        ] {
            try folder.write(name, text + "\n")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder[name])
        }
        let names = try ["a", "b"].map { try #require(SecretName($0)) }
        let request = PreparedRequest(
            method: .post, url: "https://receiver.example/", headers: [], body: Array(Self.body.utf8),
            webhookID: "pb_0-1-2", signing: names)
        let secrets = try [Self.hmac, Self.ed25519].map { try #require(Secret(file: Array($0.utf8))) }
        headers = try request.signed(
            with: Dictionary(uniqueKeysWithValues: zip(names, secrets)), at: Int64(Date().timeIntervalSince1970)
        ).headers
        try folder.write("headers", head(headers))
    }

    private func head(_ headers: [HeaderField]) -> String {
        "POST / HTTP/1.1\r\nHost: receiver.example\r\n"
            + headers.map { "\($0.name.capitalized):  \($0.value)\t\r\n" }.joined() + "\r\nnot a header"
    }

    /// Verifies the request, which may be as old as a test can take to come here.
    private func verify(
        _ keys: [String], _ options: [String] = ["--tolerance", "86400"], body: String = Self.body
    ) async throws -> Tool.Result {
        try await Tool.run(
            ["verify-webhook"] + keys.flatMap { ["--key", folder[$0]] } + ["--headers", folder["headers"]] + options,
            input: body)
    }

    @Test(
        "Each of the keys verifies the request, and the verdict names its file",
        arguments: ["hmac", "ed25519", "ed25519.pub"])
    func valid(_ key: String) async throws {
        for keys in [[key], ["stranger", key]] {
            let result = try await verify(keys)
            #expect(result.code == 0, "\(result.errors)")
            let verdict = try object(result.output)
            #expect(verdict["verdict"] as? String == "valid")
            #expect(verdict["webhook-id"] as? String == "pb_0-1-2")
            #expect(verdict["key"] as? String == folder[key])
            #expect(verdict["detail"] is NSNull)
            #expect(result.errors.isEmpty)
        }
    }

    @Test("Headers may be options, and the body a file")
    func options() async throws {
        try folder.write("body", Self.body)
        let values = Dictionary(uniqueKeysWithValues: headers.map { ($0.name, $0.value) })
        var arguments = ["verify-webhook", "--key", folder["hmac"]]
        for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
            arguments += ["--\(name)", try #require(values[name])]
        }
        #expect(try await Tool.run(arguments + [folder["body"]]).code == 0)
        #expect(try await Tool.run(arguments + ["--headers", folder["headers"]], input: Self.body).code == 64)
        #expect(try await Tool.run(Array(arguments.dropLast(2)), input: Self.body).code == 64)
    }

    @Test("Another key and another body are invalid, with code 1")
    func invalid() async throws {
        for result in [try await verify(["stranger"]), try await verify(["hmac", "ed25519"], body: Self.body + "\n")] {
            #expect(result.code == 1)
            let verdict = try object(result.output)
            #expect(verdict["verdict"] as? String == "invalid_signature")
            #expect(verdict["key"] is NSNull)
            #expect(verdict["detail"] as? String == "webhook-signature: no signature is one under the keys")
        }
    }

    @Test("A time beyond the tolerance is invalid, unless any time is allowed")
    func tolerance() async throws {
        let old = headers.map { $0.name == "webhook-timestamp" ? HeaderField(name: $0.name, value: "1614265330") : $0 }
        try folder.write("headers", head(old))
        let result = try await verify(["hmac"], [])
        #expect(result.code == 1)
        #expect(try (object(result.output)["detail"] as? String)?.hasPrefix("webhook-timestamp: is ") == true)
        let anyTime = try await verify(["hmac"], ["--tolerance", "any"])
        #expect(
            try object(anyTime.output)["detail"] as? String == "webhook-signature: no signature is one under the keys")
        for wrong in ["-1", "86401", "1.5", "all"] {
            #expect(try await verify(["hmac"], ["--tolerance=\(wrong)"]).code == 64, "\(wrong)")
        }
    }

    @Test("A header that is missing, stands twice or is none has code 65")
    func wrongHeaders() async throws {
        for (head, rule) in [
            ("", "headers: webhook-id is missing"),
            ("webhook-id: a\nwebhook-timestamp: 1\n", "headers: webhook-signature is missing"),
            ("webhook-id: a\nWebhook-ID: b\n", "headers: line 2: webhook-id stands twice"),
            ("webhook-id\n", "headers: line 1: must be a name, a colon and a value"),
            ("POST / HTTP/1.1\n\u{1B}[2J", "headers: line 2: must be a name, a colon and a value"),
        ] {
            try folder.write("headers", head)
            let result = try await verify(["hmac"])
            #expect(result.code == 65)
            #expect(result.errors == "adsign: \(rule)\n")
        }
    }

    @Test("A file that is no key has code 65, and no message shows it; a secret that others can read has a warning")
    func keys() async throws {
        try folder.write("wrong", "whsec_c2VjcmV0")
        let wrong = try await verify(["wrong"])
        #expect(wrong.code == 65)
        #expect(wrong.errors.contains("must be whsec_ and base64 of 24 to 64 bytes") && !wrong.errors.contains("c2V"))
        #expect(try await verify(["none"]).code == 66)
        for (name, isSecret) in [("hmac", true), ("ed25519.pub", false)] {
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder[name])
            let result = try await verify([name])
            #expect(result.code == 0)
            #expect(result.errors.contains("run chmod 600 on it") == isSecret)
        }
    }
}
