import PostgresClient
import Synchronization

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
}

/// The lock of one lane, which a transaction takes with a statement of its own and holds until its commit.
struct LaneLock: Sendable {
    let lane: Int16
    /// The shards that are held too, in a session with the worker that has them; nil on plain PostgreSQL.
    let shards: [Int64]?

    /// The statement that takes the lock.
    ///
    /// - Parameter mayWait: Whether it waits for the lock. If not, it fails at once while somebody holds the lane.
    func step(mayWait: Bool) -> PostgresPipelineStep {
        if let shards { return ShardStatements.hold(lane, in: shards, waits: mayWait) }
        var key = PostgresBindings()
        key.append(Int32(lane))
        return PostgresPipelineStep(mayWait ? LaneStatements.lock : LaneStatements.tryLock, key)
    }

    /// The same lock, which also holds another shard.
    func holding(_ shard: Int64) -> LaneLock {
        LaneLock(lane: lane, shards: (shards ?? []) + [shard])
    }
}

/// How many batches may wait for a lane that another server holds.
///
/// A batch that waits for its lane keeps its connection. If there are more lanes than connections, waiting batches could
/// take all connections, and batches of free lanes would wait too. So one connection is left for batches that do not wait:
/// they give it back at once if their lane is held, and try again later.
final class LanePatience: Sendable {
    private let waiting = Mutex(0)

    /// Whether one more batch may wait; if so, it must call `leave`.
    ///
    /// - Parameters:
    ///   - lanes: The number of lanes.
    ///   - connections: The number of connections for batches.
    func enter(lanes: Int, connections: Int) -> Bool {
        waiting.withLock { waiting in
            // With a connection for each lane, no lane can take that of another one.
            guard lanes <= connections || waiting < connections - 1 else { return false }
            waiting += 1
            return true
        }
    }

    /// A batch that was allowed to wait has ended.
    func leave() {
        waiting.withLock { $0 -= 1 }
    }
}
