import PostgresClient

extension PostbackStore {
    /// How many days ahead there are partitions.
    static var partitionedDays: Int32 { 8 }

    /// The lanes of the database; they are read once.
    ///
    /// - Throws: `SchemaError.lanes`, or what the database threw.
    public func lanes() async throws -> LaneMap {
        if let lanes = shared.lanes { return lanes }
        let rows = try await pool.withConnection { connection in
            try connection.query(LaneStatements.select).map { row in
                (
                    number: try row.decode(Int16.self, at: 0), first: try row.decode(Int64.self, at: 1),
                    last: try row.decode(Int64.self, at: 2)
                )
            }
        }
        let lanes = try LaneMap(
            rows.map { row throws(SchemaError) in
                guard let first = UInt32(exactly: row.first), let last = UInt32(exactly: row.last), first <= last else {
                    throw .lanes
                }
                return LaneMap.Lane(number: row.number, hashes: first...last)
            })
        shared.lanes = lanes
        return lanes
    }

    /// Makes the partitions of today and of the week ahead, if they are not there.
    ///
    /// One server at a time does this; writers and readers go on meanwhile.
    public func addPartitions() async throws {
        try await addPartitions(from: today)
    }

    /// Makes the partitions from a day on.
    func addPartitions(from day: PostgresDate) async throws {
        var bindings = PostgresBindings()
        bindings.append(day)
        bindings.append(Self.partitionedDays)
        let parameters = bindings
        try await pool.withTransaction("add_partitions") { connection in
            _ = try connection.query(LaneStatements.partitionLock)
            _ = try connection.query(LaneStatements.addPartitions, parameters)
        }
    }

    /// The UTC day of this server's clock.
    var today: PostgresDate { PostgresDate(clock()) }

    /// Moves a lane on to a day, and takes in the day that the database says.
    func moveDay(of lane: Int16, to day: PostgresDate) async throws {
        try await addPartitions(from: day)
        var key = PostgresBindings()
        key.append(Int32(lane))
        var bindings = PostgresBindings()
        bindings.append(lane)
        bindings.append(day)
        let (lock, move) = (key, bindings)
        let written = try await writers.withTransaction("move_day") { connection in
            _ = try connection.query(LaneStatements.lock, lock)
            return try connection.query(LaneStatements.moveDay, move).first?.decode(PostgresDate.self, at: 0)
        }
        guard let written else { throw SchemaError.lanes }
        shared.days.set(written, of: lane, asked: day)
    }
}
