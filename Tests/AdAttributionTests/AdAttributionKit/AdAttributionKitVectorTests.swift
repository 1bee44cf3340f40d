import Foundation
import TestSupport
import Testing

@testable import AdAttribution

/// The postbacks and the impression of Apple's AdAttributionKit documentation.
@Suite("AdAttributionKit vectors")
struct AdAttributionKitVectorTests {
    static let postbacks = ((try? AdAttributionKitVector.fixtures()) ?? []).filter { $0.body != nil }

    @Test("The postbacks give the signed bytes, the fields and the verdict of the vector", arguments: postbacks)
    func postback(_ vector: AdAttributionKitVector) throws {
        let body = try #require(vector.body)
        let postback = try body.parsed()
        #expect(postback.signedMessage.bytes == vector.signedMessage)
        #expect(postback.body == body.bytes)
        let text = { (key: String) in vector.payload[key]?.replacing("\"", with: "") }
        #expect(postback.adNetworkID.text == text("ad-network-identifier"))
        #expect(postback.transactionID.text == text("postback-identifier"))
        #expect(postback.campaign.text == text("source-identifier"))
        #expect("\(postback.advertisedAppID.value)" == text("advertised-item-identifier"))
        #expect((postback.source?.appID?.value).map { "\($0)" } == text("publisher-item-identifier"))
        #expect("\(postback.didWin)" == text("did-win"))
        #expect("\(postback.sequenceIndex.value)" == text("postback-sequence-index"))
        #expect(postback.keyID == vector.keyID)
        #expect(postback.conversionType?.rawValue == text("conversion-type"))
        #expect(postback.marketplaceIdentifier?.text == text("marketplace-identifier"))
        #expect((postback.adInteractionType?.rawValue).map { "\"\($0)\"" } == body["ad-interaction-type"])
        #expect((postback.countryCode?.text).map { "\"\($0)\"" } == body["country-code"])
        let coarse = (postback.conversionValue.coarse?.rawValue).map { "\"\($0)\"" }
        #expect(coarse == body["coarse-conversion-value"])
        #expect((postback.conversionValue.fine?.value).map { "\($0)" } == body["conversion-value"])

        let key = try VerificationKey(#require(vector.publicKey))
        #expect(key.isValid(signature: postback.signature, for: postback.signedMessage.bytes) == vector.verifies)
        let verifier = PostbackVerifier(keyRing: try .of(networks: ["test.skadnetwork"]))
        let refusal = verifier.rejection(of: postback)
        #expect(refusal?.reason == (vector.verifies ? nil : .invalidSignature))
        #expect(refusal?.checkedMessage == (vector.verifies ? nil : vector.signedMessage))
    }

    @Test("The genuine postback counts as `development`; its publisher is 0 and its header escapes a slash")
    func genuine() throws {
        let vector = try #require(Self.postbacks.first { $0.verifies })
        let verified = try PostbackVerifier(keyRing: .of(networks: [])).verify(#require(vector.body).parsed())
        #expect(verified.environment == .development)
        #expect(verified.signingKey == vector.keyID)
        let header = try TestJWS.bytes(base64URL: vector.jws.split(separator: ".")[0])
        #expect(String(decoding: header, as: UTF8.self).contains(#"identifier\/1"#))
        // Written anew, without the backslash, it is another text.
        let parts = vector.jws.split(separator: ".")
        let anew = TestJWS.base64URL(#"{"kid":"apple-development-identifier/1","alg":"ES256"}"#.utf8)
        let refusal = PostbackVerifier(keyRing: try .of(networks: []))
            .rejection(ofBody: AdAttributionKitBody.bytes(jws: "\(anew).\(parts[1]).\(parts[2])"))
        #expect(refusal?.reason == .invalidSignature)
    }

    @Test("Each field of the genuine payload with another legal value is refused")
    func changes() throws {
        let vector = try #require(Self.postbacks.first { $0.verifies })
        let parts = vector.jws.split(separator: ".").map(String.init)
        let header = try TestJWS.bytes(base64URL: parts[0])
        let plain = String(decoding: try TestJWS.bytes(base64URL: parts[1]), as: UTF8.self)
        let verifier = PostbackVerifier(keyRing: try .of(networks: ["test"]))
        for (old, new) in [
            ("85546EB7", "85546eb7"), ("85546EB7", "85546EB8"),
            (#"publisher-item-identifier":0"#, #"publisher-item-identifier":1"#),
            ("com.apple.AppStore", "com.apple.Appstore"), ("development.adattributionkit", "test.adattributionkit"),
            (#"did-win":true"#, #"did-win":false"#), (#"index":0"#, #"index":1"#), ("re-engagement", "redownload"),
            (#""1234""#, #""1235""#), (#""1234""#, #""234""#), ("10738027756", "10738027757"), (":true,", ": true,"),
        ] {
            let payload = plain.replacing(old, with: new)
            #expect(payload != plain, "\(old)")
            let jws = TestJWS(header: String(decoding: header, as: UTF8.self), payload: payload, signature: parts[2])
            let refusal = verifier.rejection(ofBody: AdAttributionKitBody.bytes(jws: jws.text))
            #expect(refusal?.reason == .invalidSignature, "\(new)")
            #expect(refusal?.checkedMessage == Array(jws.signedText.utf8))
        }
    }

    @Test("The impression is read, with every field; its key is not public")
    func impression() throws {
        let vector = try #require(try AdAttributionKitVector.fixtures().first { $0.body == nil })
        let signed = try SignedAdAttributionKitImpression(compactJWS: vector.jws)
        let impression = signed.impression
        #expect(impression.adNetworkIdentifier.text == "example.adattributionkit")
        #expect(impression.impressionIdentifier.text == "544b8fad-0ad5-4434-98b2-327113af84db")
        #expect(impression.publisherItemIdentifier.value == 5_838_492)
        #expect(impression.sourceIdentifier.text == "5239")
        #expect(impression.timestamp.milliseconds == 1_719_599_957_239)
        #expect(impression.advertisedItemIdentifier.value == 1_108_187_390)
        #expect(impression.eligibleForReengagement == true)
        #expect(impression.environment == .production)
        #expect(signed.compactJWS == vector.jws)
        #expect(try !signed.isValid(under: SigningKey.generate().publicKey))
    }

    @Test("Every entry of the fixtures is read")
    func coverage() throws {
        #expect(Self.postbacks.count == 2)
        #expect(try AdAttributionKitVector.fixtures().count == 3)
    }

    @Test(
        "The shared vectors are those of the fixtures",
        .enabled(if: VectorFile.isShared("adattributionkit.json"), "the shared vectors are not here"))
    func sharedVectors() throws {
        let shared = try VectorFile.shared("adattributionkit.json").map(AdAttributionKitVector.init)
        #expect(try shared.map(\.jws) == AdAttributionKitVector.fixtures().map(\.jws))
    }
}
