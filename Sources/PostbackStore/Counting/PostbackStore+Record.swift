import PostgresClient

extension PostbackStore {
    /// Counts a batch of deliveries, in order of arrival, in one transaction that is durable when this returns.
    ///
    /// - Returns: one result for each delivery, in the order given. A delivery fails by itself where only its own
    ///   values are refused by the database; everything else fails the whole batch, and nothing of it is stored.
    ///   Where a commit's outcome is unknown the batch fails too: delivered again, what was stored is a duplicate.
    public func record(_ deliveries: [PostbackDelivery]) async -> [Result<DeliveryOutcome, any Error>] {
        guard !deliveries.isEmpty else { return [] }
        do {
            return try await recordTogether(deliveries).map { .success($0) }
        } catch let error as PostgresError where error.isAboutValues && deliveries.count > 1 {
            // One delivery that the database refuses must not take its neighbours along: halve until it stands alone.
            let middle = deliveries.count / 2
            let first = await record(Array(deliveries[..<middle]))
            let second = await record(Array(deliveries[middle...]))
            return first + second
        } catch {
            return deliveries.map { _ in .failure(error) }
        }
    }

    private func recordTogether(_ deliveries: [PostbackDelivery]) async throws -> [DeliveryOutcome] {
        let statement = PostbackStatements.insertOrRaise(policy)
        return try await pool.withTransaction("record_postbacks") { connection in
            var pending = PendingDeliveries(deliveries)
            var change = AggregateChange()
            var written: [PostbackKeyColumns: StoredPostback] = [:]
            while case let round = pending.nextRound(), !round.isEmpty {
                let offered = Dictionary(uniqueKeysWithValues: round.map { ($0.key, $0.delivery) })
                var results: [PostbackKeyColumns: DeliveryOutcome] = [:]
                for row in try connection.query(statement, PostbackStatements.bindings(round)) {
                    let stored = try StoredPostback(row)
                    guard let delivery = offered[stored.key] else { continue }
                    let outcome = stored.outcome(of: delivery)
                    results[stored.key] = outcome
                    written[stored.key] = stored
                    change.add(outcome, stored)
                }
                pending.settle(results)
            }
            for (key, count) in pending.unwrittenConflicts.sorted(by: { $0.key < $1.key }) {
                guard let stored = written[key] else { continue }
                _ = try connection.query(
                    PostbackStatements.addConflicts, PostbackStatements.bindings(key, conflicts: count))
                change.addConflicts(count, stored)
            }
            try change.write(over: connection)
            return pending.outcomes
        }
    }
}

extension AggregateChange {
    /// Adds the change to the three tables, each in the order of its keys.
    fileprivate func write(over connection: isolated PostgresConnection) throws {
        guard !campaigns.isEmpty else { return }
        _ = try connection.query(
            AggregateStatements.addToCampaignDaily,
            AggregateStatements.bindings(campaigns.sorted { $0.key < $1.key }))
        _ = try connection.query(
            AggregateStatements.addToSourceAppDaily,
            AggregateStatements.bindings(sourceApps.sorted { $0.key < $1.key }))
        let moved = values.filter { $0.value != 0 }.sorted { $0.key < $1.key }
        guard !moved.isEmpty else { return }
        _ = try connection.query(AggregateStatements.addToConversionValueDaily, AggregateStatements.bindings(moved))
    }
}

extension PostgresError {
    /// Whether the database refused values (classes 22, 23 and 54), as opposed to being unable to work.
    package var isAboutValues: Bool {
        guard let state = sqlState?.description else { return false }
        return state.hasPrefix("22") || state.hasPrefix("23") || state.hasPrefix("54")
    }
}
