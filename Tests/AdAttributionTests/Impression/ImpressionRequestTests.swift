import Foundation
import TestSupport
import Testing

@testable import AdAttribution

/// One set of parameters in each form that its receivers read.
@Suite("Impression formats")
struct ImpressionRequestTests {
    private let key: SigningKey
    private let now: MillisecondTimestamp

    init() throws {
        key = try SigningKey.generate()
        now = try #require(MillisecondTimestamp(1_700_000_000_000))
    }

    private static let nonces = [
        "00000000-0000-4000-8000-000000000000", "00000000-0000-4000-8000-000000000001",
        "00000000-0000-4000-8000-000000000002",
    ]

    private func request(_ body: ImpressionBody, _ format: ImpressionFormat) throws -> ImpressionRequest {
        var nonces = Self.nonces.compactMap { Nonce($0) }[...]
        return try ImpressionRequest(
            ImpressionParameters(json: body.requested.bytes), format: format, now: now,
            makeNonce: { nonces.popFirst() ?? Nonce(UUID()) })
    }

    private func refusal(_ body: ImpressionBody, _ format: ImpressionFormat) -> FieldError? {
        do {
            _ = try request(body, format)
            return nil
        } catch {
            return error as? FieldError
        }
    }

    private func object(_ json: [UInt8]) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
    }

    /// The signature out of some object, checked under the network's key over the string of Apple's order.
    private func checked(_ object: [String: Any], _ body: ImpressionBody, _ name: String = "signature") throws -> String
    {
        let text = try #require(object[name] as? String)
        let signature = Array(try #require(Data(base64Encoded: text)))
        #expect(key.publicKey.isValid(signature: signature, for: body.expectedMessage))
        return text
    }

    // MARK: JSON

    @Test("JSON is the signed fields and the signature", arguments: ImpressionBody.forms)
    func json(_ body: ImpressionBody) throws {
        let request = try request(body, .json)
        let json = try request.signed(with: key).jsonBytes
        _ = try checked(object(json), body)
        #expect(try SignedImpression(json: json).isValid(under: key.publicKey))
        #expect(request.version?.description == body.version)
        #expect(request.adNetworkID.text == "example123.skadnetwork")
    }

    @Test(
        "A missing nonce is a new one, a missing timestamp is now, and given ones stay",
        arguments: ImpressionFormat.allCases)
    func completed(_ format: ImpressionFormat) throws {
        var body = ImpressionBody.version4
        if format == .jws { body = body.removing("version").removing("fidelity-type") }
        let given = String(decoding: try request(body, format).signed(with: key).jsonBytes, as: UTF8.self)
        let bare = body.removing("nonce").removing("timestamp")
        let made = String(decoding: try request(bare, format).signed(with: key).jsonBytes, as: UTF8.self)
        func says(_ text: String, _ value: String) throws -> Bool {
            guard format == .jws else { return text.contains(value) }
            let jws = try #require(object(Array(text.utf8))["jws-string"] as? String)
            return String(decoding: try TestJWS.bytes(base64URL: jws.split(separator: ".")[1]), as: UTF8.self)
                .contains(value)
        }
        #expect(try says(given, "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28") && says(given, "1676057605705"))
        #expect(try says(made, Self.nonces[0]) && says(made, "1700000000000"))
    }

    // MARK: OpenRTB

    @Test("OpenRTB of 2.0 and 2.1 has the signature at the top level, and only strings", arguments: ["2.0", "2.1"])
    func openRTB2(_ version: String) throws {
        let body = ImpressionBody.of(version)
        let json = try request(body, .openRTB).signed(with: key).jsonBytes
        let signature = try checked(object(json), body)
        let expected = #"""
            {"version":"\#(version)","network":"example123.skadnetwork","campaign":"42","itunesitem":"525463029",\#
            "sourceapp":"1234567891","nonce":"6aafb7a5-0170-41b5-bbe4-fe71dedf1e28","timestamp":"1676057605705",\#
            "signature":"\#(signature)"}
            """#
        #expect(String(decoding: json, as: UTF8.self) == expected)
    }

    @Test(
        "OpenRTB from 2.2 on has a signature for each fidelity type, and only the type is an integer",
        arguments: [("2.2", nil), ("3.0", nil), ("4.0", nil), ("4.0", "0"), ("3.0", "1"), ("2.2", "0")]
            as [(String, String?)])
    func openRTB4(_ version: String, _ fidelity: String?) throws {
        let body = ImpressionBody.of(version).removing("nonce").setting("fidelity-type", fidelity)
        let json = try request(body, .openRTB).signed(with: key).jsonBytes
        let found = try #require(object(json)["fidelities"] as? [[String: Any]])
        let types = fidelity.map { [$0] } ?? ["0", "1"]
        try #require(found.count == types.count)
        // Each has a nonce of its own.
        let proofs = try zip(types, found).enumerated().map { index, pair in
            let signed = body.setting("fidelity-type", pair.0).setting("nonce", "\"\(Self.nonces[index])\"")
            return #"""
                {"fidelity":\#(pair.0),"nonce":"\#(Self.nonces[index])","timestamp":"1676057605705",\#
                "signature":"\#(try checked(pair.1, signed))"}
                """#
        }
        let campaign = version == "4.0" ? #""sourceidentifier":"5239""# : #""campaign":"42""#
        let expected = #"""
            {"version":"\#(version)","network":"example123.skadnetwork",\#(campaign),"itunesitem":"525463029",\#
            "sourceapp":"1234567891","fidelities":[\#(proofs.joined(separator: ","))]}
            """#
        #expect(String(decoding: json, as: UTF8.self) == expected)
    }

    @Test("Both fidelity types are signed if none is given, with the nonce and the timestamp that are given")
    func bothFidelities() throws {
        let body = ImpressionBody.version4.removing("fidelity-type")
        guard case .openRTB(let first, let others) = try request(body, .openRTB) else {
            Issue.record("another form")
            return
        }
        #expect(([first] + others).map(\.fidelityType) == [.viewThrough, .storeKitRendered])
        #expect(others.first?.nonce == first.nonce)
        #expect(others.first?.timestamp == first.timestamp)
        guard case .openRTB(_, let none) = try request(ImpressionBody.version2, .openRTB) else { return }
        #expect(none.isEmpty)
    }

    @Test("OpenRTB knows 2.0 to 4.0")
    func openRTBVersions() {
        let refusal = refusal(ImpressionBody.of("1.0"), .openRTB)
        #expect(refusal?.description == "version: must be from 2.0 to 4.0 for OpenRTB, not 1.0")
        #expect(self.refusal(ImpressionBody.version4.setting("version", #""9.9""#), .openRTB)?.field == "version")
    }

    @Test(
        "A web ad is refused in OpenRTB and StoreKit, with and without its fidelity type",
        arguments: [ImpressionFormat.openRTB, .storeKit], ["1", nil] as [String?])
    func web(_ format: ImpressionFormat, _ fidelity: String?) {
        let refusal = refusal(ImpressionBody.web.setting("fidelity-type", fidelity), format)
        #expect(refusal?.field == "source-domain")
        #expect(refusal?.rule.hasPrefix("has no place in ") == true)
    }

    // MARK: StoreKit

    @Test(
        "StoreKit-rendered ads have the names of the product parameters",
        arguments: ["1.0", "2.0", "2.1", "2.2", "3.0", "4.0"])
    func storeKit(_ version: String) throws {
        let body = ImpressionBody.of(version)
        let json = try request(body, .storeKit).signed(with: key).jsonBytes
        let prefix = "SKStoreProductParameterAdNetwork"
        let signature = try checked(object(json), body, prefix + "AttributionSignature")
        let campaign =
            version == "4.0" ? #""\#(prefix)SourceIdentifier":5239"# : #""\#(prefix)CampaignIdentifier":42"#
        var members = [
            #""\#(prefix)Version":"\#(version)""#, #""\#(prefix)Identifier":"example123.skadnetwork""#, campaign,
            #""SKStoreProductParameterITunesItemIdentifier":525463029"#,
            #""\#(prefix)Nonce":"6aafb7a5-0170-41b5-bbe4-fe71dedf1e28""#,
            #""\#(prefix)SourceAppStoreIdentifier":1234567891"#, #""\#(prefix)Timestamp":1676057605705"#,
            #""\#(prefix)AttributionSignature":"\#(signature)""#,
        ]
        if version == "1.0" {
            members.removeAll { $0.contains("Version") || $0.contains("SourceAppStore") }
        }
        #expect(String(decoding: json, as: UTF8.self) == "{" + members.joined(separator: ",") + "}")
    }

    @Test("View-through ads have the names of SKAdImpression's properties", arguments: ["2.2", "3.0", "4.0"])
    func viewThrough(_ version: String) throws {
        let body = ImpressionBody.of(version).setting("fidelity-type", "0")
        let json = try request(body, .storeKit).signed(with: key).jsonBytes
        let signature = try checked(object(json), body)
        let campaign = version == "4.0" ? #""sourceIdentifier":5239"# : #""adCampaignIdentifier":42"#
        let expected = #"""
            {"version":"\#(version)","adNetworkIdentifier":"example123.skadnetwork",\#(campaign),\#
            "advertisedAppStoreItemIdentifier":525463029,\#
            "adImpressionIdentifier":"6aafb7a5-0170-41b5-bbe4-fe71dedf1e28",\#
            "sourceAppStoreItemIdentifier":1234567891,"timestamp":1676057605705,"signature":"\#(signature)"}
            """#
        #expect(String(decoding: json, as: UTF8.self) == expected)
    }

    @Test("A missing fidelity type is refused in JSON, and is that of a StoreKit-rendered ad in StoreKit")
    func noFidelity() throws {
        let body = ImpressionBody.version4.removing("fidelity-type")
        #expect(refusal(body, .json)?.description == "fidelity-type: is missing")
        let json = try request(body, .storeKit).signed(with: key).jsonBytes
        _ = try checked(object(json), ImpressionBody.version4, "SKStoreProductParameterAdNetworkAttributionSignature")
    }

    // MARK: JWS

    @Test("The JWS is the AdAttributionKit impression under its name in JSON")
    func jws() throws {
        let body = ImpressionBody.version4.removing("version").removing("fidelity-type")
        let request = try request(body, .jws)
        let made = try request.signed(with: key)
        let object = try object(made.jsonBytes)
        #expect(Array(object.keys) == ["jws-string"])
        #expect(object["jws-string"] as? String == made.text)
        let signed = try SignedAdAttributionKitImpression(compactJWS: made.text)
        #expect(signed.isValid(under: key.publicKey))
        #expect(request.version == nil)
        #expect(request.adNetworkID.text == "example123.skadnetwork")
    }

    @Test("A key on P-192 signs in no form", arguments: ImpressionFormat.allCases)
    func wrongCurve(_ format: ImpressionFormat) throws {
        let p192 = try SigningKey.generate(.p192)
        let body = ImpressionBody.version4
        let request = try request(format == .jws ? body.removing("version").removing("fidelity-type") : body, format)
        #expect(throws: KeyError.wrongCurve) { try request.signed(with: p192) }
    }
}
