/// Verifies postbacks with the keys of one key ring.
public struct PostbackVerifier: Sendable {
    private let keyRing: KeyRing

    /// Makes a verifier for a key ring.
    public init(keyRing: KeyRing) {
        self.keyRing = keyRing
    }

    /// Checks one postback, as a batch of one.
    ///
    /// - Throws: `unknown_network` or `invalid_signature`.
    public func verify(_ postback: Postback) throws(PostbackRejection) -> VerifiedPostback {
        var results = verify([postback])
        guard let result = results.popLast() else { throw .invalidSignature(postback) }
        return try result.get()
    }

    /// Checks for each postback that its network or app is known, and that its signature holds.
    ///
    /// Apple's production keys are tried first, then its development keys, then those of the ring. Every signature is
    /// checked: if the network and the app are unknown, that is the refusal, and it tells whether Apple signed.
    /// - Returns: a result for each postback, in the order given: `unknown_network` or `invalid_signature`.
    public func verify(_ postbacks: [Postback]) -> [Result<VerifiedPostback, PostbackRejection>] {
        zip(postbacks, PostbackSignature.signatures(of: postbacks, among: keyRing.orderedKeys)).map(verdict)
    }

    private func verdict(
        on postback: Postback, _ signature: PostbackSignature?
    ) -> Result<VerifiedPostback, PostbackRejection> {
        guard let recipient = keyRing.recipient(of: postback) else {
            return .failure(.unknownNetwork(postback, signature.flatMap(GenuineTransaction.init)))
        }
        guard let signature else { return .failure(.invalidSignature(postback)) }
        return .success(verified(signature, for: recipient))
    }

    private func verified(_ signature: PostbackSignature, for recipient: KeyRing.Recipient) -> VerifiedPostback {
        VerifiedPostback(
            postback: signature.postback,
            environment: signature.environment,
            signingKey: signature.key.name,
            isDeveloperCopy: recipient == .developer)
    }
}

/// A postback whose signature holds.
///
/// Only `PostbackVerifier` creates one. The store counts nothing else.
public struct VerifiedPostback: Sendable {
    /// The postback as it was signed.
    public let postback: Postback
    /// The environment in which it counts.
    public let environment: AttributionEnvironment
    /// The name of the key that verified it.
    public let signingKey: String
    /// Whether it is a developer copy.
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
