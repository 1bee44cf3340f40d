import Testing

@testable import AdAttribution

/// What Apple's signature does not cover decides nothing: no verdict, no environment, no key.
@Suite("Unsigned fields")
struct UnsignedFieldTests {
    /// Values of each field that some version signs, in and out of its range, for versions that do not.
    private static let unsigned: [String: [String]] = [
        "campaign-id": ["7", "0", "null"], "source-identifier": [#""39""#, "5239", "[]"],
        "redownload": ["true", "false", "1", "null"], "source-app-id": ["0", "1234567891", "-1", #""x""#],
        "source-domain": [#""example.org""#, #""""#, "0"], "fidelity-type": ["0", "1", "7", "null"],
        "did-win": ["true", "false", "0", #""false""#], "postback-sequence-index": ["0", "2", "9", "null"],
    ]

    /// What relays add, names of other messages, and names that only look like a postback's.
    private static let unknown: [(String, String)] = [
        ("timestamp", "1710439480"), ("timestamp", "null"), ("ip", #""17.58.56.232""#), ("user-agent", #""App Store""#),
        ("partner-id", #"{"a":[{"b":null}]}"#), ("partner-campaign-id", "42"), ("adjust-app-token", #""abc""#),
        ("nonce", "1"), ("itunes-item-id", #""x""#), ("signature", "[]"), ("ad-interaction-type", #""swipe""#),
        ("eligible-for-re-engagement", "2"), ("", "0"), ("Campaign-Id", "7"), ("campaign_id", "101"),
        ("jws_string", "1.5e300"), ("ad-network-id ", #""x""#), ("conversion-type", "1"),
    ]

    private func expectSame(
        _ form: PostbackForm, _ body: PostbackBody, _ comment: Comment, isRelayNormalised: Bool = false
    ) throws {
        let expected = try form.body.parsed()
        let verified = try form.verifier.verify(body.parsed())
        let postback = verified.postback
        #expect(verified.environment == form.environment, comment)
        #expect(verified.signingKey == form.signingKey, comment)
        #expect(postback.signedMessage == expected.signedMessage, comment)
        #expect(postback.body == body.bytes, comment)
        #expect(postback.didWin == expected.didWin, comment)
        #expect(postback.sequenceIndex == expected.sequenceIndex, comment)
        #expect(postback.source == expected.source, comment)
        #expect(postback.campaign == expected.campaign, comment)
        #expect(postback.redownload == expected.redownload, comment)
        #expect(postback.fidelityType == expected.fidelityType, comment)
        #expect(postback.isRelayNormalised == isRelayNormalised, comment)
    }

    @Test(
        "A field that only another version signs counts as absent, whatever it is, and sets relay_normalised",
        arguments: PostbackForm.all)
    func otherVersions(_ form: PostbackForm) throws {
        for (key, values) in Self.unsigned where !PostbackBody.signedKeys(form.body.version).contains(key) {
            for json in values {
                let body = form.body.setting(key, json)
                try expectSame(form, body, "\(key) \(json)", isRelayNormalised: true)
                #expect(try body.parsed().conversionValue == form.body.parsed().conversionValue)
            }
        }
    }

    @Test("Keys that no version signs are kept in the body and change nothing", arguments: PostbackForm.all)
    func unknown(_ form: PostbackForm) throws {
        for (key, json) in Self.unknown {
            let body = form.body.setting(key, json)
            try expectSame(form, body, "\(key) \(json)")
            #expect(try body.parsed().conversionValue == form.body.parsed().conversionValue)
        }
    }

    @Test("Any fine value, or none, leaves the verdict the same", arguments: PostbackForm.all)
    func fine(_ form: PostbackForm) throws {
        for value in [0, 1, 31, 32, 62, 63] {
            let body = form.body.setting("conversion-value", "\(value)")
            try expectSame(form, body, "\(value)")
            let counts = try form.body.parsed().didWin && form.body.parsed().sequenceIndex == .first
            if counts {
                #expect(try body.parsed().conversionValue.fine?.value == UInt8(value))
            } else {
                #expect(try body.parsed().conversionValue == form.body.parsed().conversionValue)
            }
        }
        try expectSame(form, form.body.removing("conversion-value"), "none")
    }

    @Test("Any coarse value, or none, leaves the verdict the same", arguments: PostbackForm.all)
    func coarse(_ form: PostbackForm) throws {
        for value in ["low", "medium", "high"] {
            let body = form.body.setting("coarse-conversion-value", "\"\(value)\"")
            try expectSame(form, body, "\(value)")
            guard form.body.version == "4.0", try form.body.parsed().didWin else { continue }
            let alone = try body.removing("conversion-value").parsed()
            #expect(alone.conversionValue.coarse?.rawValue == value)
        }
        try expectSame(form, form.body.removing("coarse-conversion-value"), "none")
    }

    @Test(
        "A value that Apple does not send is not read, whatever it is",
        arguments: ["64", "-1", #""20""#, "null", "true", "[]", "1e1"])
    func surplus(_ json: String) throws {
        for name in ["3.0 lost", "4.0 lost", "4.0 window 1", "4.0 window 2"] {
            let form = try PostbackForm.named(name)
            let body = form.body.setting("conversion-value", json)
            try expectSame(form, body, "\(name)")
            #expect(try body.parsed().conversionValue == form.body.parsed().conversionValue)
        }
        for name in ["3.0 lost", "4.0 lost", "4.0 app"] {
            let form = try PostbackForm.named(name)
            let body = form.body.setting("coarse-conversion-value", json)
            try expectSame(form, body, "\(name)")
            #expect(try body.parsed().conversionValue == form.body.parsed().conversionValue)
        }
    }

    @Test("Every country code, valid or not, or none, leaves the verdict the same", arguments: PostbackForm.all)
    func country(_ form: PostbackForm) throws {
        for (json, expected) in [("\"US\"", "US"), ("\"us\"", nil), ("1", nil), ("null", nil), ("[]", nil)] {
            let body = form.body.setting("country-code", json)
            try expectSame(form, body, "\(json)")
            #expect(try body.parsed().countryCode?.text == expected)
        }
    }

    @Test("Every member that is not signed may be missing", arguments: PostbackForm.all)
    func removed(_ form: PostbackForm) throws {
        let needed = Set(form.body.signedKeys + ["attribution-signature"])
        for key in form.body.members.map(\.key) where !needed.contains(key) {
            try expectSame(form, form.body.removing(key), "\(key)")
        }
    }
}
