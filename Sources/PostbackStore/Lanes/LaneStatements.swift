import PostgresClient

/// The statements about lanes, the days that they are written in, and partitions.
enum LaneStatements {
    /// The lanes, and the day that each is written in.
    static let select = PostgresStatement(
        "lanes", "SELECT lane, first_hash, last_hash FROM attribution.lane ORDER BY first_hash")

    /// Makes lanes; the day is the database's today.
    static let insert = PostgresStatement(
        "lanes_insert",
        """
        INSERT INTO attribution.lane (lane, first_hash, last_hash, day)
        SELECT lane, first_hash, last_hash, (clock_timestamp() AT TIME ZONE 'UTC')::date
          FROM unnest($1::smallint[], $2::bigint[], $3::bigint[]) AS new (lane, first_hash, last_hash)
        """)

    /// The daily figures read the log from its beginning.
    static let addFiguresReader = PostgresStatement(
        "lanes_figures_reader",
        """
        INSERT INTO attribution.log_reader (reader, lane, position, ordinal, moved_at)
        SELECT 'figures', lane, 0, 0, clock_timestamp() FROM attribution.lane
        """)

    /// Holds a lane to the end of the transaction.
    ///
    /// Only who holds it writes its rows.
    static let lock = PostgresStatement("lane_lock", "SELECT pg_advisory_xact_lock(742100164, $1::integer)")

    /// Moves a lane on to a day, and returns the day that it is written in then.
    ///
    /// The lane must be held.
    ///
    /// No server can move it beyond the database's tomorrow, however wrong its clock is.
    static let moveDay = PostgresStatement(
        "lane_move_day",
        """
        UPDATE attribution.lane
           SET day = greatest(day, least($2::date, (clock_timestamp() AT TIME ZONE 'UTC')::date + 1))
         WHERE lane = $1
        RETURNING day
        """)

    /// Lets one server at a time make partitions.
    static let partitionLock = PostgresStatement("partition_wait", "SELECT pg_advisory_xact_lock(7421001646)")

    /// Makes the partitions from a day on, so many days.
    ///
    /// They begin with the database's today at the latest, and with the oldest day that a lane is written in at the
    /// earliest: no partitions are made of days in which a wrong clock alone would write.
    static let addPartitions = PostgresStatement(
        "partition_add",
        """
        SELECT attribution.add_partitions(
                   greatest(least($1::date, (clock_timestamp() AT TIME ZONE 'UTC')::date),
                            (SELECT min(day) FROM attribution.lane)), $2::integer)
        """)
}
