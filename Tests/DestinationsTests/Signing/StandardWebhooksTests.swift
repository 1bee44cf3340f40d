import Destinations
import Testing

/// Vectors: the tests of the libraries of standard-webhooks/standard-webhooks, in JavaScript (HMAC) and Go (Ed25519).
@Suite("Signatures of Standard Webhooks")
struct StandardWebhooksTests {
    static let hmac = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    static let ed25519 = "whsk_VEVTVFNJR05JTkdLRVlET05PVFVTRVRISVNGT1JBTlk="
    static let ed25519Public = "whpk_ZlN4eg7dSSqi0moX9hQUk3orrOouK3QVQSlJa248c/g="

    private static let id = "msg_p5jXN8AQM9LWM0D4loKWxJek"
    private static let moment: Int64 = 1_614_265_330
    private static let body = Array(#"{"test": 2432232314}"#.utf8)
    private static let hmacSignature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    private static let ed25519Signature =
        "v1a,tQ9V2XOqn7jL/DQenEFpqIugdBVtiMmER5mhSkXBNwM0mkATuDe6KYYUuxqtaiHeYGb7KaaBRdM5WqyeFiL8Ag=="

    /// The request of the vectors, signed under the keys in their order.
    private func signed(_ keys: [String], body: [UInt8]? = Self.body) throws -> SignedRequest {
        let names = try keys.indices.map { try SecretName.of("key-\($0)") }
        let secrets = try zip(names, keys).map { ($0, try #require(Secret(file: Array($1.utf8)))) }
        let request = PreparedRequest(
            method: .post, url: "https://receiver.example/", headers: [], body: body, webhookID: Self.id,
            signing: names)
        return try request.signed(with: Dictionary(uniqueKeysWithValues: secrets), at: Self.moment)
    }

    private func verify(
        _ signatures: String, id: String = Self.id, timestamp: String = "\(Self.moment)", body: [UInt8] = Self.body,
        _ keys: [String], now: Int64 = Self.moment, tolerance: Int64? = 300
    ) throws -> Int {
        try StandardWebhooks.verify(
            signatures: signatures, id: id, timestamp: timestamp, body: body,
            keys: keys.map { try #require(WebhookKey($0)) }, now: now, tolerance: tolerance)
    }

    @Test("The vectors give their signatures, one for each key, in the order of the keys")
    func vectors() throws {
        for (keys, signature) in [
            ([Self.hmac], Self.hmacSignature), ([Self.ed25519], Self.ed25519Signature),
            ([Self.ed25519, Self.hmac], "\(Self.ed25519Signature) \(Self.hmacSignature)"),
        ] {
            #expect(
                try signed(keys).headers == [
                    HeaderField(name: "webhook-id", value: Self.id),
                    HeaderField(name: "webhook-timestamp", value: "1614265330"),
                    HeaderField(name: "webhook-signature", value: signature),
                ])
        }
    }

    @Test("A request without keys has an id and a time, and no signature")
    func unsigned() throws {
        #expect(try signed([]).headers.map(\.name) == ["webhook-id", "webhook-timestamp"])
    }

    @Test("A request without a body is signed over an empty one")
    func noBody() throws {
        let header = try #require(try signed([Self.hmac], body: nil).headers.last)
        #expect(try verify(header.value, body: [], [Self.hmac]) == 0)
    }

    @Test("One signature under one of the keys is enough; other signatures, versions and garbage are passed over")
    func oneIsEnough() throws {
        let other = "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc="
        let newer = "whsec_\(String(repeating: "A", count: 32))"
        let all = "v1 , v2,\(other.dropFirst(3)) v1,* \(other)  \(Self.hmacSignature) v1a,AA== \(Self.ed25519Signature)"
        #expect(try verify(all, [newer, Self.hmac]) == 1)
        #expect(try verify(all, [newer, Self.ed25519Public]) == 1)
        #expect(try verify(all, [Self.ed25519, newer]) == 0)
        #expect(throws: WebhookProblem.noMatch) { try verify(all, [newer]) }
        #expect(throws: WebhookProblem.noMatch) { try verify(other, [Self.hmac]) }
        // A signature counts for its own version only.
        let mistaken = "v1a,\(Self.hmacSignature.dropFirst(3))"
        #expect(throws: WebhookProblem.noMatch) { try verify(mistaken, [Self.hmac, Self.ed25519Public]) }
        #expect(throws: WebhookProblem.noMatch) { try verify("", [Self.hmac]) }
    }

    @Test("A changed body, id or time is refused", arguments: [hmac, ed25519Public])
    func changes(_ key: String) throws {
        let both = "\(Self.hmacSignature) \(Self.ed25519Signature)"
        #expect(try verify(both, [key]) == 0)
        for index in Self.body.indices {
            var body = Self.body
            body[index] ^= 0x20
            #expect(throws: WebhookProblem.noMatch) { try verify(both, body: body, [key]) }
        }
        #expect(throws: WebhookProblem.noMatch) { try verify(both, body: Self.body + [0x0A], [key]) }
        #expect(throws: WebhookProblem.noMatch) { try verify(both, id: Self.id + "a", [key]) }
        #expect(throws: WebhookProblem.noMatch) { try verify(both, timestamp: "1614265331", [key]) }
    }

    @Test("The time may be as far from now as the tolerance says")
    func times() throws {
        for shift: Int64 in [-300, 0, 300] {
            #expect(try verify(Self.hmacSignature, [Self.hmac], now: Self.moment + shift) == 0)
        }
        #expect(throws: WebhookProblem.tooOld(seconds: 301)) {
            try verify(Self.hmacSignature, [Self.hmac], now: Self.moment + 301)
        }
        #expect(throws: WebhookProblem.tooNew(seconds: 301)) {
            try verify(Self.hmacSignature, [Self.hmac], now: Self.moment - 301)
        }
        #expect(try verify(Self.hmacSignature, [Self.hmac], now: 0, tolerance: nil) == 0)
    }

    @Test(
        "A time that is not plain seconds is refused, also if it stands for the signed one",
        arguments: ["", "01614265330", " 1614265330", "1614265330.0", "+1614265330", "1e9", "-1", "1614265330123456"])
    func wrongTimes(_ text: String) throws {
        let problem = #expect(throws: WebhookProblem.self) {
            try verify(Self.hmacSignature, timestamp: text, [Self.hmac], tolerance: nil)
        }
        #expect(problem == (text == "01614265330" ? .noMatch : .wrongTimestamp))
    }

    @Test("An id with a full stop is refused, since what is signed could then be read in two ways")
    func ids() throws {
        let moved = Array("1.\(Self.moment).".utf8) + Self.body
        for (id, body) in [("", Self.body), ("msg.1", moved)] {
            #expect(throws: WebhookProblem.wrongID) { try verify(Self.hmacSignature, id: id, body: body, [Self.hmac]) }
        }
    }

    @Test("Not more than 32 signatures are tried")
    func many() throws {
        let thirtyTwo = String(repeating: "v1,AA== ", count: 31) + Self.hmacSignature
        #expect(try verify(thirtyTwo, [Self.hmac]) == 0)
        #expect(throws: WebhookProblem.tooManySignatures(limit: 32)) { try verify("v1,AA== " + thirtyTwo, [Self.hmac]) }
    }
}
