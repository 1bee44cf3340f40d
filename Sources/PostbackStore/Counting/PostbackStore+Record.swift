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
        return try await pool.withTransaction("record_postbacks", preparedBy: DeliveryStaging.create) { connection in
            var pending = PendingDeliveries(deliveries)
            var changes: [PostbackChange] = []
            var updated: [PostbackKeyColumns: StoredPostback] = [:]
            var isFirst = true
            while case let offers = pending.nextRound(), !offers.isEmpty {
                if !isFirst { _ = try connection.query(DeliveryStaging.clear) }
                isFirst = false
                try connection.copy(DeliveryStaging.copy, DeliveryStaging.rows(offers))
                var round = OfferedRound(offers)
                var results: [PostbackKeyColumns: DeliveryOutcome] = [:]
                results.reserveCapacity(offers.count)
                for row in try connection.query(statement) {
                    guard let (key, change) = try round.change(row) else { continue }
                    switch change {
                    case .inserted:
                        results[key] = .accepted
                    case .raised(let stored):
                        results[key] = .raised
                        changes.append(contentsOf: PostbackChange.raise(of: stored))
                        updated[key] = stored
                    case .conflicted(let stored):
                        results[key] = .conflict
                        changes.append(PostbackChange.conflicts(1, of: stored))
                        updated[key] = stored
                    }
                }
                pending.settle(results)
            }
            for (key, count) in pending.unwrittenConflicts.sorted(by: { $0.key < $1.key }) {
                guard let stored = updated[key] else { continue }
                _ = try connection.query(
                    PostbackStatements.addConflicts, PostbackStatements.bindings(key, conflicts: count))
                changes.append(PostbackChange.conflicts(count, of: stored))
            }
            if !changes.isEmpty {
                _ = try connection.query(PostbackChangeStatement.append, PostbackChangeStatement.bindings(changes))
            }
            return pending.outcomes
        }
    }
}

extension PostgresError {
    /// Whether the database refused values (classes 22, 23 and 54), as opposed to being unable to work.
    package var isAboutValues: Bool {
        guard let state = sqlState?.description else { return false }
        return state.hasPrefix("22") || state.hasPrefix("23") || state.hasPrefix("54")
    }
}
