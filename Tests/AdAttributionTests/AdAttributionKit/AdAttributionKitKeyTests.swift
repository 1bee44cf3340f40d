import Foundation
import TestSupport
import Testing

@testable import AdAttribution

/// Which key verifies an AdAttributionKit postback: the one that `kid` names, over the text as received, and no other.
@Suite("AdAttributionKit keys")
struct AdAttributionKitKeyTests {
    private func body(kid: String) -> AdAttributionKitBody {
        AdAttributionKitBody { $0.header = $0.header.setting("kid", "\"\(kid)\"") }
    }

    private func refusal(kid: String) throws -> PostbackRejection? {
        try AdAttributionKitBody.verifier().rejection(ofBody: body(kid: kid).bytes())
    }

    @Test(
        "A valid signature under the name of another key, or of an unknown key, is refused",
        arguments: [
            "apple-cas-identifier/0", "apple-development-identifier/0", "apple-development-identifier/1",
            "apple-skadnetwork-p192", "apple-cas-identifier/1", "unknown", "TEST/P256", "test/p256 ", "test",
            #"test/p256\u0000"#, "example123.adattributionkit",
        ])
    func otherName(_ kid: String) throws {
        let refusal = try refusal(kid: kid)
        #expect(refusal?.reason == .invalidSignature)
        #expect(refusal?.detail == "jws-string: the key that kid names does not verify it, or is not known")
    }

    @Test("The key of the ring is chosen by its name, among keys that would all be tried for SKAdNetwork")
    func ringKey() throws {
        let other = try SigningKey.generate()
        let same = try #require(AdAttributionKitBody.key).publicKey
        let verifier = try AdAttributionKitBody.verifier([
            PostbackKey(name: "other", environment: .test, key: other.publicKey),
            PostbackKey(name: "alias", environment: .development, key: same),
        ])
        #expect(try verifier.verify(body(kid: AdAttributionKitBody.keyID).parsed()).environment == .test)
        let alias = try verifier.verify(body(kid: "alias").parsed())
        #expect(alias.environment == .development)
        #expect(alias.signingKey == "alias")
        #expect(verifier.rejection(ofBody: try body(kid: "other").bytes())?.reason == .invalidSignature)
    }

    @Test("The name is compared byte for byte: names that are equal in Unicode are different")
    func byteForByte() throws {
        let key = try #require(AdAttributionKitBody.key).publicKey
        let verifier = try AdAttributionKitBody.verifier([
            PostbackKey(name: "Kelvin", environment: .test, key: key)
        ])
        #expect(try verifier.verify(body(kid: "Kelvin").parsed()).signingKey == "Kelvin")
        #expect(verifier.rejection(ofBody: try body(kid: #"\u212Aelvin"#).bytes())?.reason == .invalidSignature)
    }

    @Test("A key on P-192 verifies no JWS, even under its own name")
    func curve() throws {
        let p192 = try #require(PostbackForm.keys[.p192])
        let verifier = try AdAttributionKitBody.verifier([
            PostbackKey(name: "p192", environment: .test, key: p192.publicKey)
        ])
        let jws = TestJWS(header: body(kid: "p192").header.text, payload: AdAttributionKitBody().payload.text)
        let signed = try jws.signed(with: p192)
        let refusal = verifier.rejection(ofBody: AdAttributionKitBody.bytes(jws: signed.text))
        #expect(refusal?.reason == .invalidSignature)
    }

