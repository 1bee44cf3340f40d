@testable import AdAttribution

/// A postback as raw JSON members, to be changed one at a time.
///
/// Values are JSON text: `42`, `"42"`, `true`.
struct PostbackBody: Sendable {
    private(set) var members: [(key: String, json: String)]

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
    static let signedKeys = [
        "version", "ad-network-id", "campaign-id", "app-id", "transaction-id", "redownload", "source-app-id",
    ]

    /// With one member changed in its place, or added at the end.
    func setting(_ key: String, _ json: String) -> PostbackBody {
        var copy = self
        if let index = members.firstIndex(where: { $0.key == key }) {
            copy.members[index].json = json
        } else {
            copy.members.append((key, json))
        }
        return copy
    }

    /// With a member at the end, whether or not its key is there already; the key is raw, between its quotes.
    func adding(_ key: String, _ json: String) -> PostbackBody {
        var copy = self
        copy.members.append((key, json))
        return copy
    }

    func removing(_ key: String) -> PostbackBody {
        var copy = self
        copy.members.removeAll { $0.key == key }
        return copy
    }

    var text: String {
        "{" + members.map { #""\#($0.key)":\#($0.json)"# }.joined(separator: ",") + "}"
    }

    var bytes: [UInt8] { Array(text.utf8) }

    /// What must be signed, composed here by itself: the values in their order, U+2063 between them.
    var expectedMessage: [UInt8] {
        let values = Self.signedKeys.compactMap { key in members.first { $0.key == key }?.json }
        return Array(values.map { $0.replacing("\"", with: "") }.joined(separator: "\u{2063}").utf8)
    }

    func parsed() throws(PostbackRejection) -> Postback {
        try Postback(parsing: bytes)
    }

    /// Signed anew with a key of the test's own.
    func signed(with key: SigningKey) throws -> PostbackBody {
        setting("attribution-signature", #""\#(Base64.encode(try key.signature(of: expectedMessage)))""#)
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
