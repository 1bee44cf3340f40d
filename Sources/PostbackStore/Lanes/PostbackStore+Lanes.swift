import DatabaseSchema
package import PostgresClient

extension PostbackStore {
    /// The number of days for which partitions are created: today and the next seven.
    static var partitionedDays: Int32 { 8 }

    /// The lanes of the database, which are read once.
    ///
    /// - Throws: `SchemaError.lanes`, or an error of the database.
    package func lanes() async throws -> LaneMap {
        if let lanes = shared.lanes { return lanes }
        let lanes = try await pool.withConnection { try LaneMap.read(over: $0) }
        shared.lanes = lanes
        return lanes
    }

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

    /// Today in UTC, by this server's clock.
    package var today: PostgresDate { PostgresDate(clock()) }

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
