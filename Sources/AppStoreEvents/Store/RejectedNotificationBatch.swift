import AdAttribution
import AppStoreData
import PostbackStore
import PostgresClient

/// Refused bodies, merged into one entry for each row, because one statement can change a row only once.
struct RejectedNotificationBatch: Sendable {
    private struct Row: Sendable {
        let key: [UInt8]
        let rejected: RejectedNotification
        let claims: NotificationClaims
        var attempts: Int64 = 0
        var firstSeenAt: PostgresTimestamp
        var lastSeenAt: PostgresTimestamp
    }

    private let rows: [Row]

    init(_ rejected: [RejectedNotification]) {
        var rows: [[UInt8]: Row] = [:]
        for one in rejected {
            let error = one.error
            let reason = [error.reason.rawValue, error.field, error.rule].joined(separator: "\0")
            let key = SHA256.digest(error.genuineNotification?.id ?? (SHA256.digest(one.body) + reason.utf8))
            var row =
                rows[key]
                ?? Row(
                    key: key, rejected: one, claims: NotificationClaims(one.body), firstSeenAt: one.receivedAt,
                    lastSeenAt: one.receivedAt)
            row.attempts += 1
            row.firstSeenAt = min(row.firstSeenAt, one.receivedAt)
            row.lastSeenAt = max(row.lastSeenAt, one.receivedAt)
            rows[key] = row
        }
        self.rows = Array(rows.values)
    }

    var isEmpty: Bool { rows.isEmpty }

    /// The step that inserts rows; for a row that exists it adds the attempts.
    ///
    /// A genuine notification may be refused for another reason than before. Other rows have one reason for ever.
    var insertOrCount: PostgresPipelineStep {
        PostgresPipelineStep(Self.insertOrCount, Self.columns.bindings(rows))
    }

    private static let insertOrCount = PostgresStatement(
        "rejected_notifications_insert_or_count",
        """
        INSERT INTO attribution.rejected_notification AS stored (\(columns.names()))
        SELECT \(columns.names())
          FROM \(columns.rows())
         ORDER BY key
        ON CONFLICT (key) DO UPDATE SET
            reason = excluded.reason, field = excluded.field, rule = excluded.rule,
            attempts = stored.attempts + excluded.attempts,
            first_seen_at = least(stored.first_seen_at, excluded.first_seen_at),
            last_seen_at = greatest(stored.last_seen_at, excluded.last_seen_at)
        """)

    private static let columns: [StoreColumn<Row>] = [
        .bytes("key") { $0.key },
        .boolean("protected") { $0.rejected.error.genuineNotification != nil },
        .text("reason") { $0.rejected.error.reason.rawValue },
        .text("field") { $0.rejected.error.field },
        .text("rule") { $0.rejected.error.rule },
        .text("bundle_id") { $0.claims.bundleID },
        .text("type") { $0.claims.type },
        .bytes("body") { $0.rejected.body },
        .address("source_address") { $0.rejected.origin.ipAddress },
        .integer("attempts") { $0.attempts },
        .time("first_seen_at") { $0.firstSeenAt },
        .time("last_seen_at") { $0.lastSeenAt },
    ]
}