    @Test("An escaped slash in the name is a slash, and the text stays as it was signed")
    func escapedSlash() throws {
        let body = body(kid: #"test\/p256"#)
        let verified = try AdAttributionKitBody.verifier().verify(body.parsed())
        #expect(verified.signingKey == AdAttributionKitBody.keyID)
        // The same header in another spelling is another text.
        var other = try body.sealed()
        other.header = AdAttributionKitBody().header
        let refusal = try AdAttributionKitBody.verifier().rejection(ofBody: other.bytes())
        #expect(refusal?.reason == .invalidSignature)
    }

    @Test("The text is verified as received, with any spacing and order, and not encoded again")
    func receivedText() throws {
        let verifier = try AdAttributionKitBody.verifier()
        let key = try #require(AdAttributionKitBody.key)
        let payload = AdAttributionKitBody().payload.text
        let headers = [
            #"{"kid":"test/p256","alg":"ES256"}"#, #"{"alg":"ES256","kid":"test/p256"}"#,
            #" { "alg" : "ES256" , "kid" : "test/p256" } "#,
            "{\n\t\"kid\":\"test\\u002fp256\",\r\n\"alg\":\"ES256\"}\n",
        ]
        for header in headers {
            let jws = try TestJWS(header: header, payload: payload).signed(with: key)
            #expect(verifier.rejection(ofBody: AdAttributionKitBody.bytes(jws: jws.text)) == nil)
            for other in headers where other != header {
                let encodedAgain = TestJWS(header: other, payload: payload, signature: jws.signature)
                let refusal = verifier.rejection(ofBody: AdAttributionKitBody.bytes(jws: encodedAgain.text))
                #expect(refusal?.reason == .invalidSignature)
                #expect(refusal?.checkedMessage == Array(encodedAgain.signedText.utf8))
            }
            let spaced = TestJWS(header: header, payload: payload + " ", signature: jws.signature)
            let refusal = verifier.rejection(ofBody: AdAttributionKitBody.bytes(jws: spaced.text))
            #expect(refusal?.reason == .invalidSignature)
        }
    }

    @Test("R and S that begin with bytes of 0, or with a set bit, verify; one bit changed does not")
    func leadingZeros() throws {
        let verifier = try AdAttributionKitBody.verifier()
        var wanted: [(String, ([UInt8]) -> Bool)] = [
            ("R with 0", { $0[0] == 0 }), ("S with 0", { $0[32] == 0 }), ("R with a set bit", { $0[0] > 127 }),
            ("S with a set bit", { $0[32] > 127 }),
            ("neither", { (1..<128).contains($0[0]) && (1..<128).contains($0[32]) }),
        ]
        for _ in 0..<20_000 where !wanted.isEmpty {
            let jws = try AdAttributionKitBody().jws()
            let signature = try TestJWS.bytes(base64URL: jws.signature)
            guard let index = wanted.firstIndex(where: { $0.1(signature) }) else { continue }
            let (name, _) = wanted.remove(at: index)
            #expect(verifier.rejection(ofBody: AdAttributionKitBody.bytes(jws: jws.text)) == nil, "\(name)")
            for position in [0, 31, 32, 63] {
                var changed = signature
                changed[position] ^= 1
                var other = jws
                other.signature = TestJWS.base64URL(changed)
                let refusal = verifier.rejection(ofBody: AdAttributionKitBody.bytes(jws: other.text))
                #expect(refusal?.reason == .invalidSignature, "\(name), byte \(position)")
            }
        }
        #expect(wanted.isEmpty)
    }

    @Test("A publisher of 0 is never left out for a second attempt")
    func noRetry() throws {
        let verifier = try AdAttributionKitBody.verifier()
        let signed = try AdAttributionKitBody { $0.payload = $0.payload.removing("publisher-item-identifier") }.sealed()
        #expect(verifier.rejection(ofBody: try signed.bytes()) == nil)
        var filled = signed
        filled.payload = filled.payload.setting("publisher-item-identifier", "0")
        #expect(verifier.rejection(ofBody: try filled.bytes())?.reason == .invalidSignature)
        #expect(try filled.parsed().withoutFilledInSource == nil)
    }

    @Test(
        "Under Apple's production key a publisher of 0 is development, any other and none are production",
        arguments: [("0", AttributionEnvironment.development), ("1", .production), (nil, .production)]
            as [(String?, AttributionEnvironment)])
    func environment(_ publisher: String?, _ expected: AttributionEnvironment) throws {
        let body = AdAttributionKitBody {
            $0.payload = $0.payload.setting("publisher-item-identifier", publisher)
        }
        let postback = try body.parsed()
        #expect(try PostbackKey(.production).environment(of: postback) == expected)
        for apple in [AppleKey.development, .developerSettings] {
            #expect(try PostbackKey(apple).environment(of: postback) == .development)
        }
        // A key of the ring gives what the ring says, whatever the publisher.
        #expect(try AdAttributionKitBody.verifier().verify(postback).environment == .test)
    }
}
