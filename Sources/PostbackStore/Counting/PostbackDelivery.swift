public import AdAttribution
public import PostgresClient

/// One delivery of a verified postback.
public struct PostbackDelivery: Sendable {
    /// The postback.
    public let verified: VerifiedPostback
    /// When it was received.
    public let receivedAt: PostgresTimestamp
    /// Its source address and User-Agent.
    public let origin: DeliveryOrigin

    /// Takes a postback, its time of receipt and its origin.
    public init(_ verified: VerifiedPostback, receivedAt: PostgresTimestamp, origin: DeliveryOrigin = .unknown) {
        self.verified = verified
        self.receivedAt = receivedAt
        self.origin = origin
    }
}
