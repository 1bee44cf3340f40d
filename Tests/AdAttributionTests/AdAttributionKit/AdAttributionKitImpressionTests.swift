import Foundation
import TestSupport
import Testing

@testable import AdAttribution

/// AdAttributionKit impressions: a compact JWS under the network's own key.
@Suite("AdAttributionKit impressions")
struct AdAttributionKitImpressionTests {
    private let key: SigningKey

    init() throws {
        key = try SigningKey.generate()
    }

    /// What is given to be signed, under SKAdNetwork's names.
    private static let request: JSONMembers = [
        "ad-network-id": #""example123.adattributionkit""#, "source-identifier": "5239",
        "itunes-item-id": "525463029", "nonce": #""6AAFB7A5-0170-41B5-BBE4-FE71DEDF1E28""#,
        "source-app-id": "1234567891", "timestamp": "1676057605705",
    ]

    /// What is signed.
    private static let payload: JSONMembers = [
        "impression-identifier": #""6aafb7a5-0170-41b5-bbe4-fe71dedf1e28""#, "publisher-item-identifier": "1234567891",
        "impression-type": #""app-impression""#, "ad-network-identifier": #""example123.adattributionkit""#,
        "source-identifier": "5239", "timestamp": "1676057605705", "advertised-item-identifier": "525463029",
    ]

    private static let header = #"{"kid":"example123.adattributionkit","alg":"ES256"}"#

    private func impression(_ request: JSONMembers) throws -> AdAttributionKitImpression {
        try AdAttributionKitImpression(ImpressionParameters(json: request.bytes))
    }

    private func refusal(_ request: JSONMembers) -> FieldError? {
        do {
            _ = try impression(request)
            return nil
        } catch ImpressionError.field(let error) {
            return error
        } catch {
            return error as? FieldError
        }
    }

    private func readBack(header: String = header, _ payload: JSONMembers) throws -> SignedAdAttributionKitImpression {
        try SignedAdAttributionKitImpression(
            compactJWS: TestJWS(header: header, payload: payload.text).signed(with: key).text)
    }

    private func readRefusal(header: String = header, _ payload: JSONMembers) -> FieldError? {
        do {
            _ = try readBack(header: header, payload)
            return nil
        } catch {
            return error as? FieldError
        }
    }

    @Test(
        "Header and payload are Apple's, and the signature is the network key's",
        arguments: [nil, "true", "false"] as [String?])
    func signed(_ eligible: String?) throws {
        let impression = try impression(Self.request.setting("eligible-for-re-engagement", eligible))
        let signed = try SignedAdAttributionKitImpression(signing: impression, with: key)
        let parts = signed.compactJWS.split(separator: ".").map(String.init)
        try #require(parts.count == 3)
        #expect(String(decoding: try TestJWS.bytes(base64URL: parts[0]), as: UTF8.self) == Self.header)
        let payload = Self.payload.setting("eligible-for-re-engagement", eligible)
        #expect(String(decoding: try TestJWS.bytes(base64URL: parts[1]), as: UTF8.self) == payload.text)
        #expect(try TestJWS.bytes(base64URL: parts[2]).count == 64)
        #expect(signed.isValid(under: key.publicKey))
        #expect(try !signed.isValid(under: SigningKey.generate().publicKey))
        #expect(try !signed.isValid(under: SigningKey.generate(.p192).publicKey))

        let back = try SignedAdAttributionKitImpression(compactJWS: signed.compactJWS)
        #expect(back.impression == impression)
        #expect(back.isValid(under: key.publicKey))
    }

    @Test(
        "`openssl dgst -verify` accepts the signature, after this test has made DER of R and S",
        .enabled("the openssl command is not installed", OpenSSLCommand.isInstalled))
    func command() async throws {
        try await OpenSSLCommand.withFolder { folder in
            try Data(key.publicKey.pem.utf8).write(to: folder.appending(path: "key.pub.pem"))
            for _ in 0..<4 {
                let signed = try SignedAdAttributionKitImpression(signing: impression(Self.request), with: key)
                let parts = signed.compactJWS.split(separator: ".").map(String.init)
                let concatenated = try TestJWS.bytes(base64URL: parts[2])
                try Data((parts[0] + "." + parts[1]).utf8).write(to: folder.appending(path: "message"))
                try Data(Self.der(concatenated)).write(to: folder.appending(path: "signature"))
                let verify = ["dgst", "-sha256", "-verify", "key.pub.pem", "-signature", "signature", "message"]
                #expect(try await OpenSSLCommand.output(of: verify, in: folder) == "Verified OK\n")
            }
        }
    }

    /// DER out of R and S, written here a second time, on purpose.
    private static func der(_ concatenated: [UInt8]) -> [UInt8] {
        let numbers = [concatenated.prefix(32), concatenated.suffix(32)].flatMap { half in
            let digits = Array(half.drop { $0 == 0 })
            let number = (digits.first ?? 0x80) > 0x7F ? [0] + digits : digits
            return [0x02, UInt8(number.count)] + number
        }
        return [0x30, UInt8(numbers.count)] + numbers
    }

