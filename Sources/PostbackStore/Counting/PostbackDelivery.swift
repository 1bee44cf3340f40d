public import AdAttribution
public import PostgresClient

/// One arrival of a verified postback.
public struct PostbackDelivery: Sendable {
    /// The postback.
    public let verified: VerifiedPostback
    /// When its request was received.
    public let receivedAt: PostgresTimestamp
    /// Where its request came from.
    public let origin: DeliveryOrigin

    /// A postback, when it was received, and from where.
    public init(_ verified: VerifiedPostback, receivedAt: PostgresTimestamp, origin: DeliveryOrigin = .unknown) {
        self.verified = verified
        self.receivedAt = receivedAt
        self.origin = origin
    }
}
