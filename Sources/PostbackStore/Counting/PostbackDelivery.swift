public import AdAttribution
public import PostgresClient

/// One arrival of a verified postback.
public struct PostbackDelivery: Sendable {
    /// The postback.
    public let verified: VerifiedPostback
    /// When its request was received.
    public let receivedAt: PostgresTimestamp

    /// A postback and when it was received.
    public init(_ verified: VerifiedPostback, receivedAt: PostgresTimestamp) {
        self.verified = verified
        self.receivedAt = receivedAt
    }

    /// What it is counted under.
    var key: PostbackKeyColumns { PostbackKeyColumns(verified) }

    /// The conversion value that this delivery offers.
    var offered: ReportedConversionValue { verified.postback.conversionValue }
}
