import PostgresClient

extension PostbackStore {
    /// Adds what the log holds beyond the daily tables to them; reports show the same before and after.
    ///
    /// One server folds at a time.
    /// - Parameter waits: Whether to wait while another server folds; else this returns at once then.
    /// - Returns: How many events were folded.
    @discardableResult
    package func fold(waits: Bool = false) async throws -> Int {
        try await fold(.figures, waits: waits)
    }

    /// Adds what the log holds beyond the tables of a reader to them, in as many transactions as it takes.
    func fold(_ reader: FoldingReader, waits: Bool) async throws -> Int {
        let lanes = try await lanes().lanes.map(\.number)
        var limit = reader.eventsAtOnce / lanes.count
        var total = 0
        while true {
            do {
                guard let count = try await fold(reader, lanes, limit: limit, waits: waits) else { return total }
                total += count
                // If a lane has more, then at least so many were folded.
                guard count >= limit else { return total }
            } catch let error as PostgresError where error.isDeadline && limit > 1_000 {
                limit /= 4
            }
        }
    }

    /// Folds a part of each of these lanes, whole batches only; nil if another server is at it.
    func fold(_ reader: FoldingReader, _ lanes: [Int16], limit: Int, waits: Bool = false) async throws -> Int? {
        let parameters = reader.bindings(lanes, limit: limit)
        return try await pool.withTransaction("fold", statementTimeout: .seconds(60)) { connection in
            guard try reader.isLocked(waits: waits, over: connection) else { return nil }
            let count = try connection.query(reader.fold, parameters).first?.decode(Int64.self, at: 0)
            return Int(count ?? 0)
        }
    }

    /// The dead row versions of the daily tables for each live row.
    ///
    /// They pile up while somebody holds a snapshot open (a long report, `pg_dump`), and each fold reads through them.
    package func deadVersionsPerDailyRow() async throws -> Double {
        try await pool.withConnection { connection in
            try connection.query(Self.deadVersions).first?.decode(Double.self, at: 0) ?? 0
        }
    }

    /// Small tables count as larger, because their dead versions do no harm.
    private static let deadVersions = PostgresStatement(
        "fold_dead_versions",
        """
        SELECT coalesce(sum(n_dead_tup) / (sum(n_live_tup) + 10000), 0)::float8
          FROM pg_stat_all_tables
         WHERE schemaname = 'attribution'
           AND relname IN ('campaign_daily', 'source_app_daily', 'conversion_value_daily')
        """)
}
