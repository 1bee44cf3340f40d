import PostgresClient

/// The lock of one lane, which a batch takes first and holds until its commit.
struct LaneLock: Sendable {
    let lane: Int16
    /// The shards that a batch of the lane writes, if the connections are to their node: they are held too.
    let shards: [Int64]?
    /// The connections for batches of the lane.
    let pool: PostgresPool
    let patience: LanePatience
    /// The number of lanes whose batches use these connections.
    let lanes: Int

    /// The first and the longest pause before a held lane is tried again.
    private static let pauses = (first: Duration.milliseconds(2), longest: Duration.milliseconds(50))

    /// Runs a body on a connection, with the statement that takes the lock.
    ///
    /// The statement waits for the lock, or it fails at once (`isLaneHeld`). Then a batch of a free lane can use the
    /// connection.
    /// - Parameter body: It runs the statement in the transaction of the batch.
    func take<T>(_ body: (PostgresPipelineStep) throws -> T) rethrows -> T {
        try takePatiently { mayWait in
            if let shards { return try body(ShardStatements.hold(lane, in: shards, waits: mayWait)) }
            var key = PostgresBindings()
            key.append(Int32(lane))
            return try body(PostgresPipelineStep(mayWait ? LaneStatements.lock : LaneStatements.tryLock, key))
        }
    }

    /// The same lock, which also holds another shard.
    func holding(_ shard: Int64) -> LaneLock {
        LaneLock(lane: lane, shards: (shards ?? []) + [shard], pool: pool, patience: patience, lanes: lanes)
    }

    /// The same for statements that take the lock themselves.
    ///
    /// - Parameter body: Is told whether the statement may wait for the lock.
    func takePatiently<T>(_ body: (Bool) throws -> T) rethrows -> T {
        let mayWait = patience.enter(lanes: lanes, connections: pool.size)
        defer { if mayWait { patience.leave() } }
        return try body(mayWait)
    }

    /// Runs a transaction that calls `take`.
    ///
    /// It runs again while somebody else holds the lane, or while a cluster moves the lane to another node. It does so
    /// for as long as a lock may be waited for.
    func retrying<T>(_ transaction: () async throws -> T) async throws -> T {
        let deadline = ContinuousClock.now + pool.lockTimeout
        var pause = Self.pauses.first
        while true {
            do {
                return try await transaction()
            } catch let error as PostgresError where error.isLaneBusy && ContinuousClock.now < deadline {
                // No connection is held meanwhile.
                try await Task.sleep(for: pause)
                pause = min(pause * 2, Self.pauses.longest)
            }
        }
    }
}

extension PostgresError {
    /// Whether the batch must try again.
    fileprivate var isLaneBusy: Bool { isLaneHeld || isLaneMoved }

    /// Whether somebody else holds the lane, and the batch must not wait for it on its connection.
    fileprivate var isLaneHeld: Bool {
        sqlState == .lockNotAvailable
            && [LaneStatements.tryLock, ShardStatements.hold, ShardStatements.count, ShardStatements.moveDay].contains {
                statement == $0.name
            }
    }
}
