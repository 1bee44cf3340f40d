package import AppStoreData
package import PostbackStore
package import PostgresClient

/// A body that was refused, and the reason, for the quarantine.
package struct RejectedNotification: Sendable {
    /// The body without the secret.
    package let body: [UInt8]
    /// Why it was refused.
    package let error: SignedDataError
    /// When it was received.
    package let receivedAt: PostgresTimestamp
    /// Its source address; its User-Agent is not kept.
    package let origin: DeliveryOrigin

    /// Takes a body as received, of which no secret is kept, and why it was refused.
    ///
    /// Of a genuine notification only what was verified is kept, since nobody signed what stands beside it.
    package init(
        body: [UInt8], error: SignedDataError, receivedAt: PostgresTimestamp, origin: DeliveryOrigin = .unknown
    ) {
        self.body = error.genuineNotification?.kept ?? StoreNotification.withoutSecret(body)
        self.error = error
        self.receivedAt = receivedAt
        self.origin = origin
    }
}
