import Testing

@testable import AdAttribution

/// Every field of a 2.0 postback has one type and one range; what breaks them is refused by name, never bent to fit.
@Suite("Field rules")
struct FieldRuleTests {
    private func expectMalformed(_ key: String, _ json: String, _ rule: String) {
        let refusal = rejection(of: PostbackBody.genuine.setting(key, json).bytes)
        #expect(refusal?.reason == .malformed)
        #expect(refusal?.field == key)
        #expect(refusal?.rule == rule)
        #expect(refusal?.byteOffset == nil)
        #expect(refusal?.checkedMessage == nil)
    }

    /// What is an integer for nobody, or not the same one for everybody.
    static let notIntegers = [
        "1.0", "1e1", "1E0", "10e-1", "-0", "0.0", #""42""#, #""""#, "null", "true", "false", "[]", "[42]", "{}",
        "9223372036854775808", "18446744073709551616", "18446744073709551658", "10000000000000000000",
        "99999999999999999999", "99999999999999999999999", "-9223372036854775808", "-9223372036854775809", "1e400",
    ]

    @Test(
        "campaign-id is an integer from 1 to 100", arguments: ["0", "101", "-1", "9223372036854775807"] + notIntegers)
    func campaignID(_ json: String) {
        expectMalformed("campaign-id", json, "must be an integer from 1 to 100")
    }

