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
    public init(checking postback: Postback, among keys: OrderedPostbackKeys) throws(PostbackRejection) {
        if let key = postback.key(among: keys) {
            self.postback = postback
            self.key = key
        } else if let candidate = postback.withoutFilledInSource, let key = candidate.key(among: keys) {
            self.postback = candidate
            self.key = key
        } else {
            throw .invalidSignature(postback)
        }
    }

    /// Checks the signature under keys that are used this once.
    ///
    /// - Throws: `invalid_signature` with the bytes that were checked.
    public init(checking postback: Postback, among keys: [PostbackKey]) throws(PostbackRejection) {
        try self.init(checking: postback, among: OrderedPostbackKeys(keys))
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
    /// The key that verifies the signature.
    fileprivate func key(among keys: OrderedPostbackKeys) -> PostbackKey? {
        let digest = SHA256.digest(signedMessage.bytes)
        let signature = signature
        guard let name = details.adAttributionKit?.keyID else {
            return keys.first(on: curve) { $0.key.isValid(signature: signature, digest: digest) }
        }
        return keys.first(named: name, on: curve) { $0.key.isValid(signature: signature, digest: digest) }
    }
}
