import Testing

@testable import AdAttribution

/// Reading an impression out of JSON and out of options: exact types, and nothing that is passed over in silence.
@Suite("Reading impressions")
struct ImpressionReadingTests {
    @Test(
        "An unknown key of an impression is refused",
        arguments: [
            "campaign", "campaign_id", "Nonce", "ad-network-ID", "", "transaction-id", "attribution-signature",
            "did-win", "\u{65D}",
        ])
    func unknownKeys(_ key: String) {
        let refusal = ImpressionBody.version2.setting(key, "1").refusal
        // An empty key would be invisible.
        let shown = key.isEmpty ? "\"\"" : key
        #expect(refusal == FieldError(field: shown, rule: "is not a field of an impression"))
    }

    @Test("An unknown key is cut and its control characters are escaped before it is shown")
    func longUnknownKey() {
        let refusal = ImpressionBody.version2.setting(String(repeating: "x", count: 10_000), "1").refusal
        #expect((refusal?.field.count ?? 0) <= 80)
        let escape = ImpressionBody.version2.setting(#"\u001b[2J\u0007"#, "1").refusal
        #expect(escape?.description.utf8.allSatisfy { $0 >= 0x20 } == true)
    }

    @Test("A signature is refused in a request, and required in a signed impression")
    func signature() throws {
        let body = ImpressionBody.version2
        #expect(body.setting("signature", #""AAAA""#).refusal?.field == "signature")
        let missing = #expect(throws: ImpressionError.self) { try SignedImpression(json: body.bytes) }
        #expect(missing?.description == "signature: is missing")
        for json in [#""AAA""#, #""""#, "1", "null"] {
            let error = #expect(throws: ImpressionError.self) {
                try SignedImpression(json: body.setting("signature", json).bytes)
            }
            #expect(error?.description == "signature: must be a string: padded base64" || error?.field == "signature")
        }
    }

    @Test(
        "Types and ranges are exact, and the refusal shows the value",
        arguments: [
            ("campaign-id", "0", "must be an integer from 1 to 100"),
            ("campaign-id", "101", "must be an integer from 1 to 100"),
            ("campaign-id", #""42""#, "must be an integer from 1 to 100"),
            ("campaign-id", "1.0", "must be an integer from 1 to 100"),
            ("timestamp", "1676057605", "must be milliseconds since 1970, an integer of 13 digits"),
            ("timestamp", "12345678901234", "must be milliseconds since 1970, an integer of 13 digits"),
            ("itunes-item-id", "-1", "must be an integer from 1 to 9223372036854775807"),
            ("itunes-item-id", "0", "must be an integer from 1 to 9223372036854775807"),
            ("source-app-id", "null", "must be an integer from 0 to 9223372036854775807"),
            ("nonce", #""x""#, "must be a string: a UUID, 8-4-4-4-12 hexadecimal digits"),
            ("version", "2.0", "must be a string: a version such as 2.0"),
            ("ad-network-id", #""a b""#, "must be a string: 1 to 64 characters out of A-Z a-z 0-9 . -"),
        ])
    func ranges(_ key: String, _ json: String, _ rule: String) {
        #expect(ImpressionBody.version2.setting(key, json).refusal == FieldError(field: key, rule: rule, value: json))
    }

    @Test(
        "Fidelity and source identifier have their ranges too",
        arguments: [
            ("fidelity-type", "2", "must be 0 (view-through) or 1 (StoreKit-rendered, web)"),
            ("fidelity-type", "true", "must be 0 (view-through) or 1 (StoreKit-rendered, web)"),
            ("source-identifier", "10000", "must be an integer from 0 to 9999"),
            ("source-identifier", "-1", "must be an integer from 0 to 9999"),
            ("source-identifier", #""5239""#, "must be an integer from 0 to 9999"),
        ])
    func version4Ranges(_ key: String, _ json: String, _ rule: String) {
        #expect(ImpressionBody.version4.setting(key, json).refusal == FieldError(field: key, rule: rule, value: json))
    }

    @Test(
        "Bytes that are not a JSON object are refused, with the byte",
        arguments: [("", 0), ("[]", 0), ("{", 1), (#"{"nonce":1,"nonce":1}"#, 11)])
    func json(_ text: String, _ offset: Int) {
        let error = #expect(throws: ImpressionError.self) { try ImpressionParameters(json: Array(text.utf8)) }
        #expect(error?.field == "json")
        #expect(error?.rule.hasPrefix("byte \(offset): ") == true)
    }

    @Test("More than 16,384 bytes are refused")
    func size() throws {
        let spaces = String(repeating: " ", count: 16_384 - ImpressionBody.version2.bytes.count)
        let full = Array((ImpressionBody.version2.text + spaces).utf8)
        #expect(try ImpressionParameters(json: full).campaignID?.value == 42)
        let error = #expect(throws: ImpressionError.self) { try ImpressionParameters(json: full + [0x20]) }
        #expect(error?.field == "impression")
    }

    @Test("Options set every field, with the same result as JSON", arguments: ImpressionBody.forms)
    func options(_ body: ImpressionBody) throws {
        var parameters = ImpressionParameters()
        for (key, json) in body.requested.members {
            let field = try #require(ImpressionField(rawValue: key))
            try parameters.set(field, to: json.replacing("\"", with: ""))
        }
        #expect(try parameters == ImpressionParameters(json: body.requested.bytes))
    }

    @Test("Whether an ad is eligible for re-engagement is true or false", arguments: [true, false])
    func eligible(_ flag: Bool) throws {
        var parameters = ImpressionParameters()
        try parameters.set(.eligibleForReengagement, to: "\(flag)")
        #expect(parameters.eligibleForReengagement == flag)
        let json: JSONMembers = ["eligible-for-re-engagement": "\(flag)"]
        #expect(try ImpressionParameters(json: json.bytes) == parameters)
        for text in ["1", "0", "yes", "True", ""] {
            #expect(throws: FieldError.self) { try parameters.set(.eligibleForReengagement, to: text) }
        }
        #expect(parameters.eligibleForReengagement == flag)
    }

    @Test(
        "An option's integer is plain decimal",
        arguments: [
            (ImpressionField.campaignID, "042"), (.campaignID, "+42"), (.campaignID, " 42"), (.campaignID, "4２"),
            (.campaignID, ""),
            (.itunesItemID, "9223372036854775808"), (.sourceIdentifier, "0039"), (.fidelityType, "01"),
            (.timestamp, "1e12"),
            (.nonce, "x"), (.version, "2"), (.adNetworkID, ""), (.sourceDomain, "example"), (.sourceAppID, "-0"),
        ])
    func badOptions(_ field: ImpressionField, _ text: String) {
        var parameters = ImpressionParameters()
        let error = #expect(throws: FieldError.self) { try parameters.set(field, to: text) }
        #expect(error?.field == field.rawValue)
        #expect(error?.value == "\"\(text)\"")
        #expect(error?.rule.hasPrefix("must be ") == true)
        #expect(parameters == ImpressionParameters())
    }

    @Test("No field of a postback is an option, unless an impression has it too")
    func notOptions() {
        for name in ["transaction-id", "did-win", "signature", "conversion-value", "jws-string", "app-id"] {
            #expect(ImpressionField(rawValue: name) == nil)
        }
        let postbacks = Set(PostbackVersions.apple.allNames)
        let shared = Set(ImpressionField.allCases.map(\.rawValue)).intersection(postbacks)
        #expect(
            shared == [
                "version", "ad-network-id", "campaign-id", "source-identifier", "source-app-id", "source-domain",
                "fidelity-type",
            ])
    }
}
