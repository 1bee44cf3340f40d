package import AdAttribution
package import PostbackStore
package import PostgresClient

/// A body that was refused, and the reason, for the quarantine.
package struct RejectedPostback: Sendable {
    /// The body, byte for byte.
    package let body: [UInt8]
    /// Why it was refused.
    package let rejection: PostbackRejection
    /// When it was received.
    package let receivedAt: PostgresTimestamp
    /// Its source address and User-Agent.
    package let origin: DeliveryOrigin
    /// The transaction, if Apple signed the body.
    ///
    /// Then the body is stored in the protected half.
    let transaction: ProtectedTransaction?

    /// Takes a body and why it was refused.
    package init(
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
