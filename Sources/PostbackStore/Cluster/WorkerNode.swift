import PostgresClient
import Synchronization

/// A node of the cluster that has shards: connections for batches, and whether it can be reached from here.
final class WorkerNode: Sendable {
    /// As the other nodes know it.
    let name: PostgresAddress
    let pool: PostgresPool
    let patience = LanePatience()
    private let reached = Mutex(false)

    init(_ name: PostgresAddress, _ pool: PostgresPool) {
        self.name = name
        self.pool = pool
    }

    /// Whether batches can go there directly.
    var isReachable: Bool { reached.withLock { $0 } }

    /// Marks the node as unreachable; returns whether it was reachable.
    func lose() -> Bool {
        reached.withLock { reached in
            defer { reached = false }
            return reached
        }
    }

    /// What a probe found.
    enum Finding: Sendable {
        case reachable
        case unreachable
        /// Another node answers at its address.
        case otherNode
    }

    /// Connects, and asks whether it is this node; then it is reachable.
    func probe() async -> Finding {
        var bindings = PostgresBindings()
        bindings.append(name.host)
        bindings.append(Int32(name.port))
        let parameters = bindings
        let isThis = try? await pool.withConnection { connection in
            try connection.query(ShardStatements.isNode, parameters).first?.decode(Bool.self, at: 0) == true
        }
        reached.withLock { $0 = isThis == true }
        switch isThis {
        case true?: return .reachable
        case false?: return .otherNode
        case nil: return .unreachable
        }
    }

    /// Whether a batch could be committed there now; see `PostbackStore.checkReadiness`.
    func canWrite(_ key: PostgresBindings, within limit: Duration) async throws -> Bool {
        try await pool.withTransaction("check_writing", statementTimeout: limit) { connection in
            _ = try connection.query(LaneStatements.lockCheck, key)
            return try connection.query(ShardStatements.checkWriting).first?.decode(Bool.self, at: 0) == true
        }
    }

    /// Whether an error says that there was no connection, so that nothing was sent.
    func isUnreachable(after error: PostgresError) -> Bool {
        switch error.code {
        case .connectFailed, .invalidConfiguration, .poolClosed: true
        case .leaseTimeout: pool.state.busy + pool.state.idle == 0
        default: false
        }
    }
}

/// A lane on a node of the cluster, with the statements that count there.
final class LaneShard: Sendable {
    /// How a batch of a day of writing is counted: the lock, and the statements behind it.
    typealias Counting = (lock: LaneLock, statements: CountingStatements)

    let node: WorkerNode
    let tables: LaneTables
    /// It holds the shards of all tables but the log's partition of a day.
    let lock: LaneLock
    /// The number of lanes of the node.
    let lanes: Int
    private let counting = Mutex<(policy: ConversionPolicy, day: PostgresDate, counting: Counting)?>(nil)

    /// - Parameter lanes: The number of lanes of the node.
    init(_ lane: Int16, at place: ClusterTopology.Place, on node: WorkerNode, lanes: Int) {
        self.node = node
        self.lanes = lanes
        tables = place.tables
        lock = LaneLock(lane: lane, shards: place.shards)
    }

    /// How a batch of a day of writing is counted: with a lock that also holds the log's partition of the day.
    ///
    /// The statements are kept from batch to batch, because their texts are long. The partition is read from the node,
    /// which has a copy of the coordinator's catalog. If that copy is older or newer than the topology, the lock says so.
    ///
    /// - Parameter site: The site of this shard.
    /// - Throws: As `logPartition`.
    func counting(_ policy: ConversionPolicy, on day: PostgresDate, at site: LaneSite) async throws -> Counting {
        if let known = counting.withLock({ $0 }), known.policy == policy, known.day == day { return known.counting }
        let partition = try await logPartition(of: day, at: site)
        let new = (
            lock: lock.holding(partition.shard),
            statements: CountingStatements(policy, .shards(tables, partition: partition.name, day))
        )
        counting.withLock { $0 = (policy, day, new) }
        return new
    }

    /// The log's partition of a day.
    ///
    /// - Throws: `LaneObstacle` with `missingPartition` if there is none; else as `LaneSite.run`.
    func logPartition(of day: PostgresDate, at site: LaneSite) async throws -> (shard: Int64, name: String) {
        var bindings = PostgresBindings()
        bindings.append(lock.lane)
        bindings.append(WritingDay.logPartition(day))
        let parameters = bindings
        return try await site.run { connection in
            guard let row = try connection.query(ShardStatements.partition, parameters).first else {
                throw LaneError.noDay
            }
            return (try row.decode(at: 0), try row.decode(at: 1))
        }
    }
}
