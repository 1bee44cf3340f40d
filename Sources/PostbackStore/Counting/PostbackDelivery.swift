package import AdAttribution
package import PostgresClient

/// One delivery of a verified postback.
package struct PostbackDelivery: Sendable {
    /// The postback.
    package let verified: VerifiedPostback
    /// When it was received.
    package let receivedAt: PostgresTimestamp
    /// Its source address and User-Agent.
    package let origin: DeliveryOrigin

    /// Takes a postback, its time of receipt and its origin.
    package init(_ verified: VerifiedPostback, receivedAt: PostgresTimestamp, origin: DeliveryOrigin = .unknown) {
        self.verified = verified
        self.receivedAt = receivedAt
        self.origin = origin
    }
}
