import Testing

@testable import AdAttribution

/// What relays do to postbacks on their way, and what they can't do: the signature decides.
@Suite("Relay noise")
struct RelayNoiseTests {
    /// The forms that may have a source app id and have none.
    private static let withoutSource = PostbackForm.all.filter { form in
        PostbackBody.signedKeys(form.body.version).contains("source-app-id")
            && !form.body.signedKeys.contains(where: PostbackForm.optionalKeys.contains)
    }

    @Test(
        "A source app id of 0 that Apple did not sign is left out, and relay_normalised is set",
        arguments: withoutSource)
    func filledIn(_ form: PostbackForm) throws {
        let body = form.body.setting("source-app-id", "0")
        let parsed = try body.parsed()
        #expect(parsed.source == .app(.development))
        #expect(!parsed.isRelayNormalised)
        let verified = try form.verifier.verify(parsed)
        #expect(verified.postback.source == nil)
        #expect(verified.postback.isRelayNormalised)
        #expect(verified.postback.signedMessage.bytes == form.body.expectedMessage)
        #expect(verified.postback.body == body.bytes)
        // Without the 0 that nobody signed, production stays production.
        #expect(verified.environment == form.environment)
        #expect(verified.signingKey == form.signingKey)
        #expect(verified.postback.conversionValue == parsed.conversionValue)
        #expect(verified.postback.transactionID == parsed.transactionID)
    }

    @Test("No other source app id is left out, and no change of another field is undone", arguments: withoutSource)
    func once(_ form: PostbackForm) throws {
        for json in ["1", "1234567891", "9223372036854775807"] {
            let body = form.body.setting("source-app-id", json)
            let refusal = form.verifier.rejection(ofBody: body.bytes)
            #expect(refusal?.reason == .invalidSignature)
            #expect(refusal?.checkedMessage == body.expectedMessage)
        }
        let changed = form.body.setting("source-app-id", "0").setting("app-id", "1")
        let refusal = form.verifier.rejection(ofBody: changed.bytes)
        #expect(refusal?.reason == .invalidSignature)
        // The refusal shows the bytes of the body as received, not those of the retry.
        #expect(refusal?.checkedMessage == changed.expectedMessage)
        #expect(try changed.parsed().withoutFilledInSource?.withoutFilledInSource == nil)
    }

    @Test(
        "A source app id of 0 that Apple signed verifies and is kept",
        arguments: ["2.0", "2.1", "2.2", "3.0 won", "4.0 app"])
    func signedZero(_ name: String) throws {
        let form = try PostbackForm.named(name)
        let key = try #require(PostbackForm.keys[form.curve])
        let body = try form.body.setting("source-app-id", "0").signed(with: key)
        let verified = try form.verifier.verify(body.parsed())
        #expect(verified.postback.source == .app(.development))
        #expect(!verified.postback.isRelayNormalised)
        // Left out, it is missed: only the other way round may anything be undone.
        #expect(form.verifier.rejection(ofBody: body.removing("source-app-id").bytes)?.reason == .invalidSignature)
        // Under a production key the signed 0 is a development build's.
        for apple in [AppleKey.skadnetworkP192, .production] {
            let signedBy = try PostbackKey(apple)
            #expect(signedBy.environment(of: verified.postback) == .development)
            let retried = try #require(verified.postback.withoutFilledInSource)
            #expect(signedBy.environment(of: retried) == .production)
        }
    }

    @Test("The body as received, and then without the source app id, is tried under every key")
    func everyKey() throws {
        let form = try PostbackForm.named("4.0 app")
        let zero = form.body.setting("source-app-id", "0")
        let without = form.body.removing("source-app-id")
        let (first, second) = (try SigningKey.generate(), try SigningKey.generate())
        let ring = [
            try PostbackKey(name: "first", environment: .test, key: first.publicKey),
            try PostbackKey(name: "second", environment: .development, key: second.publicKey),
        ]
        let genuine = try PostbackSignature(checking: zero.signed(with: second).parsed(), among: ring)
        #expect(genuine.key.name == "second" && genuine.postback.source == .app(.development))
        let signature = try #require(without.signed(with: first)["attribution-signature"])
        let retried = try PostbackSignature(
            checking: zero.setting("attribution-signature", signature).parsed(), among: ring)
        #expect(retried.key.name == "first" && retried.postback.source == nil)
        #expect(retried.environment == .test)
    }

