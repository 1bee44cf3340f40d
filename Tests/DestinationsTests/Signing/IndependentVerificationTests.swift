import Destinations
import Encodings
import Foundation
import TestSupport
import Testing

/// What we sign, verified by code that is not ours: `standardwebhooks` and `cryptography` of PyPI, and our example in
/// Python.
@Suite("Signatures, to others", .enabled(if: TestEnvironment.python != nil, TestEnvironment.reason))
struct IndependentVerificationTests {
    private static let keys = (
        oldHMAC: StandardWebhooksTests.hmac,
        newHMAC: "whsec_" + Base64.encode(Array(1...64)),
        oldEd25519: StandardWebhooksTests.ed25519,
        newEd25519: "whsk_nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A="
    )
    private static let publicKeys = (
        old: StandardWebhooksTests.ed25519Public, new: "whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
    )
    private static let stranger = (
        hmac: "whsec_" + Base64.encode(Array(2...65)), ed25519: "whpk_/FHNjmIYoaONpH7QAjDwWAgW7RO6MwOsXeuRFUiQgCU="
    )

    /// Prints for each key whether the request verifies under it.
    private static let script = """
        import base64, json, sys
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        from standardwebhooks import Webhook, WebhookVerificationError
        request = json.load(sys.stdin)
        headers, body = request["headers"], base64.b64decode(request["body"])
        def symmetric(key):
            try:
                Webhook(key).verify(body, headers)
                return True
            except WebhookVerificationError:
                return False
        def asymmetric(key):
            public = Ed25519PublicKey.from_public_bytes(base64.b64decode(key.removeprefix("whpk_")))
            content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
            for entry in headers["webhook-signature"].split(" "):
                if entry.startswith("v1a,"):
                    try:
                        public.verify(base64.b64decode(entry[4:], validate=True), content)
                        return True
                    except InvalidSignature:
                        pass
            return False
        print(json.dumps([(asymmetric if key.startswith("whpk_") else symmetric)(key) for key in request["keys"]]))
        """

    private let request: PreparedRequest
    private let secrets: [SecretName: Secret]
    private let body: [UInt8]

    /// A genuine postback with members inserted, as it is sent while both keys are rotated.
    init() throws {
        let destination = try Destination(members: [
            "body": #""enriched""#, "add": #"{"partner-campaign-name": "{campaign-name}"}"#,
            "sign": #"["hmac.old", "hmac.new", "ed25519.old", "ed25519.new"]"#,
        ])
        let prepared = try destination.request(for: .genuine())
        let known = try [SecretName: Secret].files([
            "hmac.old": Self.keys.oldHMAC, "hmac.new": Self.keys.newHMAC, "ed25519.old": Self.keys.oldEd25519,
            "ed25519.new": Self.keys.newEd25519,
        ])
        let signed = try prepared.signed(with: known, at: 0)
        request = prepared
        secrets = known
        body = try #require(signed.body)
    }

    /// The headers of the request, signed now: each program that verifies it refuses one that is five minutes old.
    private func headers() throws -> [String: String] {
        let signed = try request.signed(with: secrets, at: Int64(Date().timeIntervalSince1970))
        return Dictionary(uniqueKeysWithValues: signed.headers.map { ($0.name, $0.value) })
    }

    private func python(_ arguments: [String], input: [UInt8]) async throws -> ChildProcess.Result {
        try await ChildProcess.run(
            try #require(TestEnvironment.python), arguments,
            environment: ProcessInfo.processInfo.environment.merging(["PYTHONDONTWRITEBYTECODE": "1"]) { $1 },
            input: Data(input))
    }

    private func verdicts(_ keys: [String], body: [UInt8]) async throws -> [Bool] {
        let input: [String: Any] = ["headers": try headers(), "body": Base64.encode(body), "keys": keys]
        let result = try await python(
            ["-c", Self.script], input: Array(try JSONSerialization.data(withJSONObject: input)))
        #expect(result.code == 0, "\(String(decoding: result.errors, as: UTF8.self))")
        return try #require(try JSONSerialization.jsonObject(with: result.output) as? [Bool])
    }

    @Test("During a rotation receivers with the old key and with the new one verify, with HMAC and with Ed25519")
    func rotation() async throws {
        let trusted = [Self.keys.oldHMAC, Self.keys.newHMAC, Self.publicKeys.old, Self.publicKeys.new]
        let strangers = [Self.stranger.hmac, Self.stranger.ed25519]
        #expect(try await verdicts(trusted + strangers, body: body) == [true, true, true, true, false, false])
        #expect(try await verdicts(trusted, body: body + [0x20]) == [false, false, false, false])
    }

    @Test("The example in Python verifies under each of the keys, and refuses another key and another body")
    func example() async throws {
        func isGenuine(_ keys: [String], body: [UInt8], before others: String = "") async throws -> Bool {
            let script = TestEnvironment.root + "examples/verify_webhook.py"
            let headers = try self.headers()
            var fields = ["webhook-id", "webhook-timestamp", "webhook-signature"].map { headers[$0] ?? "" }
            fields[2] = others + fields[2]
            let result = try await python([script] + fields + keys, input: body)
            #expect(result.code == 0 || String(decoding: result.errors, as: UTF8.self) == "not genuine\n")
            return result.code == 0
        }
        for key in [Self.keys.oldHMAC, Self.keys.newHMAC, Self.publicKeys.old, Self.publicKeys.new] {
            #expect(try await isGenuine([key], body: body))
            #expect(try await isGenuine([Self.stranger.hmac, key], body: body))
            #expect(try await !isGenuine([key], body: body + [0x20]))
        }
        #expect(try await !isGenuine([Self.stranger.hmac, Self.stranger.ed25519], body: body))
        #expect(try await isGenuine([Self.keys.newHMAC], body: body, before: "v9,abcde "), "of a version to come")
    }
}
