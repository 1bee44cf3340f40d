import PostgresClient

/// How far a standby of the database is behind, as the database itself sees it.
package struct StandbyLag: Sendable, Equatable {
    /// Its name: `application_name` of its connection; several may have the same one.
    package let name: String
    /// How many connections have this name.
    package let count: Int64
    /// How far behind they are; nil if the role may not see it.
    package let lag: Lag?

    /// The lag of the standby that is furthest behind.
    package struct Lag: Sendable, Equatable {
        /// The bytes of WAL that it has not replayed; of one that only receives, not stored.
        package let bytes: Int64
        /// How long ago what it replayed last was written, in seconds; 0 if nothing is written, or if it does not say.
        package let seconds: Double
    }
}

extension PostbackStore {
    /// The standbys that are connected to the database that takes writes, by name, at most 100.
    ///
    /// How far they are behind is for members of `pg_read_all_stats` or `pg_monitor`; others see the names. On a cluster
    /// these are the standbys of the coordinator.
    package func standbyLags() async throws -> [StandbyLag] {
        try await pool.withConnection { connection in
            try connection.query(Self.standbys).map { row in
                var columns = ColumnCursor(row)
                let name: String = try columns.next()
                let count: Int64 = try columns.next()
                let bytes: Int64? = try columns.next()
                let seconds: Double? = try columns.next()
                return StandbyLag(
                    name: name, count: count, lag: bytes.map { StandbyLag.Lag(bytes: $0, seconds: seconds ?? 0) })
            }
        }
    }

    // A backup of files is no standby. Without the right to see it, `state` is NULL and so is the rest.
    private static let standbys = PostgresStatement(
        "standby_lags",
        """
        SELECT coalesce(standby.application_name, ''), count(*),
               max(pg_wal_lsn_diff(here.position, coalesce(standby.replay_lsn, standby.flush_lsn)))::bigint,
               max(extract(epoch FROM standby.replay_lag))::float8
          FROM pg_stat_replication AS standby
         CROSS JOIN (SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() ELSE pg_current_wal_lsn() END)
                    AS here(position)
         WHERE standby.state IS DISTINCT FROM 'backup'
         GROUP BY 1
         ORDER BY 1
         LIMIT 100
        """)
}
