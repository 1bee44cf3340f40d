import Encodings
import Testing

@testable import AdAttribution

/// What Apple's signature covers in each version and form of a postback.
///
/// The bodies are Apple's own, and those that are signed here over a string that the tests compose by themselves.
@Suite("Postbacks of every version")
struct VersionedPostbackTests {
    /// Legal values of every signed field, of which a body has at most one.
    private static let legal: [String: [String]] = [
        "ad-network-id": [
            #""example123.skadnetwork""#, #""EXAMPLE123.skadnetwork""#, #""example123.adattributionkit""#,
            #""example123""#, #""com.example""#, #""Com.Example""#, #""example124.skadnetwork""#,
        ],
        "campaign-id": ["1", "4", "41", "42", "43", "100"],
        "source-identifier": [#""5239""#, #""5238""#, #""239""#, #""0239""#, #""39""#, #""039""#, #""0""#],
        "app-id": ["0", "525463029", "525463028", "52546302", "4294967296", "9223372036854775807"],
        "transaction-id": [
            #""6aafb7a5-0170-41b5-bbe4-fe71dedf1e29""#, #""6AAFB7A5-0170-41B5-BBE4-FE71DEDF1E28""#,
            #""00000000-0000-0000-0000-000000000000""#,
        ],
        "redownload": ["true", "false"],
        "source-app-id": ["0", "1", "1234567891", "1234567890", "9223372036854775807"],
        "source-domain": [#""example.com""#, #""example.org""#, #""www.example.com""#, #""xn--bcher-kva.example""#],
        "fidelity-type": ["0", "1"],
        "did-win": ["true", "false"],
        "postback-sequence-index": ["0", "1", "2"],
    ]

    private static let versions = ["1.0", "2.0", "2.1", "2.2", "3.0", "4.0"]

    @Test("The body verifies, over the bytes that Apple's order gives", arguments: PostbackForm.all)
    func verifies(_ form: PostbackForm) throws {
        let postback = try form.body.parsed()
        #expect(postback.signedMessage.bytes == form.body.expectedMessage)
        #expect(postback.curve == form.curve)
        #expect(postback.version?.description == form.body.version)
        let verified = try form.verifier.verify(postback)
        #expect(verified.environment == form.environment)
        #expect(verified.signingKey == form.signingKey)
        #expect(!verified.isDeveloperCopy)
        #expect(!verified.postback.isRelayNormalised)
        #expect(verified.postback.body == form.body.bytes)
    }

    @Test("The test has every version and form, with Apple's own postbacks from 2.0 on")
    func coverage() {
        #expect(PostbackForm.ours.count == 16)
        #expect(Set(PostbackForm.ours.map(\.body.version)) == Set(Self.versions))
        #expect(PostbackForm.all.filter(\.isGenuine).count == 7)
        #expect(PostbackVersions.apple.skAdNetwork.keys.map(\.description).sorted() == Self.versions)
        let signed = Set(PostbackVersions.apple.skAdNetworkFields.map(\.name))
        #expect(signed == Set(Self.legal.keys).union(["version"]))
    }

    @Test("Each signed field with another legal value is refused", arguments: PostbackForm.all)
    func changed(_ form: PostbackForm) throws {
        for key in form.body.signedKeys where key != "version" {
            for json in try #require(Self.legal[key]) where json != form.body[key] {
                let body = form.body.setting(key, json)
                let refusal = form.verifier.rejection(ofBody: body.bytes)
                #expect(refusal?.reason == .invalidSignature, "\(key) \(json)")
                #expect(refusal?.field == "attribution-signature", "\(key) \(json)")
                #expect(refusal?.checkedMessage == body.expectedMessage, "\(key) \(json)")
            }
        }
    }

    @Test(
        "A missing signed field is named; if it may be missing, the signature is refused",
        arguments: PostbackForm.all)
    func removed(_ form: PostbackForm) {
        for key in form.body.signedKeys + ["attribution-signature"] where key != "version" {
            let body = form.body.removing(key)
            let refusal = form.verifier.rejection(ofBody: body.bytes)
            if PostbackForm.optionalKeys.contains(key) {
                #expect(refusal?.reason == .invalidSignature, "\(key)")
                #expect(refusal?.checkedMessage == body.expectedMessage, "\(key)")
            } else {
                #expect(refusal?.reason == .malformed, "\(key)")
                #expect(refusal?.detail == "\(key): is missing")
            }
        }
    }

    @Test("A source that Apple did not sign is refused", arguments: PostbackForm.all)
    func addedSource(_ form: PostbackForm) throws {
        for key in PostbackForm.optionalKeys where PostbackBody.signedKeys(form.body.version).contains(key) {
            guard !form.body.signedKeys.contains(where: PostbackForm.optionalKeys.contains) else { continue }
            // 0 is what relays put in, see `RelayNoiseTests`.
            for json in try #require(Self.legal[key]) where json != "0" {
                let body = form.body.setting(key, json)
                let refusal = form.verifier.rejection(ofBody: body.bytes)
                #expect(refusal?.reason == .invalidSignature, "\(key) \(json)")
                #expect(refusal?.checkedMessage == body.expectedMessage, "\(key) \(json)")
            }
        }
    }

