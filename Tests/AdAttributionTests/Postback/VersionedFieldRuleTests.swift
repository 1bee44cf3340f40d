import Testing

@testable import AdAttribution

/// Every signed field of every version has one type and one range; what breaks them is refused by name.
@Suite("Field rules of every version")
struct VersionedFieldRuleTests {
    private static let notStrings = ["1", "1.5", "null", "true", "[]", "{}", #"["a"]"#]
    private static let notFlags = ["0", "1", #""true""#, #""false""#, "null", "[]", "{}", "1.0", "-0"]

    /// What is out of range or of another type, and the rule that the refusal names.
    private static let illegal: [String: (values: [String], rule: String)] = [
        "ad-network-id": (
            [#""""#, #""a b""#, #""a_b""#, #""ä""#, "\"" + String(repeating: "a", count: 65) + "\""] + notStrings,
            "must be a string: 1 to 64 characters out of A-Z a-z 0-9 . -"
        ),
        "campaign-id": (
            ["0", "-1", "101", "256", "298"] + FieldRuleTests.notIntegers, "must be an integer from 1 to 100"
        ),
        "source-identifier": (
            [#""""#, #""52390""#, #""05239""#, #""-1""#, #""+5""#, #""5a""#, #"" 5""#, #""1.0""#, #""٣""#, "5239"]
                + notStrings,
            "must be a string: one to four decimal digits"
        ),
        "app-id": (["-1"] + FieldRuleTests.notIntegers, "must be an integer from 0 to 9223372036854775807"),
        "source-app-id": (["-1"] + FieldRuleTests.notIntegers, "must be an integer from 0 to 9223372036854775807"),
        "transaction-id": (
            [#""""#, #""6aafb7a5017041b5bbe4fe71dedf1e28""#, #""6aafb7a5-0170-41b5-bbe4-fe71dedf1e2g""#] + notStrings,
            "must be a string: a UUID, 8-4-4-4-12 hexadecimal digits"
        ),
        "source-domain": (
            [#""""#, #""example""#, #""Example.com""#, #""https://example.com""#, #""example.com.""#, #""a_b.com""#]
                + notStrings,
            "must be a string: a domain in lower case, such as example.com"
        ),
        "redownload": (notFlags, "must be true or false"),
        "did-win": (notFlags, "must be true or false"),
        "fidelity-type": (
            ["-1", "2", "256", "257"] + FieldRuleTests.notIntegers,
            "must be 0 (view-through) or 1 (StoreKit-rendered, web)"
        ),
        "postback-sequence-index": (["-1", "3", "256"] + FieldRuleTests.notIntegers, "must be 0, 1 or 2"),
        "attribution-signature": (
            [#""""#, #""!!!!""#, #""MDY""#, #""MDYC-_D0""#, #""MDYC GQ0""#, #""MDYCGQB=""#] + notStrings,
            "must be a string: padded base64"
        ),
    ]

    private func expectMalformed(_ body: PostbackBody, _ key: String, _ rule: String) {
        let refusal = rejection(of: body.bytes)
        #expect(refusal?.reason == .malformed, "\(key) \(body[key] ?? "")")
        #expect(refusal?.field == key, "\(body[key] ?? "")")
        #expect(refusal?.rule == rule, "\(body[key] ?? "")")
        #expect(refusal?.checkedMessage == nil)
        #expect(refusal?.claims?.attributionProtocol == .skAdNetwork)
    }

    @Test("A signed field out of range or of another type is refused by name and rule", arguments: PostbackForm.all)
    func signed(_ form: PostbackForm) throws {
        for key in form.body.signedKeys + ["attribution-signature"] where key != "version" {
            let (values, rule) = try #require(Self.illegal[key])
            for json in values { expectMalformed(form.body.setting(key, json), key, rule) }
        }
    }

    @Test("An optional field out of range is refused if the version signs it", arguments: PostbackForm.all)
    func optional(_ form: PostbackForm) throws {
        for key in PostbackForm.optionalKeys where PostbackBody.signedKeys(form.body.version).contains(key) {
            let (values, rule) = try #require(Self.illegal[key])
            for json in values { expectMalformed(form.body.setting(key, json), key, rule) }
        }
    }

    @Test("A value out of range is refused if Apple sends such a value", arguments: PostbackForm.all)
    func values(_ form: PostbackForm) {
        let counts = form.body["did-win"] != "false"
        let isFirst = ["0", nil].contains(form.body["postback-sequence-index"])
        if counts && isFirst && form.body.version != "1.0" {
            for json in ["-1", "64", "127"] + FieldRuleTests.notIntegers {
                expectMalformed(
                    form.body.setting("conversion-value", json), "conversion-value", "must be an integer from 0 to 63")
            }
        }
        if counts && form.body.version == "4.0" {
            for json in [#""""#, #""none""#, #""lower""#, #""high ""#] + Self.notStrings {
                let body = form.body.removing("conversion-value").setting("coarse-conversion-value", json)
                expectMalformed(body, "coarse-conversion-value", "must be a string: low, medium or high")
            }
        }
    }

    @Test("A refusal says whom the body is for, as far as that can be read", arguments: PostbackForm.ours)
    func claims(_ form: PostbackForm) {
        let refusal = rejection(of: form.body.removing("transaction-id").bytes)
        #expect(refusal?.claims?.adNetworkID?.text == "example123.skadnetwork")
        #expect(refusal?.claims?.advertisedAppID?.value == 525_463_029)
        #expect(refusal?.claims?.campaign != nil)
        #expect(refusal?.claims?.transactionID == nil)
        let unsupported = rejection(of: form.body.setting("version", #""9.9""#).setting("app-id", "-1").bytes)
        #expect(unsupported?.claims?.adNetworkID?.text == "example123.skadnetwork")
        #expect(unsupported?.claims?.advertisedAppID == nil)
        #expect(unsupported?.claims?.transactionID != nil)
        #expect(
            rejection(of: form.body.setting("campaign-id", "101").setting("source-identifier", "1").bytes)?.claims?
                .campaign == nil)
        #expect(rejection(of: form.body.text + "}")?.claims == nil)
    }
}
