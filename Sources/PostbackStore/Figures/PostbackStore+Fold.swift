import PostgresClient

extension PostbackStore {
    /// Adds what the log holds beyond the daily tables to them; reports show the same before and after.
    ///
    /// One server folds at a time. If another is at it, this returns at once.
    /// - Parameter part: About how many events of a lane are folded in one transaction; adapted to how long one takes.
    /// - Returns: how many events were folded.
    @discardableResult
    public func fold(in part: inout FoldPart) async throws -> Int {
        let lanes = try await lanes().lanes.map(\.number)
        var total = 0
        while true {
            let start = ContinuousClock.now
            let count: Int?
            do {
                count = try await fold(lanes, limit: part.events)
            } catch let error as PostgresError where error.isDeadline {
                part.shrink()
                throw error
            }
            guard let count else { return total }
            total += count
            // Less than one lane's part: then no lane has more.
            guard count >= part.events else { return total }
            part.took(ContinuousClock.now - start)
        }
    }

    /// Folds all there is.
    @discardableResult
    public func fold() async throws -> Int {
        var part = FoldPart()
        return try await fold(in: &part)
    }

    /// Folds a part of each of these lanes, whole batches only; nil if another server is at it.
    func fold(_ lanes: [Int16], limit: Int) async throws -> Int? {
        var bindings = PostgresBindings()
        bindings.append(lanes)
        bindings.append(Int64(limit))
        let parameters = bindings
        return try await pool.withTransaction("fold") { connection in
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
