import Foundation
import TestSupport
import Testing

@testable import AdAttribution

/// Every version and form of a postback, signed with test keys over strings that the tests compose by themselves.
@Suite("Postbacks of every version")
struct VersionedPostbackTests {
    private let keys: TestKeys

    init() throws {
        keys = try TestKeys()
    }

    /// A form of postback, and what its signature covers.
    struct Form: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let isP192: Bool
        /// The signed fields in order, but for the version.
        let signed: [String]
        let postback: TestPostback

        init(_ name: String, _ signed: [String], _ change: (inout TestPostback) -> Void) {
            testDescription = name
            self.signed = signed
            isP192 = name.hasPrefix("1") || name.hasPrefix("2.0")
            postback = TestPostback {
                $0.transactionID = "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"
                change(&$0)
            }
        }
    }

    private static let first = ["ad-network-id", "campaign-id", "app-id", "transaction-id"]
    private static let fourth = ["ad-network-id", "source-identifier", "app-id", "transaction-id", "redownload"]

    static let forms: [Form] = [
        Form("1.0 without version", first) { $0.version = nil },
        Form("1.0 with version", first) { $0.version = "1.0" },
        Form("2.0", first + ["redownload", "source-app-id"]) { $0.version = "2.0" },
        Form("2.0 without source", first + ["redownload"]) { $0.sourceAppID = nil },
        Form("2.1", first + ["redownload", "source-app-id"]) { $0.version = "2.1" },
        Form("2.2", first + ["redownload", "source-app-id", "fidelity-type"]) { $0.version = "2.2" },
        Form("3.0 won", first + ["redownload", "source-app-id", "fidelity-type", "did-win"]) { $0.version = "3.0" },
        Form("3.0 lost", first + ["redownload", "fidelity-type", "did-win"]) {
            $0.version = "3.0"
            $0.didWin = false
            $0.sourceAppID = nil
        },
        Form("4.0 app", fourth + ["source-app-id", "fidelity-type", "did-win", "postback-sequence-index"]) {
            $0.version = "4.0"
        },
        Form("4.0 web", fourth + ["source-domain", "fidelity-type", "did-win", "postback-sequence-index"]) {
            $0.version = "4.0"
            $0.sourceAppID = nil
            $0.sourceDomain = "example.com"
        },
        Form("4.0 third window", fourth + ["fidelity-type", "did-win", "postback-sequence-index"]) {
            $0.version = "4.0"
            $0.sourceIdentifier = "09"
            $0.sourceAppID = nil
            $0.sequenceIndex = 2
        },
        Form("4.0 lost", fourth + ["fidelity-type", "did-win", "postback-sequence-index"]) {
            $0.version = "4.0"
            $0.sourceAppID = nil
            $0.didWin = false
        },
    ]

    /// Legal values of each field, as JSON; at least one differs from what the form has.
    private static let legal: [String: [String]] = [
        "ad-network-id": ["\"com.example\"", "\"EXAMPLE123.skadnetwork\"", "\"example123.adattributionkit\""],
        "campaign-id": ["1", "41", "100"], "source-identifier": ["\"39\"", "\"0001\"", "\"5238\"", "\"9\""],
        "app-id": ["0", "525463028", "9223372036854775807"],
        "transaction-id": [
            "\"6aafb7a5-0170-41b5-bbe4-fe71dedf1e29\"", "\"6AAFB7A5-0170-41B5-BBE4-FE71DEDF1E28\"",
        ],
        "redownload": ["true"], "source-app-id": ["1", "10738027756"], "source-domain": ["\"example.org\""],
        "fidelity-type": ["0"], "did-win": ["true", "false"], "postback-sequence-index": ["0", "1", "2"],
        "conversion-value": ["0", "63"], "coarse-conversion-value": ["\"low\"", "\"HIGH\""],
        "country-code": ["\"US\"", "7"], "ad-interaction-type": ["\"view\"", "0"], "timestamp": ["1"],
        "adjust-tracker": ["{}"], "ip": ["null"],
    ]

    private func key(_ form: Form) -> SigningKey { form.isP192 ? keys.postbackKey : keys.postbackKeyP256 }

    private func members(_ form: Form) throws -> PostbackBody {
        let object = try JSONSerialization.jsonObject(with: Data(form.postback.body(key(form)))) as? [String: Any]
        return PostbackBody(
            members: try (object ?? [:]).sorted { $0.key < $1.key }.map { name, value in
                let json = try JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed)
                return (name, String(decoding: json, as: UTF8.self).replacing("\\/", with: "/"))
            })
    }

    private func verdict(_ body: PostbackBody) -> Result<VerifiedPostback, PostbackRejection> {
        Result { () throws(PostbackRejection) in try keys.verifier.verify(body.parsed()) }
    }

    @Test("verify over the version's fields in their order, and no others", arguments: forms)
    func verifies(_ form: Form) throws {
        let verified = try keys.verified(form.postback.body(key(form)))
        #expect(verified.postback.signedMessage.bytes == form.postback.signedMessage)
        #expect(verified.signingKey == (form.isP192 ? "load-test" : "load-test-p256"))
        #expect(verified.environment == .test)
        #expect(!verified.postback.isRelayNormalised)
        let wrongCurve = form.isP192 ? keys.postbackKeyP256 : keys.postbackKey
        let postback = try Postback(parsing: form.postback.body(wrongCurve))
        #expect(keys.verifier.rejection(of: postback)?.reason == .invalidSignature)
    }

    @Test("a signed field with another legal value is refused, with the bytes that were checked", arguments: forms)
    func changed(_ form: Form) throws {
        let body = try members(form)
        for field in form.signed {
            for value in try #require(Self.legal[field])
            where body.members.first(where: { $0.key == field })?.json != value {
                guard case .failure(let refusal) = verdict(body.setting(field, value)) else {
                    Issue.record("\(field) changed to \(value) still verifies")
                    continue
                }
                #expect(refusal.reason == .invalidSignature, "\(field) \(value): \(refusal)")
                #expect(refusal.checkedMessage != nil && refusal.checkedMessage != form.postback.signedMessage)
            }
            let removed = verdict(body.removing(field))
            guard case .failure(let refusal) = removed else {
                Issue.record("\(field) left out still verifies")
                continue
            }
            let isOptional = ["source-app-id", "source-domain"].contains(field)
            #expect(refusal.reason == (isOptional ? .invalidSignature : .malformed))
            if !isOptional { #expect(refusal.detail == "\(field): is missing") }
        }
        for version in ["1.0", "2.0", "2.1", "2.2", "3.0", "4.0"] {
            let isSame = version == (form.postback.version ?? "1.0")
            if case .success = verdict(body.setting("version", "\"\(version)\"")) {
                #expect(isSame, "\(version)")
            } else {
                #expect(!isSame, "\(version)")
            }
        }
    }

    @Test("what the version does not sign may change or go without touching the verdict", arguments: forms)
    func unsigned(_ form: Form) throws {
        let body = try members(form)
        let signed = Set(form.signed)
        for (field, values) in Self.legal where !signed.contains(field) {
            // A 4.0 postback names an app or a domain; a second one besides is no change of an unsigned field.
            if form.postback.version == "4.0", field == "source-app-id" || field == "source-domain" { continue }
            if field == "source-app-id" && form.postback.version?.first != "1" && form.postback.version != nil {
                continue
            }
            for value in values {
                guard case .success(let verified) = verdict(body.setting(field, value)) else {
                    Issue.record("\(field) of \(value) is not taken for unsigned")
                    continue
                }
                #expect(verified.environment == .test)
                #expect(verified.postback.signedMessage.bytes == form.postback.signedMessage)
                #expect(verified.postback.didWin == (form.signed.contains("did-win") ? form.postback.didWin : true))
                let isOfAnother = WireField(rawValue: field).map { field in
                    SignedLayout.postbacks.values.contains { $0.signs(field) }
                }
                let isLowered = verified.postback.conversionValue.coarse != nil && value == "\"HIGH\""
                #expect(verified.postback.isRelayNormalised == (isOfAnother == true || isLowered), "\(field)")
            }
        }
    }

    @Test("a signed field of the wrong type or out of range is malformed, by name", arguments: forms)
    func malformed(_ form: Form) throws {
        let body = try members(form)
        for field in form.signed + ["attribution-signature"] {
            for value in ["null", "[]", "{}", "1.5", "\"\"", "-1", "18446744073709551616"] {
                guard case .failure(let refusal) = verdict(body.setting(field, value)) else {
                    Issue.record("\(field) of \(value) is accepted")
                    continue
                }
                #expect(refusal.reason == .malformed, "\(field) \(value)")
                #expect(refusal.field == field)
                #expect(refusal.rule.hasPrefix("must be"))
            }
        }
    }

    @Test("a surplus value is neither counted nor malformed; of two kinds the fine one counts")
    func surplus() throws {
        func value(_ fine: String?, _ coarse: String?, didWin: Bool = true, index: Int = 0) throws
            -> ReportedConversionValue
        {
            let postback = TestPostback {
                $0.version = "4.0"
                $0.sourceAppID = nil
                $0.didWin = didWin
                $0.sequenceIndex = index
                $0.unsigned["conversion-value"] = fine
                $0.unsigned["coarse-conversion-value"] = coarse
            }
            return try keys.verified(postback.body(keys.postbackKeyP256)).postback.conversionValue
        }
        #expect(try value("7", "\"high\"").fine?.value == 7)
        #expect(try value("7", "99").fine?.value == 7)
        #expect(try value(nil, "\"mEdIuM\"").coarse == .medium)
        #expect(try value("7", "\"high\"", didWin: false) == .none)
        #expect(try value("64", "[]", didWin: false) == .none)
        for index in [1, 2] {
            #expect(try value("7", "\"low\"", index: index).coarse == .low)
            #expect(try value("\"x\"", nil, index: index) == .none)
        }
        #expect(throws: PostbackRejection.self) { try value("64", "\"high\"") }
        #expect(throws: PostbackRejection.self) { try value(nil, "\"higher\"") }
        #expect(throws: PostbackRejection.self) { try value("7", "\"higher\"", index: 1) }
    }

    @Test("an absent source app that a relay turned into 0 is left out, once, and only where it is 0")
    func filledIn() throws {
        for (version, key) in [
            ("2.0", keys.postbackKey), ("2.1", keys.postbackKeyP256), ("2.2", keys.postbackKeyP256),
            ("3.0", keys.postbackKeyP256), ("4.0", keys.postbackKeyP256),
        ] {
            func body(_ signed: Int64?, _ sent: String?) throws -> [UInt8] {
                try TestPostback {
                    $0.version = version
                    $0.sourceAppID = signed
                    $0.unsigned["source-app-id"] = sent
                }.body(key)
            }
            let filled = try keys.verified(body(nil, "0")).postback
            #expect(filled.source == nil)
            #expect(filled.isRelayNormalised)
            let zero = try keys.verified(body(0, nil)).postback
            #expect(zero.source?.appID == .development)
            #expect(!zero.isRelayNormalised)
            let other = keys.verifier.rejection(of: try Postback(parsing: body(nil, "1")))
            #expect(other?.reason == .invalidSignature)
            let lost = keys.verifier.rejection(of: try Postback(parsing: body(7, "0")))
            #expect(lost?.reason == .invalidSignature)
            #expect(lost?.checkedMessage?.contains(UInt8(ascii: "0")) == true)
        }
        let web = TestPostback {
            $0.version = "4.0"
            $0.sourceAppID = nil
            $0.sourceDomain = "example.com"
            $0.unsigned["source-app-id"] = "0"
        }
        let verified = try keys.verified(web.body(keys.postbackKeyP256)).postback
        #expect(verified.source?.domain?.text == "example.com")
        #expect(verified.isRelayNormalised)
        var both = web
        both.unsigned["source-app-id"] = "5"
        let body = try both.body(keys.postbackKeyP256)
        #expect(rejection(of: body)?.detail == "source-domain: must not stand beside source-app-id")
    }
}