    @Test("A source app id of 0 beside a source domain counts as absent, and relay_normalised is set")
    func zeroBesideDomain() throws {
        for form in PostbackForm.all where form.body["source-domain"] != nil {
            let verified = try form.verifier.verify(form.body.setting("source-app-id", "0").parsed())
            #expect(verified.postback.source?.domain?.text == "example.com")
            #expect(verified.postback.isRelayNormalised)
            #expect(verified.environment == form.environment)
            // Where nobody signed the domain, leaving out the 0 does not help.
            let other = form.body.setting("source-app-id", "0").setting("source-domain", #""example.org""#)
            #expect(form.verifier.rejection(ofBody: other.bytes)?.reason == .invalidSignature)
        }
    }

    @Test(
        "Any other source app id beside a source domain is malformed, because Apple sends one of them",
        arguments: ["1", "1234567891"])
    func twoSources(_ json: String) throws {
        let body = try PostbackForm.named("4.0 web").body.setting("source-app-id", json)
        #expect(rejection(of: body.bytes)?.detail == "source-domain: must not stand beside source-app-id")
    }

    @Test(
        "Coarse values are read in any letter case, and capitals set relay_normalised",
        arguments: [
            ("low", "low", false), ("LOW", "low", true), ("Medium", "medium", true), ("HIGH", "high", true),
            ("hIgH", "high", true), (#"\u0068igh"#, "high", false), (#"\u0048igh"#, "high", true),
        ])
    func coarse(_ text: String, _ expected: String, _ isNoted: Bool) throws {
        for name in ["4.0 web", "4.0 window 1", "4.0 window 2", "skan-4.0-apple-doc-coarse"] {
            let form = try PostbackForm.named(name)
            let postback = try form.verifier.verify(
                form.body.setting("coarse-conversion-value", "\"\(text)\"").parsed()
            ).postback
            #expect(postback.conversionValue.coarse?.rawValue == expected)
            #expect(postback.isRelayNormalised == isNoted)
        }
    }

    @Test("Capitals in a value that does not count do not set relay_normalised")
    func surplusCapitals() throws {
        for name in ["4.0 lost", "4.0 app"] {
            let form = try PostbackForm.named(name)
            let postback = try form.body.setting("coarse-conversion-value", #""HIGH""#).parsed()
            #expect(!postback.isRelayNormalised)
            #expect(postback.conversionValue.coarse == nil)
        }
    }

    @Test("A 1.0 body may have its version; another version's signed field sets relay_normalised")
    func version1() throws {
        #expect(try !PostbackForm.named("1.0").body.parsed().isRelayNormalised)
        let noted = try PostbackForm.named("1.0").body.setting("redownload", "false").parsed()
        #expect(noted.isRelayNormalised)
        #expect(noted.redownload == nil)
    }

    @Test("A value of a kind that the version does not have counts if it is valid, and is never malformed")
    func unknownKinds() throws {
        for name in ["1.0", "2.0", "2.1", "2.2", "3.0 won"] {
            let form = PostbackForm.ours.first { $0.name.hasPrefix(name) }
            let body = try #require(form?.body).removing("conversion-value")
            #expect(try body.setting("coarse-conversion-value", #""low""#).parsed().conversionValue.coarse == .low)
            for json in ["null", #""""#, "5", #""higher""#] {
                #expect(try body.setting("coarse-conversion-value", json).parsed().conversionValue == .none)
                let fine = body.setting("conversion-value", json)
                let isKnown = name != "1.0"
                if json == "5" {
                    #expect(try fine.parsed().conversionValue.fine?.value == 5)
                } else {
                    #expect((rejection(of: fine.bytes)?.reason == .malformed) == isKnown, "\(name) \(json)")
                }
            }
        }
    }
}
