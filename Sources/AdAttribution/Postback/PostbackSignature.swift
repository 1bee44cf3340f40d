/// A postback's signature that holds, whoever the postback is for.
public struct PostbackSignature: Sendable {
    /// The postback as it was signed: without what a relay put in.
    public let postback: Postback
    /// The key that verified it.
    public let key: PostbackKey

    /// Checks the signature.
    ///
    /// SKAdNetwork names no key, so each on the version's curve is tried in the order given. Where none verifies and
    /// the body has a source app id of 0, one retry leaves that out, since relays turn absent fields into 0.
    /// AdAttributionKit names its key, and only that one is tried, on P-256.
    /// - Throws: `invalid_signature` with the bytes that were checked.
    public init(checking postback: Postback, among keys: [PostbackKey]) throws(PostbackRejection) {
        for candidate in [postback, postback.withoutFilledInSource] {
            guard let candidate else { break }
            let message = candidate.signedMessage.bytes
            for key in keys where candidate.mayBeSigned(with: key) {
                guard key.key.isValid(signature: candidate.signature, for: message) else { continue }
                self.postback = candidate
                self.key = key
                return
            }
        }
        throw .invalidSignature(postback)
    }

    /// What the postback counts as: under a production key `production`, unless its *signed* source app id is 0, which
    /// only development builds carry.
    public var environment: AttributionEnvironment { Self.environment(of: postback, under: key) }

    static func environment(of postback: Postback, under key: PostbackKey) -> AttributionEnvironment {
        guard key.environment == .production else { return key.environment }
        return postback.source?.appID == .development ? .development : .production
    }
}

extension Postback {
    fileprivate func mayBeSigned(with key: PostbackKey) -> Bool {
        guard key.key.curve == curve else { return false }
        // Byte for byte: a string comparison would hold other spellings of a character for the same name.
        return details.adAttributionKit.map { $0.keyID.utf8.elementsEqual(key.name.utf8) } ?? true
    }
}
