/// A postback whose signature verifies, for any network and app.
public struct PostbackSignature: Sendable {
    /// The postback as it was signed, without what a relay added.
    public let postback: Postback
    /// The key that verified it.
    public let key: PostbackKey

    private init(_ postback: Postback, under key: PostbackKey) {
        self.postback = postback
        self.key = key
    }

    /// Checks one signature under keys that are used this once.
    ///
    /// - Throws: `invalid_signature` with the bytes that were checked.
    public init(checking postback: Postback, among keys: [PostbackKey]) throws(PostbackRejection) {
        guard let result = Self.check([postback], among: OrderedPostbackKeys(keys)).first else {
            throw .invalidSignature(postback)
        }
        self = try result.get()
    }

    /// Checks the signatures of any number of postbacks.
    ///
    /// SKAdNetwork names no key, so each on the version's curve is tried in the order given. AdAttributionKit names its
    /// key, and only that one is tried, on P-256. If none verifies, and the body has a source app id of 0, it is tried
    /// once more without that id, since relays turn absent fields into 0.
    /// - Returns: a result for each postback, in the order given: `invalid_signature` with the bytes that were checked.
    package static func check(
        _ postbacks: [Postback], among keys: OrderedPostbackKeys
    ) -> [Result<PostbackSignature, PostbackRejection>] {
        var budgets = [SignatureBudget](repeating: SignatureBudget(), count: postbacks.count)
        var results = zip(postbacks, keys.keys(verifying: postbacks.map(\.signatureClaim), &budgets)).map(result)
        let retries = postbacks.indices.compactMap { place in
            if case .failure = results[place] {
                postbacks[place].withoutFilledInSource.map { (place, $0) }
            } else {
                nil
            }
        }
        guard !retries.isEmpty else { return results }
        var rest = retries.map { budgets[$0.0] }
        for ((place, postback), key) in zip(retries, keys.keys(verifying: retries.map(\.1.signatureClaim), &rest)) {
            if let key { results[place] = .success(PostbackSignature(postback, under: key)) }
        }
        return results
    }

    private static func result(
        _ postback: Postback, _ key: PostbackKey?
    ) -> Result<PostbackSignature, PostbackRejection> {
        key.map { .success(PostbackSignature(postback, under: $0)) } ?? .failure(.invalidSignature(postback))
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
    fileprivate var signatureClaim: SignatureClaim {
        SignatureClaim(
            signed: SignedDigest(signature: signature, message: signedMessage.bytes), curve: curve,
            keyID: keyID)
    }
}
