import PostgresClient

/// Writes batches of one lane.
struct LaneBatch: Sendable {
    let store: PostbackStore
    let lane: Int16
    /// The timeline on which the numbers of the deliveries' dimensions were read.
    let timeline: Timeline
    /// The progress of an import that is written in the same transaction, if there is one.
    let advance: ImportAdvance?

    /// How often a batch is tried.
    ///
    /// It is tried again if the lane has moved to another day, or if a partition is missing.
    private static let attempts = 4

    /// Counts deliveries of the lane, and returns one result for each.
    ///
    /// All are written in one transaction. If the database refuses a value, the batch is split into halves until the
    /// refused delivery is alone, and each half is a transaction. If a half then fails for another reason, the call
    /// throws, although earlier halves are stored; delivered again, these are duplicates.
    /// - Parameter refused: The number of deliveries of the lane that failed before.
    /// - Throws: An error that is not about the values of one delivery.
    func record(
        _ deliveries: [CountedDelivery], refused: Int
    ) async throws -> [Result<DeliveryOutcome, any Error>] {
        guard !deliveries.isEmpty || advance != nil else { return [] }
        do {
            return try await write(deliveries, advance, refused: refused).map { .success($0) }
        } catch let error as PostgresError where error.isAboutValues && !deliveries.isEmpty {
            var results: [Result<DeliveryOutcome, any Error>] = []
            try await halve(deliveries[...], error, &results)
            if advance != nil {
                // The halves are stored before the progress. After a kill in between they are duplicates next time.
                try await move(results, refused: refused)
            }
            return results
        }
    }

    private func halve(
        _ deliveries: ArraySlice<CountedDelivery>, _ error: PostgresError,
        _ results: inout [Result<DeliveryOutcome, any Error>]
    ) async throws {
        guard deliveries.count > 1 else {
            results += deliveries.map { _ in .failure(error) }
            return
        }
        let middle = deliveries.startIndex + deliveries.count / 2
        for half in [deliveries[..<middle], deliveries[middle...]] {
            do {
                results += try await write(Array(half), nil, refused: 0).map { .success($0) }
            } catch let error as PostgresError where error.isAboutValues {
                try await halve(half, error, &results)
            }
        }
    }

    /// Counts deliveries in one transaction, in the lane's day of writing.
    private func write(
        _ deliveries: [CountedDelivery], _ advance: ImportAdvance?, refused: Int
    ) async throws -> [DeliveryOutcome] {
        var missing: PostgresError?
        for _ in 0..<Self.attempts {
            let today = store.today
            guard let day = store.shared.days.day(of: lane, today: today) else {
                try await store.moveDay(of: lane, to: today)
                guard store.dimensions.timeline == timeline else { throw OtherTimeline() }
                continue
            }
            do {
                if let outcomes = try await write(deliveries, advance, refused: refused, on: day) { return outcomes }
                // Another server has begun a later day in this lane, or a standby has taken over.
                try await store.moveDay(of: lane, to: today)
                guard store.dimensions.timeline == timeline else { throw OtherTimeline() }
            } catch let error as PostgresError where error.isMissingPartition {
                missing = error
                try await store.addPartitions(from: day)
                // If this server's clock is far behind, its day of the lane may have been dropped.
                try await store.moveDay(of: lane, to: today)
            }
        }
        if let missing { throw missing }
        throw LaneError.noDay
    }

    /// Counts deliveries in one transaction.
    ///
    /// If the lane's day of writing is another one, it writes nothing and returns nil.
    private func write(
        _ deliveries: [CountedDelivery], _ advance: ImportAdvance?, refused: Int, on day: PostgresDate
    ) async throws -> [DeliveryOutcome]? {
        let rounds = BatchRounds(deliveries)
        let lanes = try await store.lanes()
        guard !lanes.isDistributed else {
            return try await writeOnCluster(deliveries, in: rounds, advance, refused: refused, on: day)
        }
        return try await write(
            deliveries, in: rounds, advance, refused: refused,
            at: LaneSite(lock: store.lock(of: lane, lanes), tables: .plain),
            store.shared.counting(store.policy, on: day, timeline))
    }

