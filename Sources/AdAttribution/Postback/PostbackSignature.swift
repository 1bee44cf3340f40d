/// A postback whose signature verifies, for any network and app.
package struct PostbackSignature: Sendable {
    /// The postback as it was signed, without what a relay added.
    package let postback: Postback
    /// The key that verified it.
    package let key: PostbackKey

    private init(_ postback: Postback, under key: PostbackKey) {
        self.postback = postback
        self.key = key
    }

    /// Checks one signature under keys that are used this once.
    ///
    /// - Throws: `invalid_signature` with the bytes that were checked.
    package init(checking postback: Postback, among keys: [PostbackKey]) throws(PostbackRejection) {
        guard let result = Self.check([postback], among: OrderedPostbackKeys(keys)).first else {
            throw .invalidSignature(postback)
        }
        self = try result.get()
    }

    /// Checks the signatures of any number of postbacks.
    ///
    /// SKAdNetwork names no key, so each on the version's curve is tried in the order given. AdAttributionKit names its
    /// key, and only that one is tried, on P-256. If none verifies, and the body has a source app id of 0, it is tried
    /// once more without that id. Relays turn absent fields into 0.
    /// - Returns: a result for each postback, in the order given: `invalid_signature` with the bytes that were checked.
    package static func check(
        _ postbacks: [Postback], among keys: OrderedPostbackKeys
    ) -> [Result<PostbackSignature, PostbackRejection>] {
        zip(postbacks, signatures(of: postbacks, among: keys)).map { postback, signature in
            signature.map { .success($0) } ?? .failure(.invalidSignature(postback))
        }
    }

    /// The same, with nil for a signature that does not hold.
    static func signatures(of postbacks: [Postback], among keys: OrderedPostbackKeys) -> [PostbackSignature?] {
        var claims = postbacks.map { SignatureClaim($0, SignatureBudget()) }
        keys.find(for: &claims)
        var signatures = zip(postbacks, claims).map(signature)
        retry(postbacks, claims, among: keys, into: &signatures)
        return signatures
    }

    /// Tries postbacks that have no key once more, without a source app id of 0.
    private static func retry(
        _ postbacks: [Postback], _ claims: [SignatureClaim], among keys: OrderedPostbackKeys,
        into signatures: inout [PostbackSignature?]
    ) {
        var places: [Int] = []
        var changed: [Postback] = []
        for place in claims.indices where claims[place].key == nil {
            guard let postback = postbacks[place].withoutFilledInSource else { continue }
            places.append(place)
            changed.append(postback)
        }
        guard !places.isEmpty else { return }
        // What the first time left of the budget.
        var again = zip(changed, places).map { SignatureClaim($0, claims[$1].budget) }
        keys.find(for: &again)
        for (place, retried) in zip(places, zip(changed, again).map(signature)) { signatures[place] = retried }
    }

    private static func signature(_ postback: Postback, _ claim: SignatureClaim) -> PostbackSignature? {
        claim.key.map { PostbackSignature(postback, under: $0) }
    }

    /// What the postback counts as: under a production key `production`, unless its *signed* source app id is 0, which
    /// only development builds carry.
    package var environment: AttributionEnvironment { Self.environment(of: postback, under: key) }

    static func environment(of postback: Postback, under key: PostbackKey) -> AttributionEnvironment {
        guard key.environment == .production else { return key.environment }
        return postback.source?.appID == .development ? .development : .production
    }
}