    @Test("Another version is refused, by its own fields, order and curve", arguments: PostbackForm.all)
    func changedVersion(_ form: PostbackForm) {
        for version in Self.versions where version != form.body.version {
            let body = form.body.setting("version", #""\#(version)""#)
            let refusal = form.verifier.rejection(ofBody: body.bytes)
            let missing = PostbackBody.signedKeys(version).filter { body[$0] == nil }
                .filter { !PostbackForm.optionalKeys.contains($0) }
            if missing.isEmpty {
                #expect(refusal?.reason == .invalidSignature, "\(version)")
                #expect(refusal?.checkedMessage == body.expectedMessage, "\(version)")
            } else {
                #expect(refusal?.reason == .malformed, "\(version)")
                #expect(missing.contains(refusal?.field ?? ""), "\(version)")
                #expect(refusal?.rule == "is missing", "\(version)")
            }
        }
        let unknown = form.verifier.rejection(ofBody: form.body.setting("version", #""4.1""#).bytes)
        #expect(unknown?.reason == .unsupportedVersion)
    }

    @Test("A body without its version is read as 1.0, and refused unless it is 1.0", arguments: PostbackForm.all)
    func removedVersion(_ form: PostbackForm) throws {
        let body = form.body.removing("version")
        let refusal = form.verifier.rejection(ofBody: body.bytes)
        switch form.body.version {
        case "1.0":
            #expect(refusal == nil)
            #expect(try body.parsed().version == .v1_0)
        case "4.0":
            #expect(refusal?.detail == "campaign-id: is missing")
        default:
            #expect(refusal?.reason == .invalidSignature)
            #expect(refusal?.checkedMessage == body.expectedMessage)
            #expect(refusal?.rule.contains("P-192") == true)
        }
    }

    @Test("A body under a key on the curve of another version is refused", arguments: PostbackForm.ours)
    func otherCurve(_ form: PostbackForm) throws {
        let other = try #require(PostbackForm.keys[form.curve == .p192 ? .p256 : .p192])
        let refusal = try form.verifier.rejection(ofBody: form.body.signed(with: other).bytes)
        let curve = form.curve == .p192 ? "P-192" : "P-256"
        #expect(refusal?.reason == .invalidSignature)
        #expect(refusal?.rule == "no key on \(curve) verifies it over the signed fields")
    }

    @Test("A signature with a changed bit, or with bytes after it, is refused", arguments: PostbackForm.all)
    func signature(_ form: PostbackForm) throws {
        let signature = try form.body.parsed().signature
        var changes = [signature + [0], Array(signature.dropLast()), [0x30, 0x00]]
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 0x10
            changes.append(changed)
        }
        for changed in changes {
            let body = form.body.setting("attribution-signature", #""\#(Base64.encode(changed))""#)
            let refusal = form.verifier.rejection(ofBody: body.bytes)
            #expect(refusal?.reason == .invalidSignature)
            #expect(refusal?.checkedMessage == form.body.expectedMessage)
        }
    }
}
