import AdAttribution
import AppStoreData
import TestSupport
import Testing

@testable import AppStoreClient

@Suite("Tokens of Apple's API", .ownThread)
struct StoreAPITokenTests {
    @Test("A token has the header and the claims that Apple asks for, and the developer's signature")
    func content() async throws {
        let credentials = try TestAPI.credentials.get()
        try await TestAPI.with(react: { _, _ in json(#"{"testNotificationToken":"a"}"#) }) { api in
            _ = try await api.client.requestTestNotification()
            let token = try ReadToken(authorization: api.tokens[0], key: credentials.key.publicKey)
            #expect(token.header == ["alg": "ES256", "kid": "2X9R4HXF34", "typ": "JWT"])
            let issued = try #require(token.claims["iat"] as? Int)
            let end = try #require(token.claims["exp"] as? Int)
            #expect(Int64(issued) == api.clock.now / 1_000 && end > issued && end - issued <= 3_600)
            #expect(token.claims["iss"] as? String == "57246542-96fe-1a63-e053-0824d011072a")
            #expect(token.claims["aud"] as? String == "appstoreconnect-v1")
            #expect(token.claims["bid"] as? String == "com.example")
            #expect(token.claims.count == 5)
        }
    }

    @Test("A token is used again until a minute before its end, and not after the clock was set back")
    func reuse() async throws {
        try await TestAPI.with(react: { _, _ in json(#"{"testNotificationToken":"a"}"#) }) { api in
            for seconds in [0, 1_139, 1, -2, 1] as [Int64] {
                api.clock.move(seconds: seconds)
                _ = try await api.client.requestTestNotification()
            }
            let tokens = api.tokens
            try #require(tokens.count == 5)
            #expect(tokens[0] == tokens[1] && tokens[1] != tokens[2] && tokens[2] != tokens[3])
            #expect(tokens[3] == tokens[4])
        }
    }

    @Test("Nothing shows a token, and a key on another curve signs none")
    func secrecy() throws {
        let credentials = try TestAPI.credentials.get()
        let token = try StoreAPIToken(credentials, at: 1)
        var dumped = "\(token)"
        dump(token, to: &dumped)
        #expect(!dumped.contains(token.text.suffix(20)))
        let other = StoreAPICredentials(
            bundleID: "com.example", issuerID: "i", keyID: "k", key: try SigningKey.generate(.p192))
        #expect(throws: KeyError.wrongCurve) { try StoreAPIToken(other, at: 1) }
    }

    @Test(
        "Another server than Apple's must be on this machine",
        arguments: [
            "http://127.0.0.1", "http://127.0.0.1:0", "http://127.0.0.1:+80", "http://127.0.0.1:80/",
            "http://127.0.0.1:65536", "http://127.0.0.1:80@receiver.example", "http://localhost:80",
            "http://receiver.example:80", "https://127.0.0.1:80", "http://127.0.0.1:080", "",
        ])
    func address(text: String) {
        #expect(StoreAPIAddress(loopback: text) == nil)
        #expect(StoreAPIAddress(loopback: "http://[::1]:8080")?.url == "http://[::1]:8080")
        #expect(StoreAPIAddress(.production).url == "https://api.storekit.apple.com")
        #expect(StoreAPIAddress(.sandbox).url == "https://api.storekit-sandbox.apple.com")
    }
}
