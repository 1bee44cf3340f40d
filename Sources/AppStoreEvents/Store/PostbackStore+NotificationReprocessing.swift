package import AppStoreData
package import PostbackStore
import PostgresClient

extension PostbackStore {
    /// A refused notification, as the quarantine has it.
    private struct Quarantined: Sendable {
        let firstSeenAt: PostgresTimestamp
        let key: [UInt8]
        let body: [UInt8]

        init(_ row: PostgresRow) throws {
            var columns = ColumnCursor(row)
            firstSeenAt = try columns.next()
            key = try columns.next()
            body = try columns.next()
        }
    }

    /// How many bodies are read at a time.
    private static var reprocessedAtOnce: Int64 { 100 }

    /// Verifies quarantined notifications again, and stores those that pass now.
    ///
    /// Left out are those with a wrong secret. Of the others those of version 1 stay: their secret is not kept, so nobody
    /// can say any more whether they are Apple's.
    ///
    /// It may run beside servers. It can be stopped at any time and run again. A notification that was stored but not
    /// yet removed from the quarantine is then a duplicate.
    ///
    /// - Parameters:
    ///   - verifier: The verifier of the present key ring.
    ///   - now: The time in milliseconds since 1970.
    /// - Throws: An error of the database that was not about the values of one body.
    package func reprocessNotifications(
        verifier: SignedDataVerifier, now: Int64
    ) async throws -> NotificationReprocessing {
        var summary = NotificationReprocessing()
        var last: Quarantined?
        while true {
            let page = try await candidates(after: last)
            guard !page.isEmpty else { return summary }
            try await moveIn(page, verifier, now, &summary)
            last = page.last
        }
    }

    /// Verifies one quarantined notification again, whatever it was refused for, and stores it if it passes now.
    ///
    /// One of version 1 never passes, since its secret is not kept.
    ///
    /// - Parameters:
    ///   - key: The key of the row.
    ///   - verifier: The verifier of the present key ring.
    ///   - now: The time in milliseconds since 1970.
    /// - Returns: What happened to it; nil if the row is not there any more.
    /// - Throws: An error of the database that was not about the values of the body.
    package func reprocessNotification(
        _ key: [UInt8], verifier: SignedDataVerifier, now: Int64
    ) async throws -> NotificationReprocessing? {
        var bindings = PostgresBindings()
        bindings.append(bytea: key)
        let parameters = bindings
        let row = try await pool.withConnection { connection in
            try connection.query(RejectedNotificationStatements.one, parameters).first.map(Quarantined.init)
        }
        guard let row else { return nil }
        var summary = NotificationReprocessing()
        try await moveIn([row], verifier, now, &summary)
        return summary
    }

    private func candidates(after last: Quarantined?) async throws -> [Quarantined] {
        var bindings = PostgresBindings()
        bindings.append(last?.firstSeenAt ?? PostgresTimestamp(microsecondsSince2000: .min))
        bindings.append(bytea: last?.key ?? [])
        bindings.append(Self.reprocessedAtOnce)
        let parameters = bindings
        return try await pool.withConnection { connection in
            try connection.query(RejectedNotificationStatements.candidates, parameters).map(Quarantined.init)
        }
    }

    private func moveIn(
        _ page: [Quarantined], _ verifier: SignedDataVerifier, _ now: Int64, _ summary: inout NotificationReprocessing
    ) async throws {
        var lanes: [Int: [(key: [UInt8], delivery: NotificationDelivery)]] = [:]
        for row in page {
            do throws(SignedDataError) {
                let notification = try StoreNotification(body: row.body, by: verifier, now: now)
                let delivery = NotificationDelivery(
                    notification: notification, body: notification.kept, receivedAt: row.firstSeenAt)
                lanes[delivery.lane, default: []].append((row.key, delivery))
            } catch {
                summary.refused += 1
            }
        }
        var stored: [[UInt8]] = []
        for (lane, passed) in lanes {
            let results = await record(passed.map(\.delivery), lane: lane, accountKey: verifier.trust.accountKey)
            for (key, result) in zip(passed.map(\.key), results) {
                switch result {
                case .success(let outcome):
                    summary.count(outcome)
                    stored.append(key)
                case .failure(let error as PostgresError) where error.isAboutValues:
                    summary.failed += 1
                    pool.logFailure(of: "reprocess_notifications", error)
                case .failure(let error): throw error
                }
            }
        }
        guard !stored.isEmpty else { return }
        var bindings = PostgresBindings()
        bindings.append(byteas: stored)
        let parameters = bindings
        try await pool.withStatement("reprocess_notifications") { connection in
            _ = try connection.query(RejectedNotificationStatements.remove, parameters)
        }
    }
}
