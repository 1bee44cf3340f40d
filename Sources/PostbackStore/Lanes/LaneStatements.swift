import PostgresClient

/// The statements about lanes, their days of writing, and partitions.
enum LaneStatements {
    /// The lanes, their shares of the hashes, and whether they are closed.
    static let select = PostgresStatement(
        "lanes", "SELECT lane, first_hash, last_hash, is_closed FROM attribution.lane ORDER BY first_hash, lane")

    /// Creates lanes.
    ///
    /// Their day of writing is today by the database's clock.
    static let insert = PostgresStatement(
        "lanes_insert",
        """
        WITH new AS (
            INSERT INTO attribution.lane (lane, first_hash, last_hash)
            SELECT lane, first_hash, last_hash
              FROM unnest($1::smallint[], $2::bigint[], $3::bigint[]) AS new (lane, first_hash, last_hash)
            RETURNING lane
        )
        INSERT INTO attribution.lane_day (lane, day)
        SELECT lane, (clock_timestamp() AT TIME ZONE 'UTC')::date FROM new
        """)

    /// Creates the readers of the store itself, which read the log from its beginning.
    static let addOwnReaders = PostgresStatement(
        "lanes_own_readers",
        """
        INSERT INTO attribution.log_reader (reader, lane, position, ordinal, moved_at)
        SELECT reader, lane, 0, 0, clock_timestamp()
          FROM attribution.lane, (VALUES ('figures'), ('answers')) AS own (reader)
        """)

    /// Locks a lane until the transaction ends.
    ///
    /// Only the transaction that holds the lock writes rows of the lane.
    static let lock = PostgresStatement("lane_lock", "SELECT pg_advisory_xact_lock(742100164, $1::integer)")

    /// The same if the lane is free; else it fails within a few milliseconds (55P03).
    ///
    /// The last column restores the timeout for the statements behind it. The columns are computed from left to right.
    static let tryLock = PostgresStatement(
        "lane_try_lock",
        """
        SELECT set_config('lock_timeout', '1ms', true), pg_advisory_xact_lock(742100164, $1::integer),
               set_config('lock_timeout', before.lock_timeout, true)
          FROM (SELECT current_setting('lock_timeout') AS lock_timeout OFFSET 0) AS before
        """)

    /// Lets one check of a server at a time try to write.
    ///
    /// Parameter: a number of the server's own. A check can wait for ever for a synchronous standby. Without the lock each
    /// check after it would leave one more session of the database waiting.
    static let lockCheck = PostgresStatement("lane_lock_check", "SELECT pg_advisory_xact_lock(742100165, $1::integer)")

    /// Locks a row of a lane in a way that no batch waits for, and that waits for no batch.
    ///
    /// It needs a session that allows writing, and its commit is written to disk.
    static let lockRow = PostgresStatement(
        "lane_lock_row", "SELECT lane FROM attribution.lane ORDER BY lane LIMIT 1 FOR KEY SHARE")

    /// Takes the lock on the table of postbacks that a batch takes.
    static let lockTable = PostgresStatement(
        "lane_lock_table", "LOCK TABLE ONLY attribution.postback_state IN ROW EXCLUSIVE MODE")

    /// Moves a lane's day of writing forward, and returns the new one.
    ///
    /// The lane must be locked. No server can move the day beyond tomorrow by the database's clock, even if its own
    /// clock is wrong.
    static func moveDay(in tables: LaneTables) -> PostgresStatement {
        PostgresStatement(
            "lane_move_day",
            """
            UPDATE \(tables.laneDay)
               SET day = greatest(day, least($2::date, (clock_timestamp() AT TIME ZONE 'UTC')::date + 1))
             WHERE lane = $1
            RETURNING day
            """)
    }

    /// Whether a partition is missing that `addPartitions` would create; the same parameters.
    static let isPartitionMissing = PostgresStatement(
        "partition_missing",
        """
        SELECT EXISTS (
            SELECT
              FROM (SELECT greatest(least($1::date, (clock_timestamp() AT TIME ZONE 'UTC')::date),
                                    attribution.first_lane_day()) AS day) AS first,
                   generate_series(0, $2::integer - 1) AS ahead,
                   unnest(ARRAY['postback_body', 'postback_log']) AS partitioned
             WHERE to_regclass('attribution.' || partitioned || to_char(first.day + ahead, '_YYYYMMDD')) IS NULL)
        """)

    /// Lets one server at a time create partitions.
    static let partitionLock = PostgresStatement("partition_wait", "SELECT pg_advisory_xact_lock(7421001646)")

    /// Creates the partitions of some days.
    ///
    /// Parameters: the first day, the number of days. A first day after today, by the database's clock, is replaced by
    /// today. One before every lane's day of writing is replaced by the oldest of these. So a server with a wrong clock
    /// creates no useless partitions.
    static let addPartitions = PostgresStatement(
        "partition_add",
        """
        SELECT attribution.add_coming_partitions($1::date, $2::integer)
        """)
}
