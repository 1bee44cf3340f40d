import PostgresClient

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
