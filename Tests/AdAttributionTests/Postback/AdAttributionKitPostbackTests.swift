import Foundation
import TestSupport
import Testing

@testable import AdAttribution

/// What AdAttributionKit's compact JWS covers, what it does not, and which key may have signed it.
@Suite("Postbacks of AdAttributionKit")
struct AdAttributionKitPostbackTests {
    private let keys: TestKeys

    init() throws {
        keys = try TestKeys()
    }

    /// A body around a JWS that is made of these texts and signed with this key.
    private func body(
        header: String = #"{"kid":"load-test-p256","alg":"ES256"}"#, payload: String, signedWith key: SigningKey? = nil,
        envelope: String = ""
    ) throws -> [UInt8] {
        let text =
            Base64.encode(Array(header.utf8), .urlSafe) + "." + Base64.encode(Array(payload.utf8), .urlSafe)
        let der = try (key ?? keys.postbackKeyP256).signature(of: Array(text.utf8))
        let raw = try #require(ECDSASignature.concatenated(der: der))
        return Array("{\"jws-string\":\"\(text).\(Base64.encode(raw, .urlSafe))\"\(envelope)}".utf8)
    }

    private static let members: [String: String] = [
        "postback-identifier": "\"85546EB7-FD39-44BC-8990-C98A4AC36A49\"", "publisher-item-identifier": "7",
        "marketplace-identifier": "\"com.apple.AppStore\"", "impression-type": "\"app-impression\"",
        "ad-network-identifier": "\"com.example\"", "did-win": "true", "postback-sequence-index": "0",
        "conversion-type": "\"download\"", "source-identifier": "\"1234\"", "advertised-item-identifier": "10738027756",
    ]

