import Testing

@testable import AdAttribution

/// What Apple's signature covers in a 2.0 postback, and what it does not.
@Suite("Signed and unsigned fields")
struct SignedFieldTests {
    private let verifier: PostbackVerifier

    init() throws {
        verifier = PostbackVerifier(keyRing: try .of(networks: ["com.example", "example123.skadnetwork"]))
    }

    @Test("The genuine postback verifies and every field is typed")
    func genuine() throws {
        let postback = try verifier.verify(PostbackBody.genuine.parsed()).postback
        #expect(postback.version?.description == "2.0")
        #expect(postback.adNetworkID.text == "com.example")
        #expect(postback.campaign.type == "campaign-id")
        #expect(postback.campaign.text == "42")
        #expect(postback.advertisedAppID.value == 525_463_029)
        #expect(postback.transactionID.text == "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28")
        #expect(postback.redownload == true)
        #expect(postback.source?.appID?.value == 1_234_567_891)
        #expect(postback.source?.domain == nil)
        #expect(postback.fidelityType == nil)
        #expect(postback.didWin)
        #expect(postback.sequenceIndex == .first)
        #expect(postback.conversionValue.fine?.value == 20)
        #expect(postback.countryCode == nil)
    }

    @Test(
        "A signed field with another legal value breaks the signature",
        arguments: [
            ("ad-network-id", #""example123.skadnetwork""#), ("ad-network-id", #""COM.EXAMPLE""#),
            ("ad-network-id", #""com.example.skadnetwork""#), ("campaign-id", "1"), ("campaign-id", "41"),
            ("campaign-id", "43"), ("campaign-id", "100"), ("app-id", "0"), ("app-id", "525463028"),
            ("app-id", "9223372036854775807"), ("transaction-id", #""6aafb7a5-0170-41b5-bbe4-fe71dedf1e29""#),
            ("transaction-id", #""6AAFB7A5-0170-41B5-BBE4-FE71DEDF1E28""#), ("redownload", "false"),
            ("source-app-id", "0"), ("source-app-id", "1234567890"),
        ])
    func changed(_ key: String, _ json: String) throws {
        let body = PostbackBody.genuine.setting(key, json)
        let refusal = try #require(verifier.rejection(of: try body.parsed()))
        #expect(refusal.reason == .invalidSignature)
        #expect(refusal.field == "attribution-signature")
        #expect(refusal.checkedMessage == body.expectedMessage)
    }

    @Test(
        "A changed version is refused, as unsupported or by the fields and the key of that version",
        arguments: ["2.1", "2.2", "3.0", "4.0", "9.9"])
    func changedVersion(_ text: String) throws {
        let body = PostbackBody.genuine.setting("version", "\"\(text)\"")
        guard PostbackVersions.apple.skAdNetwork[try #require(SKAdNetworkVersion(text))] != nil else {
            #expect(rejection(of: body.bytes)?.reason == .unsupportedVersion)
            return
        }
        // A layout that needs more fields finds them missing; one that does not is no match for the signature.
        let refusal = try rejection(of: body.bytes) ?? verifier.rejection(of: body.parsed())
        #expect([.malformed, .invalidSignature].contains(refusal?.reason))
    }

    @Test("A removed source-app-id breaks the signature, and its separator is removed too")
    func dropped() throws {
        let body = PostbackBody.genuine.removing("source-app-id")
        let refusal = try #require(verifier.rejection(of: try body.parsed()))
        #expect(refusal.reason == .invalidSignature)
        #expect(refusal.checkedMessage == body.expectedMessage)
        #expect(refusal.checkedMessage?.suffix(4) == Array("true".utf8)[...])
    }

    @Test("An added source-app-id breaks the signature", arguments: ["1", "1234567891"])
    func added(_ json: String) throws {
        let key = try SigningKey.generate(.p192)
        let test = try PostbackKey(name: "test", environment: .test, key: key.publicKey)
        let verifier = PostbackVerifier(keyRing: try .of(keys: [test]))
        let without = try PostbackBody.genuine.removing("source-app-id").signed(with: key)
        #expect(try verifier.verify(without.parsed()).environment == .test)
        let with = without.setting("source-app-id", json)
        let refusal = try #require(verifier.rejection(of: try with.parsed()))
        #expect(refusal.reason == .invalidSignature)
        #expect(refusal.checkedMessage == with.expectedMessage)
    }

    @Test("Any conversion value from 0 to 63 leaves the verdict the same", arguments: 0...63)
    func conversionValue(_ value: Int) throws {
        let body = PostbackBody.genuine.setting("conversion-value", String(value))
        let postback = try verifier.verify(body.parsed()).postback
        #expect(postback.conversionValue == ConversionValue(Int64(value)).map { .fine($0) })
    }

    @Test("A missing conversion value leaves the verdict the same")
    func noConversionValue() throws {
        let postback = try verifier.verify(PostbackBody.genuine.removing("conversion-value").parsed()).postback
        #expect(postback.conversionValue == .none)
    }

    @Test(
        "A country code is read if it is two capital letters, and is never refused",
        arguments: [
            (#""US""#, "US"), (#""DE""#, "DE"), (#""us""#, nil), (#""USA""#, nil), (#""""#, nil), ("1", nil),
            ("null", nil), (#""\u0055S""#, "US"), (#"{"a":[1]}"#, nil), (#""ÅÄ""#, nil),
        ] as [(String, String?)])
    func country(_ json: String, _ expected: String?) throws {
        let postback = try verifier.verify(PostbackBody.genuine.setting("country-code", json).parsed()).postback
        #expect(postback.countryCode?.text == expected)
    }

    @Test(
        "Keys that 2.0 does not sign are kept in the body and change nothing else",
        arguments: [
            ("timestamp", "12342352346"), ("timestamp", "null"), ("fidelity-type", "7"), ("did-win", "false"),
            ("postback-sequence-index", "2"), ("source-domain", #""example.com""#), ("source-identifier", #""39""#),
            ("coarse-conversion-value", #""high""#), ("coarse-conversion-value", "5"), ("nonce", "1"),
            ("itunes-item-id", "\"x\""), ("signature", "[]"), ("partner-id", #"{"a":[{"b":null}]}"#), ("", "0"),
            ("ip", #""17.58.56.232""#), ("Campaign-Id", "7"), ("campaign_id", "101"), ("jws_string", "1.5e300"),
        ])
    func unsigned(_ key: String, _ json: String) throws {
        let body = PostbackBody.genuine.setting(key, json)
        let postback = try verifier.verify(body.parsed()).postback
        #expect(postback.body == body.bytes)
        #expect(postback.signedMessage.bytes == PostbackBody.genuine.expectedMessage)
        #expect(postback.didWin)
        #expect(postback.sequenceIndex == .first)
        #expect(postback.fidelityType == nil)
        #expect(postback.conversionValue.fine?.value == 20)
    }

    @Test("The order of the keys and the white space between them do not matter")
    func order() throws {
        let reversed = PostbackBody.genuine.members.reversed().map { " \"\($0.key)\"\t:\r\n \($0.json) " }
        let text = "\n{" + reversed.joined(separator: ",") + "} \n"
        let postback = try Postback(parsing: Array(text.utf8))
        #expect(try verifier.verify(postback).environment == .production)
    }
}
