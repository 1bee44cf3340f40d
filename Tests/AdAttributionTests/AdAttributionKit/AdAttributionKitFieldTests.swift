import TestSupport
import Testing

@testable import AdAttribution

/// The fields of an AdAttributionKit postback: all of the payload is signed, nothing of the envelope.
@Suite("AdAttributionKit fields")
struct AdAttributionKitFieldTests {
    private let verifier: PostbackVerifier

    init() throws {
        verifier = try AdAttributionKitBody.verifier()
    }

    private static let optionalKeys = ["publisher-item-identifier", "marketplace-identifier"]

    /// Other legal values of every signed field.
    private static let legal: [String: [String]] = [
        "postback-identifier": [
            #""6aafb7a5-0170-41b5-bbe4-fe71dedf1e29""#, #""6AAFB7A5-0170-41B5-BBE4-FE71DEDF1E28""#,
        ],
        "publisher-item-identifier": ["0", "1", "1234567890", "9223372036854775807"],
        "marketplace-identifier": [#""com.example.market""#, #""com.apple.appstore""#],
        "impression-type": [#""app\u002dimpression""#],
        "ad-network-identifier": [
            #""example124.adattributionkit""#, #""example123.skadnetwork""#, #""Example123.adattributionkit""#,
        ],
        "did-win": ["false"], "postback-sequence-index": ["1", "2"],
        "conversion-type": [#""redownload""#, #""re-engagement""#],
        "source-identifier": [#""239""#, #""39""#, #""0039""#],
        "advertised-item-identifier": ["0", "525463028", "10738027756", "9223372036854775807"],
    ]

    private static let notStrings = ["1", "null", "true", "[]", "{}"]
    private static let appID = "must be an integer from 0 to 9223372036854775807"

    /// What is out of range or of another type, and the rule that the refusal names.
    private static let illegal: [String: (values: [String], rule: String)] = [
        "postback-identifier": (
            [#""""#, #""6aafb7a5""#] + notStrings, "must be a string: a UUID, 8-4-4-4-12 hexadecimal digits"
        ),
        "publisher-item-identifier": (["-1"] + FieldRuleTests.notIntegers, appID),
        "advertised-item-identifier": (["-1"] + FieldRuleTests.notIntegers, appID),
        "marketplace-identifier": (
            [#""""#, #""a b""#, #""ä""#, #""a\n""#, "\"" + String(repeating: "x", count: 256) + "\""] + notStrings,
            "must be a string: 1 to 255 printable ASCII characters"
        ),
        "impression-type": (
            [#""""#, #""web-impression""#, #""App-Impression""#] + notStrings, "must be a string: app-impression"
        ),
        "ad-network-identifier": (
            [#""""#, #""a b""#, #""ä""#] + notStrings, "must be a string: 1 to 64 characters out of A-Z a-z 0-9 . -"
        ),
        "did-win": (["0", "1", #""true""#, "null", "[]"], "must be true or false"),
        "postback-sequence-index": (["-1", "3"] + FieldRuleTests.notIntegers, "must be 0, 1 or 2"),
        "conversion-type": (
            [#""""#, #""reengagement""#, #""Download""#, #""install""#] + notStrings,
            "must be a string: download, redownload or re-engagement"
        ),
        "source-identifier": (
            [#""""#, #""52390""#, #""5a""#, "5239"] + notStrings, "must be a string: one to four decimal digits"
        ),
    ]

    @Test("Every field is typed")
    func typed() throws {
        let verified = try verifier.verify(AdAttributionKitBody().parsed())
        let postback = verified.postback
        #expect(postback.attributionProtocol == .adAttributionKit)
        #expect(postback.version == nil)
        #expect(postback.adNetworkID.text == "example123.adattributionkit")
        #expect((postback.campaign.type, postback.campaign.text) == ("source-identifier", "5239"))
        #expect(postback.advertisedAppID.value == 525_463_029)
        #expect(postback.transactionID.text == "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28")
        #expect(postback.source?.appID?.value == 1_234_567_891)
        #expect(postback.didWin && postback.sequenceIndex == .first)
        #expect(postback.conversionValue.fine?.value == 24)
        #expect(postback.countryCode?.text == "US")
        #expect(postback.attributionProtocol == .adAttributionKit)
        #expect(postback.conversionType == .download)
        #expect(postback.adInteractionType == .click)
        #expect(postback.marketplaceIdentifier?.text == "com.apple.AppStore")
        #expect(postback.keyID == AdAttributionKitBody.keyID)
        #expect(postback.curve == .p256)
        #expect(!postback.isRelayNormalised && !postback.isFromDeveloperSettings && !verified.isDeveloperCopy)
        #expect(verified.environment == .test)
        #expect(verified.signingKey == AdAttributionKitBody.keyID)
    }

    @Test(
        "A signed field with another legal value is refused, and verifies if it is signed again",
        arguments: Self.legal.keys.sorted())
    func changed(_ key: String) throws {
        for json in try #require(Self.legal[key]) {
            var body = AdAttributionKitBody()
            body.payload = body.payload.setting(key, json)
            #expect(verifier.rejection(ofBody: try body.bytes()) == nil, "\(json)")
            body = try AdAttributionKitBody().sealed()
            body.payload = body.payload.setting(key, json)
            let refusal = verifier.rejection(ofBody: try body.bytes())
            #expect(refusal?.reason == .invalidSignature, "\(json)")
            #expect(refusal?.field == "jws-string")
            #expect(refusal?.checkedMessage == Array(try body.jws().signedText.utf8))
        }
    }

    @Test("The payload has all fields")
    func coverage() {
        let keys = AdAttributionKitBody().payload.members.map(\.key)
        #expect(keys.sorted() == Self.legal.keys.sorted() && keys.sorted() == Self.illegal.keys.sorted())
    }

    @Test("A missing signed field is named; if it may be missing, the signature is refused")
    func removed() throws {
        let sealed = try AdAttributionKitBody().sealed()
        for key in sealed.payload.members.map(\.key) {
            var body = sealed
            body.payload = body.payload.removing(key)
            let refusal = verifier.rejection(ofBody: try body.bytes())
            if Self.optionalKeys.contains(key) {
                #expect(refusal?.reason == .invalidSignature, "\(key)")
                #expect(refusal?.checkedMessage == Array(try body.jws().signedText.utf8))
                body.signature = nil
                #expect(verifier.rejection(ofBody: try body.bytes()) == nil, "\(key)")
            } else {
                #expect(refusal?.reason == .malformed, "\(key)")
                #expect(refusal?.detail == "\(key): is missing")
            }
        }
    }

    @Test(
        "A signed field out of range or of another type is refused by name, even if its signature is valid",
        arguments: Self.illegal.keys.sorted())
    func outOfRange(_ key: String) throws {
        let (values, rule) = try #require(Self.illegal[key])
        for json in values {
            let body = AdAttributionKitBody { $0.payload = $0.payload.setting(key, json) }
            let refusal = rejection(of: try body.bytes())
            #expect(refusal?.reason == .malformed, "\(json)")
            #expect(refusal?.field == key, "\(json)")
            #expect(refusal?.rule == rule, "\(json)")
            #expect(refusal?.checkedMessage == nil)
        }
    }

    @Test("A refusal says whom the payload is for, as far as that can be read")
    func claims() throws {
        let body = AdAttributionKitBody { $0.payload = $0.payload.removing("did-win") }
        let claims = try #require(rejection(of: try body.bytes())?.claims)
        #expect(claims.attributionProtocol == .adAttributionKit)
        #expect(claims.adNetworkID?.text == "example123.adattributionkit")
        #expect(claims.advertisedAppID?.value == 525_463_029)
        #expect(claims.campaign?.type == "source-identifier")
        #expect(claims.transactionID != nil)
        let unread = rejection(
            of: AdAttributionKitBody.bytes(jws: "x", ["ad-network-id": #""example123.skadnetwork""#]))
        #expect(unread?.claims == PostbackClaims(attributionProtocol: .adAttributionKit))
    }

    @Test("Unknown keys of the payload are signed and ignored")
    func unknownPayload() throws {
        for (key, json) in [
            ("country-code", #""US""#), ("conversion-value", "64"), ("x", "{}"), ("fidelity-type", "9"),
        ] {
            let body = AdAttributionKitBody { $0.payload = $0.payload.setting(key, json) }
            let postback = try verifier.verify(body.parsed()).postback
            #expect(postback.conversionValue.fine?.value == 24)
        }
    }

    @Test("Unsigned values within their range do not change the verdict")
    func envelope() throws {
        let sealed = try AdAttributionKitBody().sealed()
        var changes: [(String, String?)] = (0...63).map { ("conversion-value", "\($0)") }
        changes += [
            ("conversion-value", nil), ("coarse-conversion-value", #""low""#), ("ad-interaction-type", #""view""#),
            ("ad-interaction-type", nil), ("country-code", nil), ("country-code", #""DE""#), ("country-code", #""de""#),
            ("country-code", "null"), ("country-code", "1"), ("timestamp", "1710439480"), ("partner-id", "[1]"),
            ("ip", #""17.58.56.232""#), ("ad-network-identifier", #""other""#), ("nonce", "1"),
        ]
        for (key, json) in changes {
            var body = sealed
            body.envelope = body.envelope.setting(key, json)
            let verified = try verifier.verify(body.parsed())
            #expect(verified.environment == .test && verified.signingKey == AdAttributionKitBody.keyID)
            #expect(verified.postback.adNetworkID.text == "example123.adattributionkit")
            if key == "conversion-value" {
                #expect((verified.postback.conversionValue.fine?.value).map { "\($0)" } == json)
            }
        }
    }

    @Test("A body with a JWS is AdAttributionKit's, whatever fields of SKAdNetwork it has")
    func besides() throws {
        var body = try AdAttributionKitBody().sealed()
        body.envelope.members += PostbackBody.genuine.members
            .filter { $0.key != "conversion-value" }
        let postback = try verifier.verify(body.parsed()).postback
        #expect(postback.attributionProtocol == .adAttributionKit)
        #expect(postback.adNetworkID.text == "example123.adattributionkit")
    }

    @Test(
        "An unsigned value out of range is refused by name",
        arguments: [
            ("conversion-value", "64", "must be an integer from 0 to 63"),
            ("conversion-value", "null", "must be an integer from 0 to 63"),
            ("conversion-value", #""24""#, "must be an integer from 0 to 63"),
            ("ad-interaction-type", #""tap""#, "must be a string: view or click"),
            ("ad-interaction-type", #""Click""#, "must be a string: view or click"),
            ("ad-interaction-type", "null", "must be a string: view or click"),
            ("ad-interaction-type", "1", "must be a string: view or click"),
        ])
    func illegalEnvelope(_ key: String, _ json: String, _ rule: String) throws {
        let body = AdAttributionKitBody { $0.envelope = $0.envelope.setting(key, json) }
        #expect(rejection(of: try body.bytes())?.detail == "\(key): \(rule)")
    }

    @Test(
        "Values count as in SKAdNetwork: fine in the first window, coarse without a fine one, none if not winning",
        arguments: [
            ("0", "true", "24", #""high""#, "24", false), ("0", "true", nil, #""HIGH""#, "high", true),
            ("0", "true", nil, nil, nil, false), ("1", "true", "24", #""low""#, "low", false),
            ("2", "true", "99", nil, nil, false), ("0", "false", "24", "7", nil, false),
            ("1", "true", nil, #""Low""#, "low", true),
        ] as [(String, String, String?, String?, String?, Bool)])
    func values(
        _ index: String, _ didWin: String, _ fineJSON: String?, _ coarse: String?, _ expected: String?,
        _ isNoted: Bool
    ) throws {
        let body = AdAttributionKitBody {
            $0.payload = $0.payload.setting("postback-sequence-index", index).setting("did-win", didWin)
            $0.envelope = $0.envelope.setting("conversion-value", fineJSON).setting("coarse-conversion-value", coarse)
        }
        let postback = try verifier.verify(body.parsed()).postback
        let fine = (postback.conversionValue.fine?.value).map { "\($0)" }
        #expect(fine ?? postback.conversionValue.coarse?.rawValue == expected)
        #expect(postback.isRelayNormalised == isNoted)
        #expect(postback.didWin == (didWin == "true"))
        #expect("\(postback.sequenceIndex.value)" == index)
    }
}
