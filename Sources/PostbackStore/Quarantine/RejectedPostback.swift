public import AdAttribution
public import PostgresClient

/// A body that was refused, and why: what the quarantine keeps.
public struct RejectedPostback: Sendable {
    /// The body, byte for byte.
    public let body: [UInt8]
    /// Why it was refused.
    public let rejection: PostbackRejection
    /// Where it came from.
    public let origin: DeliveryOrigin
    /// When its request was received.
    public let receivedAt: PostgresTimestamp
    /// The transaction, if Apple signed the body; then it belongs to the protected half.
    let transaction: ProtectedTransaction?

    /// A refused body.
    public init(
        body: [UInt8], rejection: PostbackRejection, origin: DeliveryOrigin = .unknown, receivedAt: PostgresTimestamp
    ) {
        self.init(
            body: body, rejection: rejection, origin: origin, receivedAt: receivedAt,
            transaction: rejection.genuineTransaction.map(ProtectedTransaction.init))
    }

    init(
        body: [UInt8], rejection: PostbackRejection, origin: DeliveryOrigin, receivedAt: PostgresTimestamp,
        transaction: ProtectedTransaction?
    ) {
        self.body = body
        self.rejection = rejection
        self.origin = origin
        self.receivedAt = receivedAt
        self.transaction = transaction
    }
}
