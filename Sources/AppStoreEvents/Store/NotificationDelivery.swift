import AdAttribution
package import AppStoreData
import Foundation
import PostbackStore
package import PostgresClient

/// One delivery of a verified notification.
package struct NotificationDelivery: Sendable {
    /// The key of a notification: that of `attribution.store_notification`.
    struct Key: Sendable, Hashable {
        let environment: AttributionEnvironment
        let id: UUID
    }

    /// The notification.
    package let notification: StoreNotification
    /// The body as received, but without a secret.
    package let body: [UInt8]
    /// When it was received.
    package let receivedAt: PostgresTimestamp
    let key: Key
    let bodySHA256: [UInt8]

    /// Takes a notification, its body without the secret, and its time of receipt.
    package init(notification: StoreNotification, body: [UInt8], receivedAt: PostgresTimestamp) {
        self.notification = notification
        self.body = body
        self.receivedAt = receivedAt
        let id = notification.id.prefix(16) + repeatElement(0, count: max(0, 16 - notification.id.count))
        key = Key(
            environment: notification.environment,
            id: UUID(uuid: Array(id).withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }))
        bodySHA256 = SHA256.digest(body)
    }

    /// The lane that stores it: all deliveries of a notification have the same one.
    package var lane: Int { Int(notification.id.first ?? 0) % PostbackStore.storeLanes }

    /// The only transaction that it is about; nil if there are several.
    var transactionID: String? {
        notification.transactions.count == 1 ? notification.transactions.first?.transactionID : nil
    }
}
