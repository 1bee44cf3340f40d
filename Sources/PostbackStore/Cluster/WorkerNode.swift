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
    let node: WorkerNode
    let site: LaneSite
    private let counting = Mutex<(policy: ConversionPolicy, day: PostgresDate, statements: CountingStatements)?>(nil)

    /// - Parameter lanes: The number of lanes of the node.
    init(_ lane: Int16, at place: ClusterTopology.Place, on node: WorkerNode, lanes: Int) {
        self.node = node
        site = LaneSite(
            lock: LaneLock(lane: lane, shard: place.shard, pool: node.pool, patience: node.patience, lanes: lanes),
            tables: place.tables)
    }

    /// Whether another reading of the topology has found nothing new about the lane.
    func isSame(as other: LaneShard) -> Bool {
        node === other.node && site.lock.shard == other.site.lock.shard && site.lock.lanes == other.site.lock.lanes
    }

    /// The statements that count a batch of a day of writing.
    ///
    /// They are kept from batch to batch, because their texts are long. The name of the log's partition is read from the
    /// node, which has a copy of the coordinator's catalog.
    ///
    /// - Throws: 42P01 if there is no partition of the day.
    func statements(_ policy: ConversionPolicy, on day: PostgresDate) async throws -> CountingStatements {
        if let known = counting.withLock({ $0 }), known.policy == policy, known.day == day { return known.statements }
        let tables = CountingTables.shards(site.tables, partition: try await logPartition(of: day), day)
        let statements = CountingStatements(policy, tables)
        counting.withLock { $0 = (policy, day, statements) }
        return statements
    }

    /// The name of the log's partition of a day.
    ///
    /// - Throws: 42P01 if there is none.
    func logPartition(of day: PostgresDate) async throws -> String {
        var bindings = PostgresBindings()
        bindings.append(WritingDay.logPartition(day))
        bindings.append(site.lock.lane)
        let parameters = bindings
        let name = try await site.pool.withConnection { connection in
            try connection.query(ShardStatements.partition, parameters).first?.decode(String.self, at: 0)
        }
        guard let name else { throw LaneError.noDay }
        return name
    }
}
