import PostgresClient

/// Writes a batch of a lane on a Citus cluster, through the coordinator.
///
/// The lock of the lane is on the worker that has it, and the statement takes it.
struct ShardBatch: Sendable {
    private let batch: LaneBatch
    private let lock: LaneLock
    private let day: PostgresDate

    init(_ batch: LaneBatch, _ lock: LaneLock, _ day: PostgresDate) {
        self.batch = batch
        self.lock = lock
        self.day = day
    }

    /// Counts deliveries in one transaction.
    ///
    /// If the lane's day of writing is another one, or the coordinator's timeline, it writes nothing and returns nil.
    func write(
        _ deliveries: [CountedDelivery], in rounds: BatchRounds, _ advance: ImportAdvance?, refused: Int
    ) async throws -> [DeliveryOutcome]? {
        do {
            return try await lock.retrying {
                if rounds.isOneRound, advance == nil { return try await writeRound(deliveries) }
                return try await writeRounds(deliveries, rounds, advance, refused)
            }
        } catch let error as PostgresError where error.isOtherTimeline {
            return nil
        }
    }

    /// One round is one statement, which the worker commits.
    private func writeRound(_ deliveries: [CountedDelivery]) async throws -> [DeliveryOutcome]? {
        try await batch.store.writers.withStatement("record_postbacks") { connection in
            try lock.takePatiently { mayWait in
                let steps = [ShardStatements.begin(on: batch.timeline), count(deliveries, waits: mayWait)]
                return try LaneBatch.outcomes(try connection.pipeline(steps).last, of: deliveries.count)
            }
        }
    }

    private func writeRounds(
        _ deliveries: [CountedDelivery], _ wanted: BatchRounds, _ advance: ImportAdvance?, _ refused: Int
    ) async throws -> [DeliveryOutcome]? {
        try await batch.store.writers.withTransaction("record_postbacks") { connection in
            try lock.takePatiently { mayWait in
                var rounds = wanted
                let begin = ShardStatements.begin(on: batch.timeline)
                _ = try connection.query(begin.statement, begin.bindings)
                while case let round = rounds.nextRound(), !round.isEmpty {
                    let step = count(round.map { deliveries[$0] }, waits: mayWait)
                    let rows = try connection.query(step.statement, step.bindings)
                    guard let outcomes = try LaneBatch.outcomes(rows, of: round.count) else { return nil }
                    rounds.finish(round, outcomes)
                }
                if !rounds.repeatedConflicts.isEmpty {
                    let step = ShardStatements.count(
                        rounds.repeatedConflicts, of: batch.lane, on: day,
                        text: CountingStatement.repeatedConflictsInShard(day), waits: mayWait)
                    _ = try connection.query(step.statement, step.bindings)
                }
                try advance?.move(batch.lane, rounds.outcomes, refused: refused, over: connection)
                return rounds.outcomes
            }
        }
    }

    private func count(_ deliveries: [CountedDelivery], waits: Bool) -> PostgresPipelineStep {
        ShardStatements.count(
            deliveries, of: batch.lane, on: day, text: CountingStatement.textInShard(batch.store.policy, day),
            waits: waits)
    }
}
