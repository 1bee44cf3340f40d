import Destinations
import Encodings
import Testing

@Suite("Keys and tokens of destinations")
struct WebhookKeyTests {
    private static func text(_ kind: String, _ count: Int) -> String {
        kind + Base64.encode([UInt8](repeating: 0xAB, count: count))
    }

    @Test("A key is its kind and base64 of the right number of bytes")
    func forms() {
        for (kind, counts) in [("whsec_", [24, 32, 64]), ("whsk_", [32]), ("whpk_", [32])] {
            for count in counts { #expect(WebhookKey(Self.text(kind, count)) != nil, "\(kind) \(count)") }
        }
        for (kind, counts) in [("whsec_", [0, 23, 65]), ("whsk_", [0, 31, 33, 64]), ("whpk_", [0, 31, 64])] {
            for count in counts { #expect(WebhookKey(Self.text(kind, count)) == nil, "\(kind) \(count)") }
        }
        let whole = StandardWebhooksTests.hmac
        for text in [
            "", "whsec", "whsec_*", String(whole.dropFirst(6)), whole + " ", "whsec_" + whole,
            "WHSEC\(whole.dropFirst(5))",
        ] {
            #expect(WebhookKey(text) == nil, "\(text)")
        }
    }

    @Test("A private key may have its public key behind it, and no other")
    func pair() throws {
        func bytes(_ text: String, _ prefix: Int) throws -> [UInt8] {
            try #require(Array(text.utf8.dropFirst(prefix)).withUnsafeBufferPointer { Base64.decode($0) })
        }
        let seed = try bytes(StandardWebhooksTests.ed25519, 5)
        let publicKey = try bytes(StandardWebhooksTests.ed25519Public, 5)
        #expect(WebhookKey("whsk_" + Base64.encode(seed + publicKey)) != nil)
        #expect(WebhookKey("whsk_" + Base64.encode(seed + publicKey.reversed())) == nil)
    }

    @Test("A secret is one line of text, with or without its end")
    func secrets() throws {
        let request = PreparedRequest(
            method: .get, url: "", headers: [HeaderField(name: "a", value: "{secret:t}")], body: nil, webhookID: "1",
            signing: [])
        for text in ["ab cü", "ab cü\n", "ab cü\r\n"] {
            let signed = try request.signed(with: .files(["t": text]), at: 0)
            #expect(signed.headers.first?.value == "ab cü")
        }
        let long = [UInt8](repeating: 0x61, count: Secret.maximumSize)
        #expect(Secret(file: long) != nil)
        for bytes: [UInt8] in [
            [], [0x0A], [0x0D, 0x0A], [0x61, 0], [0x61, 0x0A, 0x62], [0x61, 0x0A, 0x0A], [0xFF], long + [0x61],
        ] {
            #expect(Secret(file: bytes) == nil, "\(bytes.count) bytes")
        }
    }

    @Test("A secret that is missing, a token that is to sign and a public key that is to sign are named")
    func problems() throws {
        let request = PreparedRequest(
            method: .post, url: "https://receiver.example/{secret:token}", headers: [], body: nil, webhookID: "1",
            signing: [try .of("key")])
        let cases: [(KeyValuePairs<String, String>, String)] = [
            (["key": StandardWebhooksTests.hmac], "secret token is missing"),
            (["token": "t"], "secret key is missing"),
            (["token": "t", "key": "t"], "secret key must be \(WebhookKey.signingRule)"),
            (
                ["token": "t", "key": StandardWebhooksTests.ed25519Public],
                "secret key must be \(WebhookKey.signingRule)"
            ),
        ]
        for (texts, description) in cases {
            let problem = #expect(throws: SecretProblem.self) { try request.signed(with: .files(texts), at: 0) }
            #expect(problem.map { "\($0)" } == description)
        }
    }

    @Test("What a receiver repeats of a request has names in the places of secrets")
    func repeated() throws {
        let request = PreparedRequest(
            method: .get, url: "https://receiver.example/{secret:t}",
            headers: [HeaderField(name: "a", value: "{secret:u}")],
            body: nil, webhookID: "1", signing: [])
        let signed = try request.signed(with: .files(["t": "a+b/token", "u": "a+b/token-2"]), at: 0)
        for (answer, shown) in [
            ("", ""), ("nothing", "nothing"), ("no a+b/token.", "no {secret:t}."),
            ("/a%2Bb%2Ftoken: a+b/token-2", "/{secret:t}: {secret:u}"),
            ("a+b/token-2a+b/token", "{secret:u}{secret:t}"),
            // It was cut off.
            ("wrong: a+b/tok", "wrong: {secret:u}"), ("wrong: a+b", "wrong: a+b"),
        ] {
            #expect(String(decoding: signed.withoutSecrets(Array(answer.utf8)), as: UTF8.self) == shown, "\(answer)")
        }
    }

    @Test("No description shows a secret, a key or a signed request")
    func silence() throws {
        for text in ["token-\(0xABAB)", Self.text("whsec_", 32), Self.text("whsk_", 32)] {
            let secrets = try [SecretName: Secret].files(["t": text])
            let request = PreparedRequest(
                method: .get, url: "https://receiver.example/{secret:t}", headers: [], body: nil, webhookID: "1",
                signing: [])
            let signed = try request.signed(with: secrets, at: 0)
            var shown = "\(secrets) \(String(reflecting: secrets)) \(signed) \(String(reflecting: signed)) \(request)"
            dump(secrets, to: &shown)
            dump(signed, to: &shown)
            if let key = WebhookKey(text) {
                dump(key, to: &shown)
                shown += "\(key)"
            }
            #expect(!shown.contains(text.suffix(6)) && !shown.contains("171"))
        }
    }
}
