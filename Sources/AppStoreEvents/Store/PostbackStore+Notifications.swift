package import AdAttribution
import AppStoreData
package import PostbackStore
import PostgresClient

extension PostbackStore {
    /// The number of lanes of notifications.
    package static var storeLanes: Int { 4 }

    /// Stores notifications of one lane, in order of arrival.
    ///
    /// The batch is one transaction. If the database refuses a value, the batch is split into halves until the refused
    /// notification is alone. Each half is a transaction. What succeeded is durable when this returns.
    ///
    /// - Parameters:
    ///   - deliveries: Notifications whose `NotificationDelivery.lane` is the same.
    ///   - lane: That lane.
    ///   - accountKey: The key under which account tokens are hashed; nil if they are not kept at all.
    /// - Returns: One result for each delivery, in the order given. A notification fails alone if the database refuses
    ///   its values. Every other error fails a whole transaction: nothing of it is stored, unless the outcome of the
    ///   commit is unknown. Delivered again, what is stored is a duplicate.
    package func record(
        _ deliveries: [NotificationDelivery], lane: Int, accountKey: HMACKey?
    ) async -> [Result<NotificationOutcome, any Error>] {
        guard !deliveries.isEmpty else { return [] }
        do {
            let outcomes = try await write(NotificationBatch(deliveries, lane: lane, accountKey: accountKey))
            return outcomes.map { .success($0) }
        } catch let error as PostgresError where error.isAboutValues && deliveries.count > 1 {
            let middle = deliveries.count / 2
            let first = await record(Array(deliveries[..<middle]), lane: lane, accountKey: accountKey)
            return first + (await record(Array(deliveries[middle...]), lane: lane, accountKey: accountKey))
        } catch {
            return deliveries.map { _ in .failure(error) }
        }
    }

    /// Stores notifications of one lane as `record` does, and puts those into the quarantine whose values the database
    /// refuses.
    ///
    /// Apple delivers such a notification again in vain, and then never. From the quarantine a later version can store it.
    ///
    /// - Returns: One result for each delivery, in the order given. A `SignedDataError` says that the notification is in the
    ///   quarantine; every other error says what it says of `record`.
    package func recordOrQuarantine(
        _ deliveries: [NotificationDelivery], lane: Int, accountKey: HMACKey?
    ) async -> [Result<NotificationOutcome, any Error>] {
        var results = await record(deliveries, lane: lane, accountKey: accountKey)
        var refused: [(place: Int, rejected: RejectedNotification)] = []
        for (place, result) in results.enumerated() {
            guard case .failure(let error as PostgresError) = result, error.isAboutValues else { continue }
            pool.logFailure(of: "store_notifications", error)
            refused.append((place, RejectedNotification(deliveries[place], refusedBy: error)))
        }
        guard !refused.isEmpty else { return results }
        do {
            try await quarantine(refused.map(\.rejected))
            for (place, rejected) in refused { results[place] = .failure(rejected.error) }
        } catch {
            for (place, _) in refused { results[place] = .failure(error) }
        }
        return results
    }

    /// Runs the transaction of a batch, as often as `PostgresPool.withTransaction` does after collisions.
    ///
    /// After a lost connection it runs once more. If it was committed before, its notifications are duplicates then.
    private func write(_ batch: NotificationBatch) async throws -> [NotificationOutcome] {
        do {
            return try await writers.withTransaction("store_notifications") { try batch.write(over: $0) }
        } catch let error as PostgresError where error.isConnectionLoss {
            writers.logRepetition(of: "store_notifications", error, attempt: 1)
            return try await writers.withTransaction("store_notifications") { try batch.write(over: $0) }
        }
    }
}

extension RejectedNotification {
    /// A notification that was verified, but whose values the database refuses.
    fileprivate init(_ delivery: NotificationDelivery, refusedBy error: PostgresError) {
        let state = error.sqlState.map { "; it says \($0)" } ?? ""
        self.init(
            body: delivery.body,
            error: SignedDataError(
                .malformed, field: "notification", rule: "must have values that the database takes" + state,
                genuineNotification: delivery.notification.genuine),
            receivedAt: delivery.receivedAt)
    }
}
