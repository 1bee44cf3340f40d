import PostgresClient

extension PostbackStore {
    /// The number of events that are folded in one transaction, of all lanes together.
    ///
    /// The more there are, the less each costs: all events of a row of a daily table become one update.
    static let eventsAtOnce = 1_000_000

    /// Adds what the log holds beyond the daily tables to them; reports show the same before and after.
    ///
    /// One server folds at a time. If another one does, this returns at once.
    /// - Returns: How many events were folded.
    @discardableResult
    public func fold() async throws -> Int {
        let lanes = try await lanes().lanes.map(\.number)
        var limit = Self.eventsAtOnce / lanes.count
        var total = 0
        while true {
            do {
                guard let count = try await fold(lanes, limit: limit) else { return total }
                total += count
                // If a lane has more, then at least so many were folded.
                guard count >= limit else { return total }
            } catch let error as PostgresError where error.isDeadline && limit > 1_000 {
                limit /= 4
            }
        }
    }

    /// Folds a part of each of these lanes, whole batches only; nil if another server is at it.
    func fold(_ lanes: [Int16], limit: Int) async throws -> Int? {
        var bindings = PostgresBindings()
        bindings.append(lanes)
        bindings.append(Int64(limit))
        let parameters = bindings
        return try await pool.withTransaction("fold", statementTimeout: .seconds(60)) { connection in
            guard try connection.query(Self.foldLock).first?.decode(Bool.self, at: 0) == true else { return nil }
            let count = try connection.query(Self.foldLanes, parameters).first?.decode(Int64.self, at: 0)
            return Int(count ?? 0)
        }
    }

    /// The dead row versions of the daily tables for each live row.
    ///
    /// They pile up while somebody holds a snapshot open (a long report, `pg_dump`), and each fold reads through them.
    public func deadVersionsPerDailyRow() async throws -> Double {
        try await pool.withConnection { connection in
            try connection.query(Self.deadVersions).first?.decode(Double.self, at: 0) ?? 0
        }
    }

    /// Lets one fold at a time, to the end of the transaction; any fixed number does.
    private static let foldLock = PostgresStatement("fold_lock", "SELECT pg_try_advisory_xact_lock(7421001643)")

    private static let foldLanes = PostgresStatement("fold_lanes", "SELECT attribution.fold($1, $2)")

    /// Small tables count as larger, because their dead versions do no harm.
    private static let deadVersions = PostgresStatement(
        "fold_dead_versions",
        """
        SELECT coalesce(sum(n_dead_tup) / (sum(n_live_tup) + 10000), 0)::float8
          FROM pg_stat_all_tables
         WHERE schemaname = 'attribution'
           AND relname IN ('campaign_daily', 'source_app_daily', 'conversion_value_daily', 'window_daily')
        """)
}
