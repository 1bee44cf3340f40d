import TestSupport
import Testing

@testable import AdAttribution

/// A postback of AdAttributionKit as raw JSON members: the header and payload of its JWS, and the envelope around it.
struct AdAttributionKitBody: Sendable {
    var header: JSONMembers = ["kid": #""\#(keyID)""#, "alg": #""ES256""#]
    var payload: JSONMembers = [
        "postback-identifier": #""6aafb7a5-0170-41b5-bbe4-fe71dedf1e28""#, "publisher-item-identifier": "1234567891",
        "marketplace-identifier": #""com.apple.AppStore""#, "impression-type": #""app-impression""#,
        "ad-network-identifier": #""example123.adattributionkit""#, "did-win": "true",
        "postback-sequence-index": "0", "conversion-type": #""download""#, "source-identifier": #""5239""#,
        "advertised-item-identifier": "525463029",
    ]
    var envelope: JSONMembers = [
        "conversion-value": "24", "ad-interaction-type": #""click""#, "country-code": #""US""#,
    ]
    /// The signature of another payload, for one that was changed behind it; nil signs what is there.
    var signature: String?

    /// The name of the test key.
    static let keyID = "test/p256"

    /// The test key.
    static let key = (try? SigningKey.generate()) ?? PostbackForm.keys[.p256]

    /// A body with changes.
    init(_ change: (inout AdAttributionKitBody) -> Void = { _ in }) {
        change(&self)
    }

    /// The JWS, signed with the test key or under the signature that was set.
    func jws() throws -> TestJWS {
        let jws = TestJWS(header: header.text, payload: payload.text, signature: signature ?? "")
        return signature == nil ? try jws.signed(with: #require(Self.key)) : jws
    }

    /// The body of the request.
    func bytes() throws -> [UInt8] {
        Self.bytes(jws: try jws().text, envelope)
    }

    /// The body of a request around any text.
    static func bytes(jws text: String, _ envelope: JSONMembers = [:]) -> [UInt8] {
        var body: JSONMembers = ["jws-string": #""\#(text)""#]
        body.members += envelope.members
        return body.bytes
    }

    /// The signature as it is now, for changes behind it.
    func sealed() throws -> AdAttributionKitBody {
        var copy = self
        copy.signature = try jws().signature
        return copy
    }

    func parsed() throws -> Postback {
        try Postback(parsing: bytes())
    }

    /// A ring with the test key among others, and a verifier over it.
    static func verifier(
        networks: [String] = ["example123.skadnetwork", "example124.skadnetwork"], apps: [Int64] = [],
        _ others: [PostbackKey] = []
    ) throws -> PostbackVerifier {
        let own = try PostbackKey(name: keyID, environment: .test, key: #require(key).publicKey)
        return PostbackVerifier(keyRing: try .of(networks: networks, apps: apps, keys: others + [own]))
    }
}