    private func payload(_ changes: [String: String?] = [:]) -> String {
        var members = Self.members
        for (name, json) in changes { members[name] = json }
        return "{\(members.sorted { $0.key < $1.key }.map { "\"\($0)\":\($1)" }.joined(separator: ","))}"
    }

    private func refusal(_ body: [UInt8]) -> PostbackRejection? {
        do throws(PostbackRejection) {
            _ = try keys.verifier.verify(Postback(parsing: body))
            return nil
        } catch {
            return error
        }
    }

    @Test("Apple's own vectors give the verdict and the signed bytes that their entry says")
    func vectors() throws {
        for entry in try VectorFile.fixture("adattributionkit.json") where entry["kind"] as? String == "aak-postback" {
            let body = try JSONSerialization.data(withJSONObject: try #require(entry["postback"]))
            let postback = try Postback(parsing: Array(body))
            let hex = try #require(entry["signed_utf8_hex"] as? String)
            #expect(try postback.signedMessage.bytes == [UInt8](hex: hex))
            #expect(postback.details.adAttributionKit?.keyID == entry["key"] as? String)
            let ring = try KeyRing.of(networks: ["test.skadnetwork"])
            let verifier = PostbackVerifier(keyRing: ring)
            guard entry["verifies"] as? Bool == true else {
                #expect(verifier.rejection(of: postback)?.reason == .invalidSignature)
                continue
            }
            let verified = try verifier.verify(postback)
            #expect(verified.environment == .development)
            #expect(verified.signingKey == "apple-development-identifier/1")
            #expect(postback.conversionValue == .none || postback.conversionValue.fine != nil)
            #expect(postback.details.adAttributionKit?.conversionType == .reengagement)
            #expect(postback.advertisedAppID.value == 10_738_027_756)
        }
    }

    @Test("every field is typed, and the envelope beside")
    func fields() throws {
        let envelope = #","ad-interaction-type":"view","conversion-value":63,"country-code":"SE","x":[1]"#
        let verified = try keys.verified(body(payload: payload(), envelope: envelope))
        let postback = verified.postback
        #expect(postback.attributionProtocol == .adAttributionKit)
        #expect(postback.version == nil)
        #expect(postback.campaign.text == "1234")
        #expect(postback.campaign.type == "source-identifier")
        #expect(postback.transactionID.text == "85546EB7-FD39-44BC-8990-C98A4AC36A49")
        #expect(postback.source?.appID?.value == 7)
        #expect(postback.didWin && postback.sequenceIndex == .first)
        #expect(postback.conversionValue.fine?.value == 63)
        #expect(postback.countryCode?.text == "SE")
        #expect(postback.details.adAttributionKit?.adInteractionType == .view)
        #expect(postback.details.adAttributionKit?.marketplaceIdentifier?.text == "com.apple.AppStore")
        #expect(verified.environment == .test)
        #expect(verified.signingKey == "load-test-p256")
        let bare = try keys.verified(
            body(payload: payload(["publisher-item-identifier": nil, "marketplace-identifier": nil])))
        #expect(bare.postback.source == nil)
        #expect(bare.postback.details.adAttributionKit?.marketplaceIdentifier == nil)
        #expect(bare.postback.details.adAttributionKit?.adInteractionType == nil)
    }

    @Test(
        "a payload with a field missing, out of range or of another type is malformed, by name",
        arguments: members.keys.sorted())
    func malformed(_ field: String) throws {
        let isOptional = ["publisher-item-identifier", "marketplace-identifier"].contains(field)
        let missing = refusal(try body(payload: payload([field: nil])))
        #expect(missing?.detail == (isOptional ? nil : "\(field): is missing"))
        for value in ["null", "[]", "-1", "1.5", "\"\"", "{}"] {
            let refusal = refusal(try body(payload: payload([field: value])))
            #expect(refusal?.reason == .malformed, "\(field) \(value)")
            #expect(refusal?.field == field)
        }
    }

    @Test("values of the envelope out of range are malformed, where they would count")
    func envelope() throws {
        for (name, json, isMalformed) in [
            ("conversion-value", "64", true), ("coarse-conversion-value", "\"x\"", true),
            ("ad-interaction-type", "\"tap\"", true), ("ad-interaction-type", "1", true), ("country-code", "7", false),
        ] {
            let refusal = refusal(try body(payload: payload(), envelope: ",\"\(name)\":\(json)"))
            #expect((refusal?.reason == .malformed) == isMalformed, "\(name)")
            if isMalformed { #expect(refusal?.field == name) }
        }
    }

    @Test("one character of the signed text changed is refused, wherever it stands")
    func mutations() throws {
        let genuine = try body(payload: payload())
        let start = "{\"jws-string\":\"".utf8.count
        var random = SeededGenerator(seed: 5)
        let alphabet = Array("ABCXYZabcxyz0189-_.".utf8)
        for index in start..<genuine.count - 2 {
            var changed = genuine
            changed[index] = try #require(alphabet.randomElement(using: &random))
            guard changed != genuine else { continue }
            let refusal = refusal(changed)
            #expect([.malformed, .invalidSignature, .unknownNetwork].contains(refusal?.reason), "byte \(index)")
        }
    }

    @Test(
        "a header asks for nothing but ES256 under a named key",
        arguments: [
            (#"{"kid":"load-test-p256","alg":"none"}"#, "alg"), (#"{"kid":"load-test-p256","alg":"es256"}"#, "alg"),
            (#"{"kid":"load-test-p256","alg":"HS256"}"#, "alg"), (#"{"kid":"load-test-p256"}"#, "alg"),
            (#"{"alg":"ES256"}"#, "kid"), (#"{"kid":7,"alg":"ES256"}"#, "kid"), (#"{"kid":"","alg":"ES256"}"#, "kid"),
            (#"{"kid":"load-test-p256","alg":"ES256","crit":["exp"]}"#, "crit"),
            (#"{"kid":"load-test-p256","alg":"ES256","alg":"none"}"#, "jws-string"), ("[]", "jws-string"),
            ("\u{FEFF}{}", "jws-string"),
        ])
    func headers(_ header: String, _ field: String) throws {
        let refusal = refusal(try body(header: header, payload: payload()))
        #expect(refusal?.reason == .malformed)
        #expect(refusal?.field == field)
    }

    @Test("the text is verified as received: spaces, escapes and further members of a header are the signer's")
    func asReceived() throws {
        let header = #" { "typ" : "x", "alg":"ES256" , "kid":"load\u002dtest-p256" } "#
        #expect(refusal(try body(header: header, payload: " " + payload() + "\n")) == nil)
    }

    @Test("three parts of unpadded base64url in their one spelling, and 64 bytes of signature")
    func structure() throws {
        let genuine = String(decoding: try body(payload: self.payload()), as: UTF8.self)
        let text = String(genuine.dropFirst("{\"jws-string\":\"".count).dropLast(2))
        let parts = text.split(separator: ".").map(String.init)
        let (header, payload, signature) = (parts[0], parts[1], parts[2])
        let broken: [String] = [
            "", ".", "..", header, "\(header).\(payload)", "\(text).", "\(text).\(signature)", ".\(text)",
            "\(text)=", "\(text) ", "\(header)..\(signature)", "\(header).\(payload).\(signature.dropLast())",
            "\(header).\(payload).\(signature.dropLast(2))", "\(header).\(payload).\(signature)AAAA",
            "\(header)+.\(payload).\(signature)",
        ]
        for jws in broken {
            let refusal = refusal(Array("{\"jws-string\":\"\(jws)\"}".utf8))
            #expect(refusal?.reason == .malformed, "\(jws)")
            #expect(refusal?.field == "jws-string")
        }
        for json in ["7", "null", "{}", "[\"\"]"] {
            #expect(refusal(Array("{\"jws-string\":\(json)}".utf8))?.field == "jws-string")
        }
        // Escapes of the surrounding JSON are undone before the text is taken apart.
        let escaped = text.replacing(".", with: #"\u002e"#)
        #expect(refusal(Array("{\"jws-string\":\"\(escaped)\"}".utf8)) == nil)
    }

    @Test("kid chooses the one key that may have signed")
    func keyID() throws {
        let other = try SigningKey.generate()
        let ring = try KeyRing.of(keys: [
            try PostbackKey(name: "one", environment: .test, key: keys.postbackKeyP256.publicKey),
            try PostbackKey(name: "two", environment: .development, key: other.publicKey),
            try PostbackKey(name: "old", environment: .test, key: keys.postbackKey.publicKey),
        ])
        let verifier = PostbackVerifier(keyRing: ring)
        func verdict(_ keyID: String, _ key: SigningKey) throws -> AttributionEnvironment? {
            let header = "{\"kid\":\"\(keyID)\",\"alg\":\"ES256\"}"
            let postback = try Postback(parsing: body(header: header, payload: payload(), signedWith: key))
            return try? verifier.verify(postback).environment
        }
        #expect(try verdict("one", keys.postbackKeyP256) == .test)
        #expect(try verdict("two", other) == .development)
        #expect(try verdict("one", other) == nil)
        #expect(try verdict("two", keys.postbackKeyP256) == nil)
        for name in ["old", "three", "ONE", "apple-cas-identifier/0", "apple-skadnetwork-p192"] {
            #expect(try verdict(name, keys.postbackKeyP256) == nil, "\(name)")
        }
    }

    @Test("R and S with leading zeros verify")
    func leadingZeros() throws {
        var isShortR = false
        var isShortS = false
        for number in 0..<4_000 where !(isShortR && isShortS) {
            let text = payload(["advertised-item-identifier": "\(number)"])
            let body = try body(payload: text)
            let der = try Postback(parsing: body).signature
            // DER leaves leading zeros out: R or S of 31 bytes or fewer.
            let isShort = (r: der[3] < 32, s: der[5 + Int(der[3])] < 32)
            guard isShort.r || isShort.s else { continue }
            isShortR = isShortR || isShort.r
            isShortS = isShortS || isShort.s
            #expect(refusal(body) == nil)
        }
        #expect(isShortR && isShortS)
    }

    @Test("a publisher of 0 under a production key is development; the ring's keys are what the ring says")
    func environments() throws {
        let production = try PostbackKey(.production)
        for (publisher, expected) in [("0", AttributionEnvironment.development), ("7", .production)] {
            let postback = try Postback(parsing: body(payload: payload(["publisher-item-identifier": publisher])))
            #expect(PostbackSignature.environment(of: postback, under: production) == expected)
            #expect(PostbackSignature.environment(of: postback, under: try PostbackKey(.development)) == .development)
            #expect(try keys.verifier.verify(postback).environment == .test)
        }
    }

    @Test("either suffix is ours, another network's for a known app is a copy, and the developer settings' is known")
    func recipients() throws {
        let ring = try KeyRing.of(networks: ["abc.skadnetwork"], apps: [777])
        func recipient(_ network: String, app: String = "1", header: String? = nil) throws -> KeyRing.Recipient? {
            let text = payload([
                "ad-network-identifier": "\"\(network)\"", "advertised-item-identifier": app,
            ])
            let bytes = try header.map { try body(header: $0, payload: text) } ?? body(payload: text)
            return ring.recipient(of: try Postback(parsing: bytes))
        }
        for name in ["abc.adattributionkit", "abc.skadnetwork", "ABC.AdAttributionKit"] {
            #expect(try recipient(name) == .network)
        }
        #expect(try recipient("xyz.adattributionkit") == nil)
        #expect(try recipient("xyz.adattributionkit", app: "777") == .developer)
        let settings = #"{"kid":"apple-development-identifier/1","alg":"ES256"}"#
        #expect(try recipient("development.adattributionkit") == nil)
        #expect(try recipient("development.adattributionkit", header: settings) == .network)
        #expect(try recipient("development.adattributionkit", app: "777", header: settings) == .developer)
        #expect(try recipient("other.adattributionkit", header: settings) == nil)
    }

    @Test("a body of another framework's fields is told by what it is")
    func mixed() throws {
        let kit = String(decoding: try body(payload: payload()), as: UTF8.self).dropLast()
        // Fields of SKAdNetwork around a JWS decide nothing.
        let body = kit + #","version":"9.9","ad-network-id":7,"source-app-id":0,"did-win":false}"#
        #expect(refusal(Array(body.utf8)) == nil)
        let refused = try #require(refusal(Array((kit.replacing(".", with: "!") + "}").utf8)))
        #expect(refused.claims?.attributionProtocol == .adAttributionKit)
    }
}
