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

extension PostbackSignature {
    private init(_ postback: Postback, under key: PostbackKey) {
        self.postback = postback
        self.key = key
    }

    /// Checks many signatures by the same rules, side by side, which takes less time than one by one.
    package static func check(
        _ postbacks: [Postback], among keys: OrderedPostbackKeys
    ) -> [Result<PostbackSignature, PostbackRejection>] {
        var results = zip(postbacks, keys.first(of: postbacks.map(\.detachedSignature))).map { postback, key in
            key.map { PostbackSignature(postback, under: $0) }
        }
        let retries = postbacks.indices.compactMap { place in
            results[place] == nil ? postbacks[place].withoutFilledInSource.map { (place, $0) } : nil
        }
        for ((place, postback), key) in zip(retries, keys.first(of: retries.map(\.1.detachedSignature))) {
            results[place] = key.map { PostbackSignature(postback, under: $0) }
        }
        return zip(postbacks, results).map { postback, result in
            result.map { .success($0) } ?? .failure(.invalidSignature(postback))
        }
    }
}

extension Postback {
    fileprivate var detachedSignature: DetachedSignature {
        DetachedSignature(
            signature: signature, digest: SHA256.digest(signedMessage.bytes), curve: curve,
            keyID: keyID)
    }

    /// The key that verifies the signature.
    fileprivate func key(among keys: OrderedPostbackKeys) -> PostbackKey? {
        let detached = detachedSignature
        let verifies = { (key: PostbackKey) in
            key.key.isValid(signature: detached.signature, digest: detached.digest)
        }
        guard let name = detached.keyID else { return keys.first(on: curve, where: verifies) }
        return keys.first(named: name, on: curve, where: verifies)
    }
}
