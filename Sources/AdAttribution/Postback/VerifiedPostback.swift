/// A postback whose signature holds.
///
/// Only `PostbackVerifier` can make one, and it is all that the store takes.
public struct VerifiedPostback: Sendable {
    /// The postback as it was signed.
    public let postback: Postback
    /// What it counts as.
    public let environment: AttributionEnvironment
    /// The name of the key that verified it.
    public let signingKey: String
    /// Whether it came as an app developer's copy of another network's postback.
    public let isDeveloperCopy: Bool

    fileprivate init(
        postback: Postback, environment: AttributionEnvironment, signingKey: String, isDeveloperCopy: Bool
    ) {
        self.postback = postback
        self.environment = environment
        self.signingKey = signingKey
        self.isDeveloperCopy = isDeveloperCopy
    }
}

/// Tells whether a postback is ours and genuine, against the keys of one key ring.
public struct PostbackVerifier: Sendable {
    private let keyRing: KeyRing

    /// A verifier for this key ring.
    public init(keyRing: KeyRing) {
        self.keyRing = keyRing
    }

    /// Checks first that the network or the app is known, then the signature as `PostbackSignature` does, with Apple's
    /// production keys, then its development keys, then those of the ring.
    ///
    /// - Throws: `unknown_network` or `invalid_signature`.
    public func verify(_ postback: Postback) throws(PostbackRejection) -> VerifiedPostback {
        guard let recipient = keyRing.recipient(of: postback) else { throw .unknownNetwork(postback) }
        return verified(try PostbackSignature(checking: postback, among: keyRing.orderedKeys), for: recipient)
    }

    /// Checks many postbacks by the same rules; their signatures side by side, which takes less time than one by one.
    ///
    /// - Returns: a result for each, in the order given.
    public func verify(_ postbacks: [Postback]) -> [Result<VerifiedPostback, PostbackRejection>] {
        let recipients = postbacks.map(keyRing.recipient)
        let known = postbacks.indices.filter { recipients[$0] != nil }
        var signatures = PostbackSignature.check(known.map { postbacks[$0] }, among: keyRing.orderedKeys).makeIterator()
        return zip(postbacks, recipients).map { postback, recipient in
            guard let recipient, let signature = signatures.next() else { return .failure(.unknownNetwork(postback)) }
            return signature.map { verified($0, for: recipient) }
        }
    }

    private func verified(_ signature: PostbackSignature, for recipient: KeyRing.Recipient) -> VerifiedPostback {
        VerifiedPostback(
            postback: signature.postback,
            environment: signature.environment,
            signingKey: signature.key.name,
            isDeveloperCopy: recipient == .developer)
    }
}
