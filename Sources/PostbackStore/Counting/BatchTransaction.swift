import PostgresClient

/// One transaction of a batch: deliveries of a lane, and the progress of an import if there is one.
///
/// It knows the lane. What it runs with comes from a site and its statements.
struct BatchTransaction: Sendable {
    let lane: Int16
    let batch: BatchDeliveries
    let advance: ImportAdvance?
    private let rounds: BatchRounds
    /// The parameters of the only statement, if there is only one: made once, however often the transaction is tried.
    private let single: PostgresBindings?

    init(_ batch: BatchDeliveries, of lane: Int16, advancing advance: ImportAdvance? = nil) {
        self.lane = lane
        self.batch = batch
        self.advance = advance
        rounds = BatchRounds(batch)
        single = rounds.isOneRound && advance == nil ? DeliveryColumns.bindings(lane, batch) : nil
    }

    /// Counts the deliveries, once.
    ///
    /// - Returns: The outcome of each. Nil if it has written nothing, because the lane's day of writing is another one,
    ///   or the database's timeline.
    /// - Throws: As `LaneSite.run`.
    func write(at site: LaneSite, _ steps: BatchSteps) async throws -> [DeliveryOutcome]? {
        if let single {
            return try await site.holding { connection, mayWait in
                let run = [steps.begin(mayWait: mayWait), steps.count(single, mayWait: mayWait)]
                return try Self.outcomes(try connection.pipeline(run).last, of: batch.count)
            }
        }
        return try await site.holding { connection, mayWait in
            try connection.transaction("record_postbacks") { connection in
                try connection.query(steps.begin(mayWait: mayWait))
                guard let outcomes = try writeRounds(steps, mayWait: mayWait, over: connection) else { return nil }
                try advance?.move(lane, in: steps.tables, outcomes, over: connection)
                return outcomes
            }
        }
    }

    /// Counts the deliveries round by round, in a transaction that has begun.
    private func writeRounds(
        _ steps: BatchSteps, mayWait: Bool, over connection: isolated PostgresConnection
    ) throws -> [DeliveryOutcome]? {
        var rounds = rounds
        while case let round = rounds.nextRound(), !round.isEmpty {
            let bindings = DeliveryColumns.bindings(lane, batch.selecting(round))
            let rows = try connection.query(steps.count(bindings, mayWait: mayWait))
            guard let outcomes = try Self.outcomes(rows, of: round.count) else { return nil }
            rounds.finish(round, outcomes)
        }
        if !rounds.repeatedConflicts.isEmpty {
            let bindings = DeliveryColumns.bindings(lane, batch.selecting(rounds.repeatedConflicts))
            try connection.query(steps.countConflicts(bindings, mayWait: mayWait))
        }
        return rounds.outcomes
    }

    /// The outcome of each delivery; nil if there are no rows, because the lane's day of writing is another one.
    private static func outcomes(_ rows: PostgresResult?, of count: Int) throws -> [DeliveryOutcome]? {
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

extension PostgresConnection {
    /// Runs a step of a pipeline alone.
    @discardableResult
    fileprivate func query(_ step: PostgresPipelineStep) throws(PostgresError) -> PostgresResult {
        try query(step.statement, step.bindings)
    }
}