    /// Counts deliveries in one transaction, with the statements for the tables of a site.
    ///
    /// If the lane's day of writing is another one, it writes nothing and returns nil.
    func write(
        _ deliveries: [CountedDelivery], in rounds: BatchRounds, _ advance: ImportAdvance?, refused: Int,
        at site: LaneSite, _ statements: CountingStatements
    ) async throws -> [DeliveryOutcome]? {
        // Made once, however often the lane is held.
        let single =
            rounds.isOneRound && advance == nil
            ? PostgresPipelineStep(statements.count, DeliveryColumns.bindings(lane, deliveries)) : nil
        return try await site.lock.retrying {
            guard let single else {
                return try await site.pool.withTransaction("record_postbacks") { connection in
                    try site.lock.take { lock in
                        _ = try connection.query(lock.statement, lock.bindings)
                        let outcomes = try Self.write(deliveries, in: rounds, of: lane, statements, over: connection)
                        guard let outcomes else { return nil }
                        try advance?.move(lane, in: site.tables, outcomes, refused: refused, over: connection)
                        return outcomes
                    }
                }
            }
            return try await site.pool.withStatement("record_postbacks") { connection in
                try site.lock.take { lock in
                    try Self.outcomes(try connection.pipeline([lock, single]).last, of: deliveries.count)
                }
            }
        }
    }

    /// Counts deliveries round by round, in a transaction that holds the lane.
    private static func write(
        _ deliveries: [CountedDelivery], in rounds: BatchRounds, of lane: Int16, _ statements: CountingStatements,
        over connection: isolated PostgresConnection
    ) throws -> [DeliveryOutcome]? {
        var rounds = rounds
        while case let round = rounds.nextRound(), !round.isEmpty {
            let rows = try connection.query(
                statements.count, DeliveryColumns.bindings(lane, round.map { deliveries[$0] }))
            guard let outcomes = try outcomes(rows, of: round.count) else { return nil }
            rounds.finish(round, outcomes)
        }
        if !rounds.repeatedConflicts.isEmpty {
            _ = try connection.query(
                statements.repeatedConflicts, DeliveryColumns.bindings(lane, rounds.repeatedConflicts))
        }
        return rounds.outcomes
    }

    private func move(_ results: [Result<DeliveryOutcome, any Error>], refused: Int) async throws {
        guard let advance else { return }
        let outcomes = results.compactMap { try? $0.get() }
        try await store.writers.withTransaction("import_advance") { connection in
            try advance.move(lane, outcomes, refused: refused + results.count - outcomes.count, over: connection)
        }
    }

    /// The outcome of each delivery; nil if there are no rows, because the lane's day of writing is another one.
    static func outcomes(_ rows: PostgresResult?, of count: Int) throws -> [DeliveryOutcome]? {
        guard count > 0 else { return [] }
        guard let rows, rows.count == count else { return nil }
        var outcomes = Array(repeating: DeliveryOutcome.duplicate, count: count)
        for row in rows {
            guard let place = Int(exactly: try row.decode(Int64.self, at: 0) - 1), outcomes.indices.contains(place)
            else {
                throw LaneError.unknownOrdinal
            }
            outcomes[place] = CountingStatement.outcome(try row.decode(Int16.self, at: 1))
        }
        return outcomes
    }
}

/// Why a lane can't be written to.
package enum LaneError: Error, CustomStringConvertible {
    /// The lane moved to another day again and again.
    case noDay
    /// The database answered for a delivery that was not in the batch.
    case unknownOrdinal

    package var description: String {
        switch self {
        case .noDay: "the lane is being moved to another day"
        case .unknownOrdinal: "the database answered for a delivery that was not in the batch"
        }
    }
}

extension PostgresError {
    /// Whether the partition of a day is missing: no such table, or no partition for a row.
    fileprivate var isMissingPartition: Bool {
        sqlState?.code == "42P01" || (sqlState?.code == "23514" && constraint == nil)
    }
}
