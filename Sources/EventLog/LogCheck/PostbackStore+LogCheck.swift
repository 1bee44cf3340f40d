package import PostbackStore
package import PostgresClient

extension PostbackStore {
    /// About how many events of a lane are compared in one statement.
    static var eventsComparedAtOnce: Int64 { 100_000 }

    /// Compares state, bodies and log.
    ///
    /// It compares three parts: what was written since the last check; each day of writing once more, after it is over;
    /// and about 100,000 events of the days that are not over, again. So a day with fewer events is compared whole each
    /// time.
    ///
    /// Several servers may do this; each part is compared once.
    ///
    /// If something does not fit together, it is compared again after a pause. If it still does not, it is stored: see
    /// `logProblems`. The second look is for clusters. While Citus commits a split of shards, a session may see one
    /// table from before the split and another one from after it.
    ///
    /// - Parameter pause: The time between the first look and the second one, longer than a commit of Citus takes.
    /// - Returns: The number of places that do not fit together and were not known before.
    package func checkLog(again pause: Duration = .seconds(20)) async throws -> Int64 {
        let doubted = try await lanesThatDiffer()
        guard !doubted.isEmpty else { return 0 }
        try await Task.sleep(for: pause)
        return try await storeLogProblems(of: doubted)
    }

    /// Compares all lanes once, and returns those in which something was found that was not known before.
    ///
    /// It stores nothing of that.
    func lanesThatDiffer() async throws -> [Int16] {
        let lanes = try await pool.withConnection { connection in
            try connection.query(LogCheckStatements.lanes).map { try $0.decode(Int16.self, at: 0) }
        }
        let limit = Self.eventsComparedAtOnce / Int64(max(1, lanes.count))
        var doubted: [Int16] = []
        for lane in lanes {
            var found: Int64?
            repeat {
                found = try await compare(
                    lane, LogCheckStatements.check, limit: Self.eventsComparedAtOnce, stores: false)
            } while found == 0
            if found == nil {
                found = try await compare(lane, LogCheckStatements.checkAgain, limit: limit, stores: false)
            }
            if let found, found > 0 { doubted.append(lane) }
        }
        return doubted
    }

    /// Compares these lanes, stores what does not fit together, and returns how many places were not known before.
    func storeLogProblems(of lanes: [Int16]) async throws -> Int64 {
        var found: Int64 = 0
        for lane in lanes {
            let limit = Self.eventsComparedAtOnce
            while let new = try await compare(lane, LogCheckStatements.check, limit: limit, stores: true) {
                found += new
            }
            found += try await compare(lane, LogCheckStatements.checkAgain, limit: limit, stores: true) ?? 0
        }
        return found
    }

    /// What was found and not mended, by day of writing and lane; at most 10,000 rows.
    package func logProblems() async throws -> [LogProblemCount] {
        try await pool.withConnection { connection in
            try connection.query(LogCheckStatements.problems).compactMap { row in
                guard let problem = LogProblem(rawValue: try row.decode(at: 2)) else { return nil }
                return LogProblemCount(
                    lane: try row.decode(at: 0), day: try row.decode(at: 1), problem: problem,
                    postbacks: try row.decode(at: 3), example: try row.decode(at: 4))
            }
        }
    }

    /// When the lane was compared that was compared longest ago; nil if none was.
    package func logCheckedAt() async throws -> PostgresTimestamp? {
        try await pool.withConnection { connection in
            try connection.query(LogCheckStatements.checkedAt).first?.decode(PostgresTimestamp?.self, at: 0)
        } ?? nil
    }

    /// Compares the next part of a lane; nil if there was none.
    private func compare(
        _ lane: Int16, _ statement: PostgresStatement, limit: Int64, stores: Bool
    ) async throws -> Int64? {
        var bindings = PostgresBindings()
        bindings.append(lane)
        bindings.append(limit)
        bindings.append(stores)
        let parameters = bindings
        return try await pool.withTransaction("log_check", statementTimeout: .seconds(3_600)) { connection in
            try connection.query(statement, parameters).first?.decode(Int64?.self, at: 0)
        } ?? nil
    }
}
