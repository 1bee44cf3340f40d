public import AdAttribution
public import PostgresClient

/// A body that was refused, and why: what the quarantine keeps.
public struct RejectedPostback: Sendable {
    /// The body, byte for byte.
    public let body: [UInt8]
    /// Why it was refused.
    public let rejection: PostbackRejection
    /// When its request was received.
    public let receivedAt: PostgresTimestamp
    /// Where its request came from.
    public let origin: DeliveryOrigin
    /// The transaction, if Apple signed the body; then it belongs to the protected half.
    let transaction: ProtectedTransaction?

    /// A refused body.
    public init(
        body: [UInt8], rejection: PostbackRejection, receivedAt: PostgresTimestamp, origin: DeliveryOrigin = .unknown
    ) {
        self.init(
            body: body, rejection: rejection, receivedAt: receivedAt, origin: origin,
            transaction: rejection.genuineTransaction.map(ProtectedTransaction.init))
    }

    init(
        body: [UInt8], rejection: PostbackRejection, receivedAt: PostgresTimestamp, origin: DeliveryOrigin,
        transaction: ProtectedTransaction?
    ) {
        self.body = body
        self.rejection = rejection
        self.receivedAt = receivedAt
        self.origin = origin
        self.transaction = transaction
    }
}
