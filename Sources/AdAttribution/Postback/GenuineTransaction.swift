package import struct Foundation.UUID

/// The transaction of a rejected postback that Apple signed all the same: its signature verifies under one of Apple's
/// own keys.
///
/// It can only be made from a checked signature, so nobody can forge one. It can't be counted. Its parts are the key
/// under which the postback would be counted, and the value that it offers.
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

    init?(_ signature: PostbackSignature) {
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
