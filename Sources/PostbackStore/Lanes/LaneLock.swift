import PostgresClient

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
