package import AdAttribution
package import Foundation
package import PostbackStore
import PostgresClient

/// The key of a stored notification.
package struct StoredNotificationKey: Sendable, Hashable {
    /// The environment.
    package let environment: AttributionEnvironment
    /// Apple's `notificationUUID`.
    package let id: UUID

    /// Takes both.
    package init(environment: AttributionEnvironment, id: UUID) {
        self.environment = environment
        self.id = id
    }

    /// Takes the 16 bytes of an id; nil for any other number of them.
    package init?(environment: AttributionEnvironment, bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.init(
            environment: environment, id: bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    }
}

/// The key of a stored transaction.
package struct StoredTransactionKey: Sendable, Hashable {
    /// The environment.
    package let environment: AttributionEnvironment
    /// Apple's `transactionId`.
    package let id: String

    /// Takes both.
    package init(environment: AttributionEnvironment, id: String) {
        self.environment = environment
        self.id = id
    }
}

extension PostbackStore {
    /// Those of some notifications that are stored.
    package func stored(_ keys: [StoredNotificationKey]) async throws -> Set<StoredNotificationKey> {
        var bindings = PostgresBindings()
        bindings.append(keys.map(\.environment.rawValue))
        bindings.append(keys.map(\.id))
        let parameters = bindings
        return try await pool.withStatement("store_reconcile_notifications") { connection in
            var found: Set<StoredNotificationKey> = []
            for row in try connection.query(Self.askedNotifications, parameters) {
                let index = Int(try row.decode(Int64.self, at: 0)) - 1
                if keys.indices.contains(index) { found.insert(keys[index]) }
            }
            return found
        }
    }

    /// What is stored of some transactions.
    package func stored(_ keys: [StoredTransactionKey]) async throws -> [StoredTransactionKey: StoredAmounts] {
        var bindings = PostgresBindings()
        bindings.append(keys.map(\.environment.rawValue))
        bindings.append(keys.map(\.id))
        let parameters = bindings
        return try await pool.withStatement("store_reconcile_transactions") { connection in
            var found: [StoredTransactionKey: StoredAmounts] = [:]
            for row in try connection.query(Self.askedTransactions, parameters) {
                var columns = ColumnCursor(row)
                let index = Int(try columns.next(Int64.self)) - 1
                let signedAt = try columns.next(PostgresTimestamp?.self)?.millisecondsSince1970
                let amounts = StoredAmounts(
                    signedAt: signedAt, price: try columns.next(), currency: try columns.next(),
                    quantity: try columns.next(),
                    revokedAt: try columns.next(PostgresTimestamp?.self)?.millisecondsSince1970,
                    revocationPercentage: try columns.next())
                if keys.indices.contains(index) { found[keys[index]] = amounts }
            }
            return found
        }
    }

    private static let askedNotifications = PostgresStatement(
        "store_reconcile_notifications",
        """
        SELECT asked.number
          FROM unnest($1::text[], $2::uuid[]) WITH ORDINALITY AS asked (environment, id, number)
          JOIN attribution.store_notification AS stored
            ON stored.environment = asked.environment AND stored.notification_id = asked.id
        """)

    private static let askedTransactions = PostgresStatement(
        "store_reconcile_transactions",
        """
        SELECT asked.number, stored.signed_at, stored.price::bigint, stored.currency, stored.quantity::bigint,
               stored.revoked_at, stored.revocation_percentage::bigint
          FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (environment, id, number)
          JOIN attribution.store_transaction AS stored
            ON stored.environment = asked.environment AND stored.transaction_id = asked.id
        """)
}
