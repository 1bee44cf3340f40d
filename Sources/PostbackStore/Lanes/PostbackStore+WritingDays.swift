import DatabaseSchema
package import PostgresClient

extension PostbackStore {
    /// The number of days for which partitions are created: today and the next seven.
    static var partitionedDays: Int32 { 8 }

    /// Creates the partitions of today and of the next seven days, if they do not exist.
    ///
    /// One server at a time does this. Writers and readers do not wait.
    package func addPartitions() async throws {
        try await addPartitions(from: today)
    }

    /// The same if one of them is missing; else it takes no lock.
    package func addMissingPartitions() async throws {
        let parameters = Self.partitions(from: today)
        let isMissing = try await pool.withConnection { connection in
            try connection.query(LaneStatements.isPartitionMissing, parameters).first?.decode(Bool.self, at: 0)
        }
        if isMissing == true { try await addPartitions() }
    }

    /// The parameters of the statements about partitions.
    private static func partitions(from day: PostgresDate) -> PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(day)
        bindings.append(partitionedDays)
        return bindings
    }

    /// Creates the partitions of a day and of the next seven days.
    func addPartitions(from day: PostgresDate) async throws {
        let parameters = Self.partitions(from: day)
        try await pool.withTransaction("add_partitions") { connection in
            _ = try connection.query(LaneStatements.partitionLock)
            _ = try connection.query(LaneStatements.addPartitions, parameters)
        }
    }

    /// Moves a lane's day of writing forward, and stores the day that the database returns.
    package func moveDay(of lane: Int16, to day: PostgresDate) async throws {
        var retries = LaneRetries(over: writers)
        try await moveDay(of: lane, to: day, &retries)
    }

    /// The same for a transaction of the lane that has to run again.
    ///
    /// If a worker has the partitions, the coordinator is not needed.
    func moveDay(of lane: Int16, to day: PostgresDate, _ retries: inout LaneRetries) async throws {
        if try await onLane(lane, &retries, { try await $0.mayLackPartition(of: day) }) {
            try await addPartitions(from: day)
        }
        let (written, timeline) = try await onLane(lane, &retries) { try await $0.moveDay(to: day) }
        if let timeline { dimensions.begin(timeline) }
        guard let written else { throw SchemaError.lanes }
        shared.days.set(written, of: lane, asked: day)
    }
}

extension LaneSite {
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
