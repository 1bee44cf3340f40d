import Foundation
import TestSupport
import Testing

@testable import AdAttribution

/// Apple's three sample signatures, brought into this project's JSON form.
@Suite("Impression vectors")
struct ImpressionVectorTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let id: String
        let body: ImpressionBody
        let signedMessage: [UInt8]
        let key: VerificationKey

        var testDescription: String { id }

        init(_ entry: [String: Any]) throws {
            id = try #require(entry["id"] as? String)
            let values = try #require(entry["signed_values"] as? [String])
            let signature = try #require(entry["signature"] as? String)
            let hex = try #require(entry["signed_utf8_hex"] as? String)
            let publicKey = try #require(entry["public_key_spki_b64"] as? String)
            try #require(values.count == 8)
            let isWeb = values[5].contains(".")
            body = ImpressionBody(members: [
                ("version", "\"\(values[0])\""), ("ad-network-id", "\"\(values[1])\""),
                ("source-identifier", values[2]),
                ("itunes-item-id", values[3]), ("nonce", "\"\(values[4])\""),
                isWeb ? ("source-domain", "\"\(values[5])\"") : ("source-app-id", values[5]),
                ("fidelity-type", values[6]), ("timestamp", values[7]), ("signature", "\"\(signature)\""),
            ])
            signedMessage = try [UInt8](hex: hex)
            key = try VerificationKey(publicKey)
        }

        static func all() throws -> [Vector] {
            try VectorFile.fixture("impressions.json").map(Vector.init)
        }
    }

    @Test("Apple's samples give the signed bytes and verify", arguments: try Vector.all())
    func verify(_ vector: Vector) throws {
        let signed = try SignedImpression(json: vector.body.bytes)
        #expect(signed.impression.signedMessage.bytes == vector.signedMessage)
        #expect(signed.isValid(under: vector.key))
        #expect(signed.json == vector.body.text)
    }

    @Test("A nonce in upper case is changed to lower case and verifies", arguments: try Vector.all())
    func upperCaseNonce(_ vector: Vector) throws {
        let nonce = try #require(vector.body["nonce"])
        let signed = try SignedImpression(json: vector.body.setting("nonce", nonce.uppercased()).bytes)
        #expect(signed.isValid(under: vector.key))
        #expect(signed.json == vector.body.text)
    }

    @Test("Each signed field with another legal value breaks the signature", arguments: try Vector.all())
    func changes(_ vector: Vector) throws {
        let isWeb = vector.body["source-domain"] != nil
        let changes = [
            ("ad-network-id", #""com.apple.test-2""#), ("source-identifier", "3121"), ("itunes-item-id", "525463030"),
            ("nonce", #""b7c9da2b-15c7-4f3b-9326-135f9630033e""#), ("timestamp", "1676057605706"),
            isWeb ? ("source-domain", #""example.org""#) : ("source-app-id", "1"),
        ]
        for (key, json) in changes {
            let signed = try SignedImpression(json: vector.body.setting(key, json).bytes)
            #expect(!signed.isValid(under: vector.key), "\(key)")
        }
        guard !isWeb else { return }
        let other = vector.body["fidelity-type"] == "0" ? "1" : "0"
        #expect(
            try !SignedImpression(json: vector.body.setting("fidelity-type", other).bytes).isValid(under: vector.key))
    }

    @Test("A web ad has fidelity type 1, whether the JSON has the field or not, as in Apple's response")
    func webFidelity() throws {
        let web = try #require(try Vector.all().first { $0.body["source-domain"] != nil })
        let signed = try SignedImpression(json: web.body.removing("fidelity-type").bytes)
        #expect(signed.isValid(under: web.key))
        #expect(signed.impression.fidelityType == .storeKitRendered)
        #expect(
            throws: ImpressionError.field(
                FieldError(field: "fidelity-type", rule: "must be 1 for a web ad", value: "0"))
        ) {
            try SignedImpression(json: web.body.setting("fidelity-type", "0").bytes)
        }
    }

    @Test(
        "The shared samples are those of the fixtures",
        .enabled(if: VectorFile.isShared("impressions.json"), "the shared vectors are not here"))
    func shared() throws {
        let shared = try VectorFile.shared("impressions.json").map(Vector.init)
        #expect(try shared.map(\.body.text) == Vector.all().map(\.body.text))
    }

    @Test("The samples are of development builds, except the web ad")
    func environment() throws {
        for vector in try Vector.all() {
            let isWeb = vector.body["source-domain"] != nil
            let impression = try SignedImpression(json: vector.body.bytes).impression
            #expect(impression.environment == (isWeb ? .production : .development))
        }
        let published = try Vector.all()[0].body.setting("source-app-id", "1")
        #expect(try SignedImpression(json: published.bytes).impression.environment == .production)
    }
}