    @Test("A signature of another curve is refused, even under its own key")
    func otherCurve() throws {
        let p192 = try SigningKey.generate(.p192)
        let jws = try TestJWS(header: Self.header, payload: Self.payload.text).signed(with: p192)
        let read = try SignedAdAttributionKitImpression(compactJWS: jws.text)
        #expect(!read.isValid(under: p192.publicKey))
        let impression = try impression(Self.request)
        #expect(throws: KeyError.wrongCurve) { try SignedAdAttributionKitImpression(signing: impression, with: p192) }
    }

    @Test("Each field that is changed after signing breaks the signature")
    func changed() throws {
        let jws = try TestJWS(header: Self.header, payload: Self.payload.text).signed(with: key)
        for (field, json) in [
            ("impression-identifier", #""6aafb7a5-0170-41b5-bbe4-fe71dedf1e29""#), ("publisher-item-identifier", "0"),
            ("source-identifier", "5238"), ("timestamp", "1676057605706"), ("advertised-item-identifier", "525463028"),
            ("eligible-for-re-engagement", "true"),
        ] {
            let changed = TestJWS(
                header: Self.header, payload: Self.payload.setting(field, json).text, signature: jws.signature)
            let read = try SignedAdAttributionKitImpression(compactJWS: changed.text)
            #expect(!read.isValid(under: key.publicKey), "\(field)")
        }
    }

    @Test(
        "The key's name is the network, in the same letter case",
        arguments: ["example123.skadnetwork", "Example123.adattributionkit", "example123"])
    func keyID(_ kid: String) {
        let refusal = readRefusal(header: #"{"kid":"\#(kid)","alg":"ES256"}"#, Self.payload)
        #expect(refusal?.description == "kid: must be the ad-network-identifier, not \(kid)")
    }

    @Test("A missing field is named, in a request and in an impression that is read")
    func missing() {
        for key in Self.request.members.map(\.key) {
            #expect(refusal(Self.request.removing(key))?.description == "\(key): is missing")
        }
        for key in Self.payload.members.map(\.key) {
            #expect(readRefusal(Self.payload.removing(key))?.description == "\(key): is missing")
        }
    }

    @Test(
        "Fields of SKAdNetwork alone are refused by name",
        arguments: [
            ("version", #""4.0""#), ("campaign-id", "42"), ("source-domain", #""example.com""#), ("fidelity-type", "1"),
        ])
    func outOfPlace(_ key: String, _ json: String) {
        let refusal = refusal(Self.request.setting(key, json))
        #expect(refusal?.description == "\(key): is not a field of an AdAttributionKit impression")
    }

    @Test(
        "Types and ranges are exact in an impression that is read",
        arguments: [
            ("source-identifier", #""5239""#), ("source-identifier", "10000"), ("timestamp", "1676057605"),
            ("impression-type", #""web-impression""#), ("publisher-item-identifier", "-1"),
            ("publisher-item-identifier", "1.0"), ("impression-identifier", #""x""#),
            ("eligible-for-re-engagement", "1"),
            ("eligible-for-re-engagement", "null"), ("ad-network-identifier", #""a b""#),
        ])
    func outOfRange(_ key: String, _ json: String) {
        let refusal = readRefusal(Self.payload.setting(key, json))
        #expect(refusal?.field == key)
        #expect(refusal?.rule.hasPrefix("must be ") == true)
    }

    @Test("An impression is signed only if the network is in lower case and the source identifier has no leading zeros")
    func signable() throws {
        let upper = Self.request.setting("ad-network-id", #""Example123.adattributionkit""#)
        #expect(refusal(upper)?.rule == "must be in lower case")
        var parameters = try ImpressionParameters(json: Self.request.bytes)
        parameters.sourceIdentifier = SourceIdentifier("0039")
        #expect(throws: FieldError.self) { try AdAttributionKitImpression(parameters) }
    }

    @Test("An advertised app of 0 is neither signed nor read")
    func advertisedApp() throws {
        let rule = "must be an integer from 1 to 9223372036854775807"
        #expect(refusal(Self.request.setting("itunes-item-id", "0"))?.rule == rule)
        #expect(readRefusal(Self.payload.setting("advertised-item-identifier", "0"))?.rule == rule)
        var parameters = try ImpressionParameters(json: Self.request.bytes)
        parameters.itunesItemID = .development
        #expect(throws: FieldError.self) { try AdAttributionKitImpression(parameters) }
    }

    @Test("Only a publisher of 0 makes an impression `development`")
    func environment() throws {
        #expect(try impression(Self.request).environment == .production)
        #expect(try impression(Self.request.setting("source-app-id", "0")).environment == .development)
    }

    @Test("Bytes that are not a JWS are refused", arguments: ["", "a.b.c", "{}", "..", "e30.e30.e30"])
    func garbage(_ text: String) {
        let error = #expect(throws: FieldError.self) { try SignedAdAttributionKitImpression(compactJWS: text) }
        #expect(error?.field == "jws-string")
    }
}
