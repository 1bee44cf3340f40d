public import AdAttribution
public import PostgresClient

/// A body that was refused, and why: what the quarantine keeps.
public struct RejectedPostback: Sendable {
    /// The body, byte for byte.
    public let body: [UInt8]
    /// Why it was refused.
    public let rejection: PostbackRejection
    /// Whether its network or app is in the key ring.
    public let isKnown: Bool
    /// When its request was received.
    public let receivedAt: PostgresTimestamp
    /// Where its request came from.
    public let origin: DeliveryOrigin

    /// A refused body.
    public init(
        body: [UInt8], rejection: PostbackRejection, isKnown: Bool, receivedAt: PostgresTimestamp,
        origin: DeliveryOrigin = .unknown
    ) {
        self.body = body
        self.rejection = rejection
        self.isKnown = isKnown
        self.receivedAt = receivedAt
        self.origin = origin
    }
}
