public import struct Foundation.UUID

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

/// The transaction of a rejected postback that Apple signed all the same: its signature verifies under one of Apple's
/// own keys.
///
/// Only `PostbackVerifier` creates one, so nobody can forge one. It can't be counted. Its parts are the key under which
/// the postback would be counted, and the value that it offers.
public struct GenuineTransaction: Sendable, Equatable {
    /// What the postback would count as: production or development.
    public let environment: AttributionEnvironment
    /// The framework.
    public let attributionProtocol: AttributionProtocol
    /// The network in lower case.
    public let adNetworkID: String
    /// The transaction.
    public let transactionID: UUID
    /// The conversion window.
    public let sequenceIndex: PostbackSequenceIndex
    /// Whether the network won the attribution.
    public let didWin: Bool
    /// The conversion value, which Apple does not sign.
    public let conversionValue: ReportedConversionValue

    fileprivate init?(_ signature: PostbackSignature) {
        guard signature.key.isApples else { return nil }
        let postback = signature.postback
        environment = signature.environment
        attributionProtocol = postback.attributionProtocol
        adNetworkID = postback.adNetworkID.lowercased
        transactionID = postback.transactionID.uuid
        sequenceIndex = postback.sequenceIndex
        didWin = postback.didWin
        conversionValue = postback.conversionValue
    }
}

/// Tells whether a postback is ours and genuine, against the keys of one key ring.
public struct PostbackVerifier: Sendable {
    private let keyRing: KeyRing

    /// A verifier for this key ring.
    public init(keyRing: KeyRing) {
        self.keyRing = keyRing
    }

    /// Checks that the network or the app is known, and that the signature holds.
    ///
    /// `PostbackSignature` tries Apple's production keys, then its development keys, then those of the ring.
    ///
    /// The signature is checked once in any case. If the network and the app are unknown, that is the refusal, whatever
    /// the signature is; the refusal then tells whether Apple signed the postback.
    /// - Throws: `unknown_network` or `invalid_signature`.
    public func verify(_ postback: Postback) throws(PostbackRejection) -> VerifiedPostback {
        let signature = Result { () throws(PostbackRejection) in
            try PostbackSignature(checking: postback, among: keyRing.orderedKeys)
        }
        return try verdict(on: postback, signature).get()
    }

    /// Checks many postbacks by the same rules; their signatures side by side, which takes less time than one by one.
    ///
    /// - Returns: a result for each, in the order given.
    public func verify(_ postbacks: [Postback]) -> [Result<VerifiedPostback, PostbackRejection>] {
        zip(postbacks, PostbackSignature.check(postbacks, among: keyRing.orderedKeys)).map(verdict)
    }

    private func verdict(
        on postback: Postback, _ signature: Result<PostbackSignature, PostbackRejection>
    ) -> Result<VerifiedPostback, PostbackRejection> {
        guard let recipient = keyRing.recipient(of: postback) else {
            let genuine = (try? signature.get()).flatMap(GenuineTransaction.init)
            return .failure(.unknownNetwork(postback, genuine))
        }
        return signature.map { verified($0, for: recipient) }
    }

    private func verified(_ signature: PostbackSignature, for recipient: KeyRing.Recipient) -> VerifiedPostback {
        VerifiedPostback(
            postback: signature.postback,
            environment: signature.environment,
            signingKey: signature.key.name,
            isDeveloperCopy: recipient == .developer)
    }
}
