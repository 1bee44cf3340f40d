import PostgresClient

/// Where a transaction of a lane runs: the connections, and what the lane's tables are there.
///
/// One call of `run` or `holding` is one attempt. Nothing is tried again here.
struct LaneSite: Sendable {
    /// The form in which a transaction reaches the lane.
    enum Form: Sendable {
        /// The tables themselves, on plain PostgreSQL.
        case plain
        /// The shards, on the worker that has them; and how often the topology had been read.
        case worker(LaneShard, readings: Int)
        /// Through the coordinator, which passes it on to the worker; the worker's name if it is known.
        case coordinator(PostgresAddress?)
    }

    let lane: Int16
    let form: Form
    /// The connections for batches of the lane.
    let pool: PostgresPool
    let patience: LanePatience
    /// The number of lanes whose batches use these connections.
    let lanes: Int

    /// Runs a body on a connection, once.
    ///
    /// - Throws: `LaneObstacle` if `LaneRetries` knows the reason; else what the body and the pool throw.
    func run<T: Sendable>(_ body: @Sendable (isolated PostgresConnection) throws -> T) async throws -> T {
        do {
            return try await pool.withConnection(body)
        } catch let error as PostgresError {
            guard let obstacle = LaneObstacle(error, at: form) else { throw error }
            throw obstacle
        }
    }

    /// Runs a transaction that takes the lane's lock, once.
    ///
    /// - Parameter body: Is told whether its statement may wait for the lock. If not, the statement fails at once while
    ///   somebody holds the lane, and a batch of a free lane can use the connection.
    /// - Throws: As `run`.
    func holding<T: Sendable>(
        _ body: @Sendable (isolated PostgresConnection, _ mayWait: Bool) throws -> T
    ) async throws -> T {
        try await run { connection in
            let mayWait = patience.enter(lanes: lanes, connections: pool.size)
            defer { if mayWait { patience.leave() } }
            return try body(connection, mayWait)
        }
    }
}

extension LaneSite {
    /// The site of a lane on the worker that has it.
    init(_ shard: LaneShard, readings: Int) {
        self.init(
            lane: shard.lock.lane, form: .worker(shard, readings: readings), pool: shard.node.pool,
            patience: shard.node.patience, lanes: shard.lanes)
    }

    /// Whether the partition of a day of writing may be missing.
    ///
    /// Only a worker is asked: the statement that adds partitions is as quick elsewhere.
    func mayLackPartition(of day: PostgresDate) async throws -> Bool {
        guard case .worker(let shard, _) = form else { return true }
        do {
            _ = try await shard.logPartition(of: day, at: self)
            return false
        } catch let obstacle as LaneObstacle where obstacle.reason == .missingPartition {
            return true
        }
    }

    /// Moves the lane's day of writing forward.
    ///
    /// - Returns: The new day, and the timeline of the database that has the dimensions, if it was asked.
    func moveDay(to day: PostgresDate) async throws -> (day: PostgresDate?, timeline: Timeline?) {
        var bindings = PostgresBindings()
        bindings.append(lane)
        bindings.append(day)
        let move = bindings
        return try await holding { connection, mayWait in
            try connection.transaction("move_day") { connection in
                switch form {
                case .plain:
                    let day = try Self.moveDay(
                        move, in: .plain, LaneLock(lane: lane, shards: nil).step(mayWait: mayWait), over: connection)
                    return (day, try Timeline.read(over: connection))
                case .worker(let shard, _):
                    return (
                        try Self.moveDay(
                            move, in: shard.tables, shard.lock.step(mayWait: mayWait), over: connection), nil
                    )
                case .coordinator:
                    let timeline = try Timeline.read(over: connection)
                    var move = move
                    move.append(mayWait)
                    let steps = [
                        ShardStatements.begin(on: timeline), PostgresPipelineStep(ShardStatements.moveDay, move),
                    ]
                    return (try connection.pipeline(steps).last?.first?.decode(PostgresDate.self, at: 0), timeline)
                }
            }
        }
    }

    private static func moveDay(
        _ move: PostgresBindings, in tables: LaneTables, _ lock: PostgresPipelineStep,
        over connection: isolated PostgresConnection
    ) throws -> PostgresDate? {
        _ = try connection.query(lock.statement, lock.bindings)
        return try connection.query(LaneStatements.moveDay(in: tables), move).first?.decode(PostgresDate.self, at: 0)
    }
}
