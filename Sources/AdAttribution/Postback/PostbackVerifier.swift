package import struct Foundation.UUID

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
        var signed = postbacks
        let keys = keyRing.orderedKeys.find(for: &signed)
        return zip(signed, keys).map(verdict)
    }

    private func verdict(
        on postback: Postback, _ key: PostbackKey?
    ) -> Result<VerifiedPostback, PostbackRejection> {
        guard let recipient = keyRing.recipient(of: postback) else {
            let genuine = key.flatMap { GenuineTransaction(postback, under: $0) }
            return .failure(.unknownNetwork(postback, genuine))
        }
        guard let key else { return .failure(.invalidSignature(postback)) }
        return .success(VerifiedPostback(postback, under: key, isDeveloperCopy: recipient == .developer))
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

    fileprivate init(_ postback: Postback, under key: PostbackKey, isDeveloperCopy: Bool) {
        self.postback = postback
        environment = key.environment(of: postback)
        signingKey = key.name
        self.isDeveloperCopy = isDeveloperCopy
    }
}

/// The transaction of a rejected postback that Apple signed all the same: its signature verifies under one of Apple's
/// own keys.
///
/// Only `PostbackVerifier` creates one, so nobody can forge one. It can't be counted. Its parts are the key under which
/// the postback would be counted, and the value that it offers.
package struct GenuineTransaction: Sendable, Equatable {
    /// The environment in which the postback would count: production or development.
    package let environment: AttributionEnvironment
    /// The protocol.
    package let attributionProtocol: AttributionProtocol
    /// The network in lower case.
    package let adNetworkID: String
    /// The transaction.
    package let transactionID: UUID
    /// The conversion window.
    package let sequenceIndex: PostbackSequenceIndex
    /// Whether the postback is winning.
    package let didWin: Bool
    /// The conversion value, which Apple does not sign.
    package let conversionValue: ReportedConversionValue

    fileprivate init?(_ postback: Postback, under key: PostbackKey) {
        guard key.isApples else { return nil }
        environment = key.environment(of: postback)
        attributionProtocol = postback.attributionProtocol
        adNetworkID = postback.adNetworkID.lowercased
        transactionID = postback.transactionID.uuid
        sequenceIndex = postback.sequenceIndex
        didWin = postback.didWin
        conversionValue = postback.conversionValue
    }
}
