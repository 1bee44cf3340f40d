import PostgresClient

/// What a report takes.
struct ReportReading: Sendable {
    /// Planning and execution in the server.
    let milliseconds: Double
    /// How many rows it has.
    let rows: Double
}

extension Workbench {
    /// Reads a report twice, and measures the second time.
    ///
    /// - Parameter selection: What follows `SELECT * FROM attribution.`.
    func read(_ selection: String, in store: MeasuredStore) async throws -> ReportReading {
        let lines = try await store.withConnection { connection in
            let explain = "EXPLAIN (ANALYZE, TIMING OFF) SELECT * FROM attribution.\(selection)"
            // Other names, so that the second one is planned again.
            _ = try connection.query(PostgresStatement("bench_report_1", explain))
            return try connection.query(PostgresStatement("bench_report_2", explain))
                .map { try $0.decode(String.self, at: 0) }
        }
        return ReportReading(
            milliseconds: try QueryPlan.milliseconds(of: lines), rows: try QueryPlan.rows(of: lines))
    }
}