    @Test(
        "conversion-value is an integer from 0 to 63 and is never clamped",
        arguments: ["-1", "64", "100", "1.5", "63.0", #""5""#] + notIntegers)
    func conversionValue(_ json: String) {
        expectMalformed("conversion-value", json, "must be an integer from 0 to 63")
    }

    @Test("App ids are integers from 0 to 2^63-1", arguments: ["-1", "-525463029", "5.25463029e8"] + notIntegers)
    func appIDs(_ json: String) {
        let rule = "must be an integer from 0 to 9223372036854775807"
        expectMalformed("app-id", json, rule)
        expectMalformed("source-app-id", json, rule)
    }

    @Test(
        "redownload is true or false, not 0, 1 or a text",
        arguments: ["1", "0", #""true""#, #""false""#, "null", "[]", "{}", "1.0"])
    func redownload(_ json: String) {
        expectMalformed("redownload", json, "must be true or false")
    }

    @Test(
        "transaction-id is a UUID in its usual text form",
        arguments: [
            #""""#, #""6aafb7a5017041b5bbe4fe71dedf1e28""#, #""{6aafb7a5-0170-41b5-bbe4-fe71dedf1e28}""#,
            #""6aafb7a5-0170-41b5-bbe4-fe71dedf1e2""#, #""6aafb7a5-0170-41b5-bbe4-fe71dedf1e280""#,
            #""6aafb7a5-0170-41b5-bbe4-fe71dedf1e2g""#, #""6aafb7a50-170-41b5-bbe4-fe71dedf1e28""#,
            #"" 6aafb7a5-0170-41b5-bbe4-fe71dedf1e28""#, #""6aafb7a5_0170_41b5_bbe4_fe71dedf1e28""#,
            #""urn:uuid:6aafb7a5-0170-41b5-bbe4-fe71dedf1e28""#, #""6aafb7a5-0170-41b5-bbe4-fe71dedf1e2８""#,
            #""6aafb7a5-0170-41b5-bbe4-fe71dedf1e2\u0000""#, "6", "null", "true", #"["6aafb7a5"]"#,
        ])
    func transactionID(_ json: String) {
        expectMalformed("transaction-id", json, "must be a string: a UUID, 8-4-4-4-12 hexadecimal digits")
    }

    @Test(
        "ad-network-id has 1 to 64 characters of a small set",
        arguments: [
            #""""#, "\"" + String(repeating: "a", count: 65) + "\"", #""com example""#, #""com_example""#,
            #""com/example""#, #""exämple""#, #""com.example\n""#, #""com.example\u0000""#, #""\ud83d\ude00""#,
            #""com.exampl\u2063e""#, #""com.ex\u212ample""#, "1", "null", "[]", "true",
        ])
    func adNetworkID(_ json: String) {
        expectMalformed("ad-network-id", json, "must be a string: 1 to 64 characters out of A-Z a-z 0-9 . -")
    }

    @Test(
        "attribution-signature is padded base64, in its only valid spelling",
        arguments: [
            #""""#, #""!!!!""#, #""MDYCGQD0AdGn5gUnSuVGk8Wi0IgxzWiKdBzwJrQCGQCJfkrI5bda93EC4Xm1H+MtNxstFmnVBn0""#,
            #""MDYC GQD0""#, #""MDYCGQD0\n""#, #"" MDYCGQD0""#, #""MDYC-_D0""#, #""====""#, #""A===""#, #""MDY=CGQD""#,
            #""MDYCGQB=""#, #""MDYCGR==""#, #""MDYCGQD0====""#, #""MDYC\u0000QD0""#, #""MDYCGQDÄ""#, "5", "null",
            "[]", "true",
        ])
    func signature(_ json: String) {
        expectMalformed("attribution-signature", json, "must be a string: padded base64")
    }

    @Test(
        "version is two numbers with a dot between, in a string",
        arguments: [
            #""2""#, #""2.0.0""#, "2.0", "2", #""""#, #""2.0 ""#, #"" 2.0""#, #""02.0""#, #""v2.0""#, #""2,0""#,
            #""2.""#, #""٢.٠""#, #""100.0""#, #""2.100""#, #""-1.0""#, "null", "true", "[]",
        ])
    func version(_ json: String) {
        expectMalformed("version", json, "must be a string: a version such as 2.0")
    }

    @Test(
        "A version that is not in the table is unsupported",
        arguments: ["9.9", "0.0", "4.1", "5.0", "2.3", "2.9", "4.10", "10.0"])
    func unsupportedVersion(_ text: String) {
        let refusal = rejection(of: PostbackBody.genuine.setting("version", "\"\(text)\"").bytes)
        #expect(refusal?.reason == .unsupportedVersion)
        #expect(refusal?.detail == "version: \(text) is not a version that can be verified")
    }

    @Test(
        "A required field that is missing is named",
        arguments: [
            "ad-network-id", "campaign-id", "app-id", "transaction-id", "redownload",
            "attribution-signature",
        ])
    func missing(_ key: String) {
        let refusal = rejection(of: PostbackBody.genuine.removing(key).bytes)
        #expect(refusal?.reason == .malformed)
        #expect(refusal?.detail == "\(key): is missing")
    }

    @Test(
        "Values at the ends of their ranges are accepted",
        arguments: [
            ("campaign-id", "1"), ("campaign-id", "100"), ("conversion-value", "0"), ("conversion-value", "63"),
            ("app-id", "0"), ("app-id", "9223372036854775807"), ("app-id", "10738027756"), ("source-app-id", "0"),
            ("source-app-id", "9223372036854775807"), ("redownload", "false"), ("ad-network-id", #""a""#),
            ("ad-network-id", "\"" + String(repeating: "Z", count: 64) + "\""), ("ad-network-id", #""-.9""#),
            ("transaction-id", #""AAFFFFFF-0170-41B5-bbe4-FE71dedf1e28""#), ("attribution-signature", #""AA==""#),
        ])
    func accepted(_ key: String, _ json: String) {
        #expect(rejection(of: PostbackBody.genuine.setting(key, json).bytes) == nil)
    }

    @Test("An escape in a key or a value means its character")
    func escapes() throws {
        let escaped = #""\u004dDYCGQCsQ4y8d4BlYU9b8Qb9BPWPi+ixk\/OiRysCGQDZZ8fpJnuqs9my8iSQVbJO\/oU1AXUROYU\u003d""#
        let plain = #""MDYCGQCsQ4y8d4BlYU9b8Qb9BPWPi+ixk/OiRysCGQDZZ8fpJnuqs9my8iSQVbJO/oU1AXUROYU=""#
        let body = PostbackBody.genuine.setting("attribution-signature", escaped)
        let same = PostbackBody.genuine.setting("attribution-signature", plain)
        #expect(try body.parsed().signature == same.parsed().signature)

        let key = PostbackBody.genuine.removing("campaign-id").adding(#"campaign\u002did"#, "42")
            .setting("ad-network-id", #""com\u002Eexample""#)
        #expect(try key.parsed().signedMessage.bytes == PostbackBody.genuine.expectedMessage)
        #expect(try PostbackVerifier(keyRing: .of()).verify(key.parsed()).environment == .production)
    }

    @Test("The rules are checked in the order size, JSON, version, fields")
    func order() {
        let bad = PostbackBody.genuine.setting("campaign-id", "0").setting("version", #""9.9""#)
        #expect(rejection(of: bad.bytes)?.reason == .unsupportedVersion)
        #expect(rejection(of: bad.text + "x")?.byteOffset == bad.bytes.count)
        let large = bad.text + "x" + String(repeating: " ", count: Postback.maximumBodySize)
        #expect(rejection(of: large)?.reason == .tooLarge)
    }

    @Test("The shown text of a refusal contains no value of the body")
    func silence() throws {
        for key in PostbackBody.signedKeys.dropFirst() + ["attribution-signature", "conversion-value"] {
            let refusal = try #require(rejection(of: PostbackBody.genuine.setting(key, #""SECRET:""#).bytes))
            #expect(!refusal.description.contains("SECRET"))
        }
    }
}
