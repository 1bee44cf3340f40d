import PostgresClient

extension PostbackStore {
    /// About how many events of a lane are compared in one statement.
    static var eventsComparedAtOnce: Int64 { 100_000 }

    /// Compares state, bodies and log: what was written since the last check, and each day of writing once more after it
    /// is over.
    ///
    /// Several servers may do this; each part is compared once. If something does not fit together, it is compared again
    /// after a pause, and stored if it still does not: see `logProblems`. On a cluster a session may see one table as it
    /// was before a split of shards, and another one as it is after it, while the split is being committed.
    ///
    /// - Parameter pause: The time between the first look and the second one, longer than a commit of Citus takes.
    /// - Returns: The number of places that were found not to fit together.
    package func checkLog(again pause: Duration = .seconds(20)) async throws -> Int64 {
        let lanes = try await pool.withConnection { connection in
            try connection.query(LogCheckStatements.lanes).map { try $0.decode(Int16.self, at: 0) }
        }
        var doubted: [Int16] = []
        for lane in lanes {
            while let problems = try await checkLog(of: lane, stores: false) {
                guard problems == 0 else {
                    doubted.append(lane)
                    break
                }
            }
        }
        guard !doubted.isEmpty else { return 0 }
        try await Task.sleep(for: pause)
        var found: Int64 = 0
        for lane in doubted {
            while let problems = try await checkLog(of: lane, stores: true) { found += problems }
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

    /// Compares the next part of a lane; nil if there was none.
    private func checkLog(of lane: Int16, stores: Bool) async throws -> Int64? {
        var bindings = PostgresBindings()
        bindings.append(lane)
        bindings.append(Self.eventsComparedAtOnce)
        bindings.append(stores)
        let parameters = bindings
        return try await pool.withTransaction("log_check", statementTimeout: .seconds(3_600)) { connection in
            try connection.query(LogCheckStatements.check, parameters).first?.decode(Int64?.self, at: 0)
        } ?? nil
    }
}
