import AdAttribution
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
            outcomes[place] = DeliveryOutcome(event: try row.decode(Int16.self, at: 1))
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

/// The statements of a batch at one site, in the lane's day of writing.
struct BatchSteps: Sendable {
    private enum Form {
        /// The lock is a statement of its own, before all others.
        case locked(LaneLock, CountingStatements)
        /// The coordinator's timeline is compared first, and each other statement takes the lock on the worker.
        case passedOn(ConversionPolicy, PostgresDate, Timeline)
    }

    private let form: Form
    /// The tables that have the rows of the lane.
    let tables: LaneTables

    /// For a session with the database that has the tables: plain PostgreSQL, or a worker.
    init(_ lock: LaneLock, _ statements: CountingStatements, in tables: LaneTables) {
        form = .locked(lock, statements)
        self.tables = tables
    }

    /// For a session with the coordinator, which passes the statements on to the worker that has the lane.
    ///
    /// - Parameter timeline: The coordinator's when the numbers of the dimensions were read.
    init(throughCoordinator policy: ConversionPolicy, on day: PostgresDate, _ timeline: Timeline) {
        form = .passedOn(policy, day, timeline)
        tables = .plain
    }

    /// The step that comes first.
    func begin(mayWait: Bool) -> PostgresPipelineStep {
        switch form {
        case .locked(let lock, _): lock.step(mayWait: mayWait)
        case .passedOn(_, _, let timeline): ShardStatements.begin(on: timeline)
        }
    }

    /// The step that counts a round; `bindings` are those of `DeliveryColumns`.
    func count(_ bindings: PostgresBindings, mayWait: Bool) -> PostgresPipelineStep {
        switch form {
        case .locked(_, let statements):
            PostgresPipelineStep(statements.count, bindings)
        case .passedOn(let policy, let day, _):
            ShardStatements.count(
                bindings, on: day, text: CountingStatement.textInShard(policy, day), waits: mayWait)
        }
    }

    /// The step that counts repeated conflicts; `bindings` are those of `DeliveryColumns`.
    func countConflicts(_ bindings: PostgresBindings, mayWait: Bool) -> PostgresPipelineStep {
        switch form {
        case .locked(_, let statements):
            PostgresPipelineStep(statements.repeatedConflicts, bindings)
        case .passedOn(_, let day, _):
            ShardStatements.count(
                bindings, on: day, text: CountingStatement.repeatedConflictsInShard(day), waits: mayWait)
        }
    }
}

/// The deliveries of a batch in rounds.
///
/// A round has at most one delivery of each key, in order of arrival, because one statement can't decide about a row
/// twice. Almost every batch has one round. After a round, `finish` decides without SQL about deliveries that can't
/// change anything any more. So a hundred deliveries of one postback also need only one round.
struct BatchRounds {
    private let batch: BatchDeliveries
    /// The deliveries that are not decided, by key, in order of arrival.
    ///
    /// Nil if no key occurs twice.
    private var open: [StateKey: [Int]]?
    /// Whether the only round was taken.
    private var isTaken = false
    private(set) var outcomes: [DeliveryOutcome]
    /// The indices of deliveries that conflict as one before them did; they still have to be counted.
    private(set) var repeatedConflicts: [Int] = []

    init(_ batch: BatchDeliveries) {
        self.batch = batch
        outcomes = Array(repeating: .duplicate, count: batch.count)
        var keys = Set<StateKey>(minimumCapacity: batch.count)
        guard !(0..<batch.count).allSatisfy({ keys.insert(batch.key(at: $0)).inserted }) else { return }
        open = Dictionary(grouping: 0..<batch.count, by: { batch.key(at: $0) })
    }

    /// Whether no key is there twice.
    var isOneRound: Bool { open == nil }

    /// The indices of the next round's deliveries in the batch; empty if all are decided.
    func nextRound() -> [Int] {
        guard let open else { return isTaken ? [] : Array(0..<batch.count) }
        return open.values.compactMap(\.first).sorted()
    }

    /// Stores the outcomes of a round.
    mutating func finish(_ round: [Int], _ results: [DeliveryOutcome]) {
        isTaken = true
        for (place, outcome) in zip(round, results) { outcomes[place] = outcome }
        guard open != nil else { return }
        for place in round {
            let key = batch.key(at: place)
            var left: [Int] = []
            for later in (open?[key] ?? []).dropFirst() {
                switch RaiseRule.outcome(of: offered(later), after: offered(place), outcomes[place]) {
                case .conflict?:
                    outcomes[later] = .conflict
                    repeatedConflicts.append(later)
                case let settled?: outcomes[later] = settled
                case nil: left.append(later)
                }
            }
            open?[key] = left.isEmpty ? nil : left
        }
    }

    private func offered(_ place: Int) -> ReportedConversionValue {
        batch.deliveries[place].postback.conversionValue
    }
}
