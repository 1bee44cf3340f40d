import Encodings
import Foundation
import Testing

@testable import AdAttribution

/// What makes an impression whole for its version, and what signing it gives.
@Suite("Impressions")
struct ImpressionTests {
    @Test(
        "The signed string is the documented one, byte for byte",
        arguments: [
            (
                ImpressionBody.version2,
                "2.0·example123.skadnetwork·42·525463029·6aafb7a5-0170-41b5-bbe4-fe71dedf1e28·1234567891·1676057605705"
            ),
            (
                ImpressionBody.version4,
                "4.0·example123.skadnetwork·5239·525463029·6aafb7a5-0170-41b5-bbe4-fe71dedf1e28·1234567891·1·1676057605705"
            ),
            (
                ImpressionBody.version4.removing("source-app-id").setting("source-domain", #""example.com""#),
                "4.0·example123.skadnetwork·5239·525463029·6aafb7a5-0170-41b5-bbe4-fe71dedf1e28·example.com·1·1676057605705"
            ),
        ])
    func signedString(_ body: ImpressionBody, _ expected: String) throws {
        let message = try body.impression().signedMessage.bytes
        #expect(message == Array(expected.replacing("·", with: "\u{2063}").utf8))
        #expect(SignedMessage.separator == [0xE2, 0x81, 0xA3])
    }

    @Test("Signing and reading the JSON back gives the same impression, and it verifies", arguments: ["2.0", "4.0"])
    func roundTrip(_ version: String) throws {
        let key = try SigningKey.generate()
        let impression = try ImpressionBody.of(version).impression()
        let signed = try SignedImpression(signing: impression, with: key)
        #expect(signed.isValid(under: key.publicKey))
        let back = try SignedImpression(json: Array(signed.json.utf8))
        #expect(back.impression == impression)
        #expect(back.signature == signed.signature)
        #expect(back.json == signed.json)
        #expect(back.isValid(under: key.publicKey))
        #expect(try !back.isValid(under: SigningKey.generate().publicKey))
    }

    @Test(
        "In the JSON ids, timestamp and fidelity are integers, the rest strings, in signing order",
        arguments: ["2.0", "4.0"])
    func types(_ version: String) throws {
        let body = ImpressionBody.of(version)
        let signed = try SignedImpression(signing: body.impression(), with: SigningKey.generate())
        let signature = Base64.encode(signed.signature)
        #expect(signed.json == body.setting("signature", "\"\(signature)\"").text)
        let object = try JSONSerialization.jsonObject(with: Data(signed.json.utf8)) as? [String: Any]
        for (key, value) in try #require(object) {
            let isText = ["version", "ad-network-id", "nonce", "signature"].contains(key)
            #expect((value is String) == isText, "\(key)")
        }
    }

    @Test(
        "A field that the version does not sign is refused, not ignored",
        arguments: [
            ("2.0", "source-identifier", "5239"), ("2.0", "fidelity-type", "1"),
            ("2.0", "source-domain", #""example.com""#),
            ("4.0", "campaign-id", "42"),
        ])
    func otherVersions(_ version: String, _ key: String, _ json: String) {
        let refusal = ImpressionBody.of(version).setting(key, json).refusal
        #expect(refusal == FieldError(field: key, rule: "is not a field of version \(version)"))
    }

    @Test("An app and a domain can't both be the source")
    func twoSources() {
        let refusal = ImpressionBody.version4.setting("source-domain", #""example.com""#).refusal
        #expect(refusal?.description == "source-domain: must not stand beside source-app-id")
    }

    @Test("A missing field is named", arguments: ["2.0", "4.0"])
    func missing(_ version: String) {
        let body = ImpressionBody.of(version)
        for key in body.members.map(\.key) where key != "version" {
            #expect(body.removing(key).refusal?.field == key)
            #expect(body.removing(key).refusal?.rule.hasSuffix("is missing") == true)
        }
    }

    @Test("The default version is 4.0; a version that can't be signed is refused, with the list of those that can")
    func version() throws {
        #expect(try ImpressionBody.version4.removing("version").impression().version == Impression.defaultVersion)
        let refusal = ImpressionBody.version4.setting("version", #""9.9""#).refusal
        let versions = Impression.versions.map(\.description)
        #expect(refusal?.rule == "must be one of \(versions.joined(separator: ", "))")
        #expect(refusal?.value == "9.9")
        #expect(versions.contains("2.0") && versions.contains("4.0"))
    }

    @Test("An impression is signed only if the network is in lower case")
    func lowercase() {
        let refusal = ImpressionBody.version4.setting("ad-network-id", #""Example123.skadnetwork""#).refusal
        #expect(refusal?.description == "ad-network-id: must be in lower case, not Example123.skadnetwork")
    }

    @Test("A source identifier with leading zeros is not signed, because JSON has no such integer")
    func leadingZeros() throws {
        var parameters = try ImpressionParameters(json: ImpressionBody.version4.bytes)
        parameters.sourceIdentifier = SourceIdentifier("0039")
        #expect(throws: FieldError.self) { try Impression(parameters) }
        parameters.sourceIdentifier = SourceIdentifier("0")
        #expect(try Impression(parameters).campaign.text == "0")
    }

    @Test("An advertised app of 0 is not signed in any version: only a source app can be 0")
    func advertisedApp() throws {
        for version in Impression.versions {
            var parameters = try ImpressionParameters(json: ImpressionBody.of("\(version)").bytes)
            parameters.version = version
            parameters.itunesItemID = .development
            let error = #expect(throws: FieldError.self) { try Impression(parameters) }
            #expect(
                error?.description
                    == "itunes-item-id: must be an integer from 1 to 9223372036854775807, not 0", "\(version)")
        }
        let development = try ImpressionBody.version4.setting("source-app-id", "0").impression()
        #expect(development.environment == .development)
    }

    @Test("Only a key on P-256 signs impressions")
    func wrongCurve() throws {
        let key = try SigningKey.generate(.p192)
        let impression = try ImpressionBody.version2.impression()
        #expect(throws: KeyError.wrongCurve) { try SignedImpression(signing: impression, with: key) }
    }
}
