import PostgresClient

/// The statement that takes rows out of `postback_change` and adds them to the daily tables, many at a time.
enum ChangeFolding {
    /// Lets one fold at a time, to the end of the transaction; any fixed number does.
    static let lock = PostgresStatement("fold_lock", "SELECT pg_try_advisory_xact_lock(7421001643)")

    /// Takes at most `$1` changes and tells how many they were.
    static let fold = PostgresStatement(
        "fold_changes",
        """
        WITH taken AS (
            DELETE FROM attribution.postback_change
             WHERE ctid = ANY (ARRAY(SELECT ctid FROM attribution.postback_change LIMIT $1::bigint))
            RETURNING *, did_win AND sequence_index = 0 AS first_win
        ),
        campaigns AS (
            \(add(to: "campaign_daily", extraKey: "", counters))
        ),
        source_apps AS (
            \(add(to: "source_app_daily", extraKey: ", source_app", counters))
        ),
        conversion_values AS (
            \(add(
                to: "conversion_value_daily",
                extraKey: ", sequence_index, did_win, conversion_value, coarse_value",
                [("postbacks", "sum(postbacks)")]))
        )
        SELECT count(*) FROM taken
        """)

    /// Gives the room of taken rows back, so that the table stays small.
    static let vacuum = PostgresStatement("fold_vacuum", "VACUUM (SKIP_LOCKED) attribution.postback_change")

    /// The key that the three tables share, in the order of their indexes.
    private static let key =
        "day, advertised_app_id, campaign, ad_network_id, environment, developer_copy, protocol, campaign_type"

    /// Each counter and its sum over changes.
    private static let counters = [
        ("installs", "sum(postbacks) FILTER (WHERE first_win AND kind = 'install')"),
        ("redownloads", "sum(postbacks) FILTER (WHERE first_win AND kind = 'redownload')"),
        ("reengagements", "sum(postbacks) FILTER (WHERE first_win AND kind = 're-engagement')"),
        ("assists", "sum(postbacks) FILTER (WHERE NOT did_win)"),
        ("value_known", "sum(postbacks) FILTER (WHERE first_win AND conversion_value >= 0)"),
        ("value_coarse", "sum(postbacks) FILTER (WHERE first_win AND coarse_value <> '')"),
        ("value_null", "sum(postbacks) FILTER (WHERE first_win AND conversion_value < 0 AND coarse_value = '')"),
        ("value_sum", "sum(postbacks * conversion_value) FILTER (WHERE first_win AND conversion_value >= 0)"),
        ("raised", "sum(raised)"),
        ("conflicts", "sum(conflicts)"),
        ("later_windows", "sum(postbacks) FILTER (WHERE sequence_index > 0)"),
    ]

    private static func add(to table: String, extraKey: String, _ counters: [(name: String, sum: String)]) -> String {
        let names = counters.map(\.name).joined(separator: ", ")
        let sums = counters.map { "coalesce(\($0.sum), 0)" }.joined(separator: ", ")
        let additions = counters.map { "\($0.name) = stored.\($0.name) + excluded.\($0.name)" }
        return """
            INSERT INTO attribution.\(table)_base AS stored (\(key)\(extraKey), \(names))
            SELECT \(key)\(extraKey), \(sums)
              FROM taken
             GROUP BY \(key)\(extraKey)
            ON CONFLICT (\(key)\(extraKey)) DO UPDATE SET \(additions.joined(separator: ", "))
            """
    }
}

extension PostbackStore {
    /// Adds changes that postbacks have left to the daily tables; reports show the same before and after.
    ///
    /// - Returns: how many changes were added, at most `limit`; 0 too where somebody else is at it.
    public func foldChanges(limit: Int) async throws -> Int {
        try await pool.withTransaction("fold_changes") { connection in
            guard try connection.query(ChangeFolding.lock).first?.decode(Bool.self, at: 0) == true else { return 0 }
            var bindings = PostgresBindings()
            bindings.append(Int64(limit))
            let count = try connection.query(ChangeFolding.fold, bindings).first?.decode(Int64.self, at: 0)
            return Int(count ?? 0)
        }
    }

    /// Adds all changes to the daily tables, part by part.
    ///
    /// - Returns: how many they were.
    public func foldAllChanges() async throws -> Int {
        let part = 50_000
        var total = 0
        while true {
            let count = try await foldChanges(limit: part)
            total += count
            if count < part { return total }
        }
    }

    /// Gives the room of changes that were added back to the table that they came through.
    ///
    /// PostgreSQL lets the table's owner do this alone; for others it does nothing.
    public func vacuumChanges() async throws {
        try await pool.withConnection { connection in
            try connection.run(ChangeFolding.vacuum)
        }
    }
}
