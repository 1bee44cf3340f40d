import TestSupport
import Testing

/// One entry of the AdAttributionKit vectors.
struct AdAttributionKitVector: Sendable, CustomTestStringConvertible {
    let id: String
    /// The postback's body; nil for an impression.
    let body: PostbackBody?
    let jws: String
    let signedMessage: [UInt8]?
    let publicKey: String?
    let keyID: String
    let payload: JSONMembers
    let verifies: Bool

    var testDescription: String { id }

    init(_ entry: [String: Any]) throws {
        id = try #require(entry["id"] as? String)
        let postback = entry["postback"] as? [String: Any]
        body = try postback.map(PostbackBody.init(object:))
        jws = try #require((postback?["jws-string"] ?? entry["jws"]) as? String)
        signedMessage = try (entry["signed_utf8_hex"] as? String).map { try [UInt8](hex: $0) }
        publicKey = entry["public_key_spki_b64"] as? String
        keyID = try #require((entry["jws_header"] as? [String: Any])?["kid"] as? String)
        payload = JSONMembers(try PostbackBody(object: #require(entry["jws_payload"] as? [String: Any])).members)
        verifies = try #require(entry["verifies"] as? Bool)
    }

    static func fixtures() throws -> [AdAttributionKitVector] {
        try VectorFile.fixture("adattributionkit.json").map(AdAttributionKitVector.init)
    }
}
