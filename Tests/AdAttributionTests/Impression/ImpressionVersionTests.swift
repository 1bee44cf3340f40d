import Encodings
import Foundation
import TestSupport
import Testing

@testable import AdAttribution

/// What a network signs in each version and form of an impression.
@Suite("Impressions of every version")
struct ImpressionVersionTests {
    private let key: SigningKey

    init() throws {
        key = try SigningKey.generate()
    }

    /// Legal values of every signed field.
    private static let legal: [String: [String]] = [
        "ad-network-id": [#""example124.skadnetwork""#, #""example123.adattributionkit""#, #""example123""#],
        "campaign-id": ["1", "41", "100"], "source-identifier": ["0", "39", "239", "5238", "9999"],
        "itunes-item-id": ["1", "525463028", "9223372036854775807"],
        "nonce": [#""6aafb7a5-0170-41b5-bbe4-fe71dedf1e29""#], "source-app-id": ["0", "1", "9223372036854775807"],
        "source-domain": [#""example.org""#, #""www.example.com""#], "fidelity-type": ["0", "1"],
        "timestamp": ["1676057605704", "1000000000000", "9999999999999"],
    ]

    private func signed(_ body: ImpressionBody) throws -> SignedImpression {
        try SignedImpression(signing: body.impression(), with: key)
    }

    @Test("The test has every version and form")
    func coverage() {
        #expect(Set(ImpressionBody.forms.map(\.version)) == Set(Impression.versions.map(\.description)))
        #expect(ImpressionBody.forms.count == 10)
        let signed = Set(ImpressionVersions.skAdNetwork.values.flatMap(\.fields).map(\.rawValue))
        #expect(signed == Set(Self.legal.keys).union(["version"]))
    }

    @Test("The network's key signs the string in Apple's order", arguments: ImpressionBody.forms)
    func signature(_ body: ImpressionBody) throws {
        let signed = try signed(body)
        #expect(signed.impression.signedMessage.bytes == body.expectedMessage)
        #expect(key.publicKey.isValid(signature: signed.signature, for: body.expectedMessage))
        #expect(signed.isValid(under: key.publicKey))
        #expect(try !signed.isValid(under: SigningKey.generate().publicKey))
        #expect(signed.impression.layout.curve == .p256)
    }

    @Test(
        "`openssl dgst -verify` accepts the signature over the documented string",
        .enabled("the openssl command is not installed", OpenSSLCommand.isInstalled),
        arguments: ImpressionBody.forms)
    func command(_ body: ImpressionBody) async throws {
        try await OpenSSLCommand.withFolder { folder in
            try Data(body.expectedMessage).write(to: folder.appending(path: "message"))
            try Data(key.publicKey.pem.utf8).write(to: folder.appending(path: "key.pub.pem"))
            try Data(signed(body).signature).write(to: folder.appending(path: "signature"))
            let verify = ["dgst", "-sha256", "-verify", "key.pub.pem", "-signature", "signature", "message"]
            #expect(try await OpenSSLCommand.output(of: verify, in: folder) == "Verified OK\n")
        }
    }

    @Test(
        "The JSON has the signed fields in their order and reads back as the same; 1.0 has no version",
        arguments: ImpressionBody.forms)
    func json(_ body: ImpressionBody) throws {
        let signed = try signed(body)
        #expect(signed.json == body.ordered.setting("signature", "\"\(Base64.encode(signed.signature))\"").text)
        #expect(signed.json.contains("version") == (body.version != "1.0"))
        let back = try SignedImpression(json: Array(signed.json.utf8))
        #expect(back.impression == signed.impression)
        #expect(back.json == signed.json)
        #expect(back.isValid(under: key.publicKey))
    }

    @Test("Each signed field with another legal value breaks the signature", arguments: ImpressionBody.forms)
    func changed(_ body: ImpressionBody) throws {
        let whole = body.setting("signature", "\"\(Base64.encode(try signed(body).signature))\"")
        for field in body.members.map(\.key) where field != "version" {
            // A web ad has fidelity type 1 only.
            if field == "fidelity-type", body["source-domain"] != nil { continue }
            for json in try #require(Self.legal[field]) where json != body[field] {
                let changed = try SignedImpression(json: whole.setting(field, json).bytes)
                #expect(!changed.isValid(under: key.publicKey), "\(field) \(json)")
                #expect(changed.impression.signedMessage.bytes == whole.setting(field, json).expectedMessage)
            }
        }
    }

    @Test("Another version breaks the signature, or that version's fields are missing", arguments: ImpressionBody.forms)
    func changedVersion(_ body: ImpressionBody) throws {
        let whole = body.setting("signature", "\"\(Base64.encode(try signed(body).signature))\"")
        for version in Impression.versions.map(\.description) where version != body.version {
            let isValid = try? SignedImpression(json: whole.setting("version", "\"\(version)\"").bytes)
                .isValid(under: key.publicKey)
            #expect(isValid != true, "\(version)")
        }
        // Without its version it is taken for one of 1.0.
        let isValid = try? SignedImpression(json: whole.removing("version").bytes).isValid(under: key.publicKey)
        #expect(isValid == (body.version == "1.0" ? true : nil))
    }

    @Test("1.0 may have the member version, which is not signed")
    func version1() throws {
        let body = ImpressionBody.of("1.0")
        let whole = body.setting("signature", "\"\(Base64.encode(try signed(body).signature))\"")
        for json in [nil, #""1.0""#] {
            let read = try SignedImpression(json: whole.setting("version", json).bytes)
            #expect(read.isValid(under: key.publicKey))
            #expect(read.json == whole.text)
        }
    }

    @Test("A missing field is named", arguments: ImpressionBody.forms)
    func missing(_ body: ImpressionBody) {
        for field in body.members.map(\.key) where field != "version" {
            let isWeb = body["source-domain"] != nil
            let refusal = body.requested.removing(field).refusal
            switch (field, isWeb) {
            case ("fidelity-type", true): #expect(refusal == nil)
            case ("source-domain", _): #expect(refusal?.field == "source-app-id")
            default:
                #expect(refusal?.field == field)
                #expect(refusal?.rule.hasSuffix("is missing") == true)
            }
        }
    }

    @Test("A field that the version does not sign is refused by name, not ignored", arguments: ImpressionBody.forms)
    func outOfPlace(_ body: ImpressionBody) throws {
        for field in ImpressionField.allCases where field != .version {
            let isSigned = ImpressionBody.signedKeys(body.version).contains(field.rawValue)
            guard !isSigned else { continue }
            let json = Self.legal[field.rawValue]?.first ?? (field == .eligibleForReengagement ? "true" : "\"summer\"")
            let refusal = body.requested.setting(field.rawValue, json).refusal
            #expect(refusal?.description == "\(field.rawValue): is not a field of version \(body.version)")
        }
    }

    @Test("Only a source app id of 0 makes an impression `development`", arguments: ImpressionBody.forms)
    func environment(_ body: ImpressionBody) throws {
        #expect(try body.impression().environment == .production)
        guard body["source-app-id"] != nil else { return }
        #expect(try body.setting("source-app-id", "0").impression().environment == .development)
    }
}

extension ImpressionBody {
    /// With the members in the order in which they are signed.
    fileprivate var ordered: ImpressionBody {
        ImpressionBody(
            members: Self.signedKeys(version).compactMap { key in self[key].map { (key, $0) } })
    }
}
