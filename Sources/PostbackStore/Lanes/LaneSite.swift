import PostgresClient

/// Where batches of a lane are written: the connections with the lane's lock, and the tables that have its rows there.
struct LaneSite: Sendable {
    let lock: LaneLock
    let tables: LaneTables

    var pool: PostgresPool { lock.pool }

    /// Moves the lane's day of writing forward, and returns the new one.
    ///
    /// - Parameter andRead: What else is read in the transaction.
    func moveDay<Value: Sendable>(
        to day: PostgresDate, andRead read: @Sendable (isolated PostgresConnection) throws -> Value
    ) async throws -> (PostgresDate?, Value) {
        var bindings = PostgresBindings()
        bindings.append(lock.lane)
        bindings.append(day)
        let move = bindings
        return try await lock.retrying {
            try await pool.withTransaction("move_day") { connection in
                try lock.take { lock in
                    _ = try connection.query(lock.statement, lock.bindings)
                    let day = try connection.query(LaneStatements.moveDay(in: tables), move).first?
                        .decode(PostgresDate.self, at: 0)
                    return (day, try read(connection))
                }
            }
        }
    }
}

extension PostbackStore {
    /// The lock of a lane over the connections to the database of the store: plain PostgreSQL, or a coordinator.
    func lock(of lane: Int16, _ lanes: LaneMap) -> LaneLock {
        LaneLock(lane: lane, shards: nil, pool: writers, patience: shared.patience, lanes: lanes.count)
    }
}
