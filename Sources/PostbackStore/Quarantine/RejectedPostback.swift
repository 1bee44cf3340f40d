public import AdAttribution
public import PostgresClient

/// A body that was refused, and the reason, for the quarantine.
public struct RejectedPostback: Sendable {
    /// The body, byte for byte.
    public let body: [UInt8]
    /// Why it was refused.
    public let rejection: PostbackRejection
    /// When it was received.
    public let receivedAt: PostgresTimestamp
    /// Its source address and User-Agent.
    public let origin: DeliveryOrigin
    /// The transaction, if Apple signed the body.
    ///
    /// Then the body is stored in the protected half.
    let transaction: ProtectedTransaction?

    /// Takes a body and why it was refused.
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
