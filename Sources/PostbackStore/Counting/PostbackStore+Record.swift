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
        var pending = PendingDeliveries(deliveries)
        // Nearly always each key is there once: then one statement is all, and a transaction by itself.
        if pending.isOneRound, deliveries.count < DeliveryStaging.threshold {
            let round = pending.nextRound()
            let results = try await pool.withStatement("record_postbacks") { connection in
                try count(round, over: connection, isFirst: true)
            }
            pending.settle(results)
            return pending.outcomes
        }
        return try await recordTogether(pending) { _, _ in }.outcomes
    }

    /// Counts a batch that is folded by key, and runs a body behind it in the same transaction.
    func recordTogether<Result: Sendable>(
        _ folded: PendingDeliveries,
        _ body: @Sendable (isolated PostgresConnection, [DeliveryOutcome]) throws -> Result
    ) async throws -> (outcomes: [DeliveryOutcome], result: Result) {
        try await pool.withTransaction("record_postbacks", preparedBy: DeliveryStaging.create) { connection in
            var pending = folded
            var isFirst = true
            while case let round = pending.nextRound(), !round.isEmpty {
                pending.settle(try count(round, over: connection, isFirst: isFirst))
                isFirst = false
            }
            for (key, count) in pending.unwrittenConflicts.sorted(by: { $0.key < $1.key }) {
                _ = try connection.query(ConflictStatement.add, ConflictStatement.bindings(key, conflicts: count))
            }
            return (pending.outcomes, try body(connection, pending.outcomes))
        }
    }

    /// Counts one round; what its deliveries did, by key, but for those that did nothing.
    private func count(
        _ round: [PendingDeliveries.Offer], over connection: isolated PostgresConnection, isFirst: Bool
    ) throws -> [PostbackKeyColumns: DeliveryOutcome] {
        let rows: PostgresResult
        // The temporary table is filled once a transaction.
        if isFirst, round.count >= DeliveryStaging.threshold {
            try connection.copy(DeliveryStaging.copy, DeliveryColumns.rows(round))
            rows = try connection.query(CountingStatement.staged(policy))
        } else {
            rows = try connection.query(CountingStatement.unnesting(policy), DeliveryColumns.bindings(round))
        }
        return try OfferedRound(round).outcomes(rows)
    }
}

extension PostgresError {
    /// Whether the database refused values (classes 22, 23 and 54), as opposed to being unable to work.
    package var isAboutValues: Bool {
        guard let state = sqlState?.description else { return false }
        return state.hasPrefix("22") || state.hasPrefix("23") || state.hasPrefix("54")
    }
}
