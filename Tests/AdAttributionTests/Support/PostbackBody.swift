import Foundation
import Testing

@testable import AdAttribution

/// A postback of SKAdNetwork as raw JSON members, to be changed one at a time.
struct PostbackBody: JSONObjectBody, Sendable {
    var members: [(key: String, json: String)]

    /// Apple's 2.0 documentation postback, which verifies under Apple's key on P-192.
    static let genuine = PostbackBody(members: [
        ("version", #""2.0""#),
        ("ad-network-id", #""com.example""#),
        ("campaign-id", "42"),
        ("transaction-id", #""6aafb7a5-0170-41b5-bbe4-fe71dedf1e28""#),
        ("app-id", "525463029"),
        ("attribution-signature", #""\#(signature)""#),
        ("redownload", "true"),
        ("source-app-id", "1234567891"),
        ("timestamp", #""12342352346""#),
        ("conversion-value", "20"),
    ])

    /// The signature of `genuine`.
    static let signature = "MDYCGQD0AdGn5gUnSuVGk8Wi0IgxzWiKdBzwJrQCGQCJfkrI5bda93EC4Xm1H+MtNxstFmnVBn0="

    /// The fields that 2.0 signs, in their order.
    static let signedKeys = signedKeys("2.0")

    /// The fields that a version signs, in Apple's order, written down here a second time, on purpose.
    static func signedKeys(_ version: String) -> [String] {
        let first = ["ad-network-id", "campaign-id", "app-id", "transaction-id"]
        let second = ["version"] + first + ["redownload", "source-app-id"]
        switch version {
        case "1.0": return first
        case "2.0", "2.1": return second
        case "2.2": return second + ["fidelity-type"]
        case "3.0": return second + ["fidelity-type", "did-win"]
        case "4.0":
            return [
                "version", "ad-network-id", "source-identifier", "app-id", "transaction-id", "redownload",
                "source-app-id", "source-domain", "fidelity-type", "did-win", "postback-sequence-index",
            ]
        default: return []
        }
    }

    /// The version that the body says, or 1.0.
    var version: String { self["version"]?.replacing("\"", with: "") ?? "1.0" }

    /// The fields of this body that are signed, in their order.
    var signedKeys: [String] {
        Self.signedKeys(version).filter { self[$0] != nil }
    }

    /// What must be signed, composed here by itself: the values in their order, U+2063 between them.
    var expectedMessage: [UInt8] {
        Array(
            signedKeys.compactMap { self[$0]?.replacing("\"", with: "") }.joined(separator: "\u{2063}").utf8)
    }

    func parsed() throws(PostbackRejection) -> Postback {
        try Postback(parsing: bytes)
    }

    /// Signed anew with a key of the test's own.
    func signed(with key: SigningKey) throws -> PostbackBody {
        let signature = Data(try key.signature(of: expectedMessage)).base64EncodedString()
        return setting("attribution-signature", #""\#(signature)""#)
    }
}

extension PostbackBody {
    /// The members of a parsed object, sorted by key.
    init(object: [String: Any]) throws {
        members = try object.sorted { $0.key < $1.key }.map { key, value in
            let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .withoutEscapingSlashes]
            let json = try JSONSerialization.data(withJSONObject: value, options: options)
            return (key, String(decoding: json, as: UTF8.self))
        }
    }
}

/// The refusal of a body, or nil where it is a postback.
func rejection(of body: some Sequence<UInt8>) -> PostbackRejection? {
    do throws(PostbackRejection) {
        _ = try Postback(parsing: Array(body))
        return nil
    } catch {
        return error
    }
}

/// The refusal of a body, or nil where it is a postback.
func rejection(of text: String) -> PostbackRejection? {
    rejection(of: text.utf8)
}

extension PostbackVerifier {
    /// The refusal of a body when it is read or verified; nil if it verifies.
    func rejection(ofBody body: [UInt8]) -> PostbackRejection? {
        do throws(PostbackRejection) {
            _ = try verify(Postback(parsing: body))
            return nil
        } catch {
            return error
        }
    }
}
