import Foundation
import TestSupport
import Testing

@testable import AdAttribution

/// One SKAdNetwork postback of a vector file.
struct PostbackVector: Sendable, CustomTestStringConvertible {
    let id: String
    let version: SKAdNetworkVersion
    let body: [UInt8]
    let signedMessage: [UInt8]
    let publicKey: String
    let verifies: Bool

    var testDescription: String { id }

    init(_ entry: [String: Any]) throws {
        id = try #require(entry["id"] as? String)
        version = try #require((entry["version"] as? String).flatMap(SKAdNetworkVersion.init))
        let postback = try #require(entry["postback"])
        body = Array(try JSONSerialization.data(withJSONObject: postback))
        let hex = try #require(entry["signed_utf8_hex"] as? String)
        signedMessage = try [UInt8](hex: hex)
        publicKey = try #require(entry["public_key_spki_b64"] as? String)
        verifies = try #require(entry["verifies"] as? Bool)
    }

    /// Apple's own postbacks.
    static func apple() throws -> [PostbackVector] {
        try VectorFile.fixture("skan-postbacks.json").map(PostbackVector.init)
    }

    /// Postbacks signed with other people's test keys.
    static func thirdParty() throws -> [PostbackVector] {
        try VectorFile.shared("third-party-postbacks.json").map(PostbackVector.init)
    }
}
