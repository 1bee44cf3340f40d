import Foundation
import TestSupport
import Testing

@testable import AdAttribution

/// Web ads: the link, what a device asks for, and the signed payload that it gets.
@Suite("Web ads")
struct WebAdFieldTests {
    /// Apple's sample: the request, the response and the key.
    private static func sample() throws -> (request: JSONMembers, response: JSONMembers, key: VerificationKey) {
        let entry = try #require(
            VectorFile.fixture("impressions.json").first { $0["id"] as? String == "imp-4.0-web" })
        let impression = try #require(entry["impression"] as? [String: Any])
        func members(_ name: String) throws -> JSONMembers {
            JSONMembers(try PostbackBody(object: #require(impression[name] as? [String: Any])).members)
        }
        return try (
            members("request"), members("response"),
            VerificationKey(#require(entry["public_key_spki_b64"] as? String))
        )
    }

    private func refusal(_ request: JSONMembers) -> ImpressionError? {
        do throws(ImpressionError) {
            _ = try SignedPayloadRequest(json: request.bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test("Apple's sample request is read, and our response is Apple's except for the order of its members")
    func apple() throws {
        let (request, response, key) = try Self.sample()
        let read = try SignedPayloadRequest(json: request.bytes)
        #expect(read.sourceDomain.text == "example.com")
        #expect(read.nonce.text == "b7c9da2b-15c7-4f3b-9326-135f9630033d")
        // The response under this project's names, with the fidelity type that it does not say.
        let impression = try SignedImpression(
            json: JSONMembers(response.members.map { ($0.key.replacing("_", with: "-"), $0.json) }).bytes)
        #expect(impression.isValid(under: key))
        #expect(impression.impression.nonce == read.nonce)
        let payload = try #require(impression.signedPayloadJSON)
        let again = try PostbackBody(
            object: #require(JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any]))
        #expect(again.text == response.text)
        let app = try SignedImpression(signing: ImpressionBody.version4.impression(), with: SigningKey.generate())
        #expect(app.signedPayloadJSON == nil)
    }

    @Test("The nonce of a link is the bytes of the UUID in base64url without padding, in one spelling")
    func nonce() throws {
        let nonce = try #require(Nonce("b7c9da2b-15c7-4f3b-9326-135f9630033d"))
        #expect(nonce.base64URL == "t8naKxXHTzuTJhNfljADPQ")
        #expect(Nonce(base64URL: "t8naKxXHTzuTJhNfljADPQ") == nonce)
        for text in [
            "", "t8naKxXHTzuTJhNfljADPQ==", "t8naKxXHTzuTJhNfljADPR", "t8naKxXHTzuTJhNfljAD", "t8naKxXHTzuTJhNfljADPQA",
            "t8naKxXHTzuTJhNfljADPQAA", "b7c9da2b-15c7-4f3b-9326-135f9630033d", "t8na+xXHTzuTJhNfljADPQ",
        ] {
            #expect(Nonce(base64URL: text) == nil, "\(text)")
        }
    }

    @Test("A link names the app, the destination and the nonce")
    func link() throws {
        let link = AttributableLink(
            itunesItemID: try #require(AppID(525_463_029)),
            attributionDestination: try #require(AttributionDestination("https://ads.example.com/")),
            nonce: try #require(Nonce("b7c9da2b-15c7-4f3b-9326-135f9630033d")))
        let expected = #"""
            <a href="https://apps.apple.com/app/id525463029" attributionDestination="https://ads.example.com" \#
            attributionSourceNonce="t8naKxXHTzuTJhNfljADPQ">
            """#
        #expect(link.tag == expected)
    }

    @Test(
        "A destination is https with a host in lower case; a request may name it or a parent, but no public suffix",
        arguments: [
            ("https://example.com", true), ("https://example.com/", true), ("https://a.b.example.com", true),
            ("http://example.com", false), ("example.com", false), ("https://", false), ("https://example", false),
            ("https://Example.com", false), ("https://example.com/x", false), ("https://example.com//", false),
            ("https://example.co.uk", true), ("https://co.uk", false), ("https://github.io", false),
            ("https://192.0.2.1", false), ("https://example.com:443", false), ("https://a@example.com", false),
            ("HTTPS://example.com", false),
        ])
    func destination(_ text: String, _ isValid: Bool) throws {
        #expect((AttributionDestination(text) != nil) == isValid)
        let destination = try #require(AttributionDestination("https://ads.example.com"))
        for (domain, isIn) in [
            ("ads.example.com", true), ("example.com", true), ("s.example.com", false), ("xample.com", false),
            ("x.ads.example.com", false), ("example.org", false),
        ] {
            #expect(destination.isIn(try #require(SourceDomain(domain))) == isIn, "\(domain)")
        }
        let british = try #require(AttributionDestination("https://ads.example.co.uk"))
        for (domain, isIn) in [("ads.example.co.uk", true), ("example.co.uk", true), ("co.uk", false)] {
            #expect(british.isIn(try #require(SourceDomain(domain))) == isIn, "\(domain)")
        }
    }

    @Test(
        "A request must have all fields, in the right form",
        arguments: [
            ("source_domain", nil), ("source_domain", #""Example.com""#), ("source_domain", "1"), ("source_nonce", nil),
            ("source_nonce", #""x""#), ("source_nonce", "null"), ("version", nil), ("version", "4.0"),
            ("version", #""4""#), ("version", #""3.0""#), ("source_engagement_type", nil),
            ("source_engagement_type", #""view""#),
        ] as [(String, String?)])
    func requests(_ key: String, _ json: String?) throws {
        #expect(refusal(try Self.sample().request.setting(key, json))?.field == key)
    }

    @Test("Unknown keys are ignored, wrong JSON is refused with its byte, and a later version is accepted")
    func leniency() throws {
        let request = try Self.sample().request
        #expect(refusal(request.setting("x", "[1]")) == nil)
        #expect(refusal(request.setting("version", #""4.1""#)) == nil)
        let error = #expect(throws: ImpressionError.self) { try SignedPayloadRequest(json: Array("{".utf8)) }
        #expect(error == .json(byteOffset: 1, rule: "JSON ends too early"))
    }

    @Test(
        "The fields of a link are read with exact types, and misspelt keys are refused",
        arguments: [
            ("ad-network-id", #""Example123.skadnetwork""#, "must be in lower case"),
            ("ad-network-id", nil, "is missing"),
            ("source-identifier", #""5239""#, "must be an integer from 0 to 9999"),
            ("source-identifier", "10000", "must be an integer from 0 to 9999"), ("itunes-item-id", nil, "is missing"),
            ("itunes-item-id", "0", "must be an integer from 1 to 9223372036854775807"),
            ("attribution-destination", #""example.com""#, nil), ("nonce", #""t8naKxXHTzuTJhNfljADPQ""#, nil),
            ("time-to-live", "59", "must be seconds, an integer from 60 to 2592000"),
            ("time-to-live", "2592001", "must be seconds, an integer from 60 to 2592000"),
            ("time_to_live", "60", "is not a field of a web ad"), ("fidelity-type", "1", "is not a field of a web ad"),
        ] as [(String, String?, String?)])
    func parameters(_ key: String, _ json: String?, _ rule: String?) throws {
        let good: JSONMembers = [
            "ad-network-id": #""example123.skadnetwork""#, "source-identifier": "5239", "itunes-item-id": "525463029",
            "attribution-destination": #""https://example.com""#,
        ]
        let read = try WebAdParameters(json: good.setting("time-to-live", "60").bytes)
        #expect(read.timeToLive?.seconds == 60 && read.nonce == nil && read.sourceIdentifier.text == "5239")
        let error = #expect(throws: ImpressionError.self) {
            try WebAdParameters(json: good.setting(key, json).bytes)
        }
        #expect(error?.field == key)
        #expect(rule == nil || error?.rule == rule)
    }
}
