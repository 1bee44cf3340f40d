import PostgresClient

/// The statements of retention.
enum RetentionStatements {
    /// The days that are past their retention, in order, each with the number of days that it has been over.
    ///
    /// Parameters: the days that bodies stay, and that the log stays; NULL for ever. Days whose bodies were put back
    /// are left out.
    static let expired = PostgresStatement(
        "retention_expired",
        """
        SELECT rule.part, written.day, (clock_timestamp() AT TIME ZONE 'UTC')::date - 1 - written.day
          FROM (VALUES ('body', $1::integer), ('log', $2::integer)) AS rule (part, days)
         CROSS JOIN LATERAL attribution.written_days(rule.part) AS written (day)
         WHERE (clock_timestamp() AT TIME ZONE 'UTC')::date - 1 - written.day >= rule.days
           AND NOT EXISTS (SELECT FROM attribution.dropped_day AS dropped
                            WHERE dropped.part = rule.part AND dropped.day = written.day
                              AND dropped.restored_at IS NOT NULL)
         ORDER BY written.day, rule.part
        """)

    /// The lanes whose day of writing is not after a day.
    static let lanesAt = PostgresStatement(
        "retention_lanes",
        """
        SELECT lane
          FROM attribution.lane_day
          JOIN attribution.lane USING (lane)
         WHERE day <= $1 AND NOT is_closed
         ORDER BY lane
        """)

    /// Drops a day, unless a reader needs it.
    ///
    /// Parameters: the part, the day, and whether to remove readers that need it.
    static let drop = PostgresStatement(
        "retention_drop",
        """
        SELECT is_dropped, array_to_string(needed_by, ' '), array_to_string(dropped_readers, ' ')
          FROM attribution.drop_day($1, $2, $3)
        """)

    /// The first day of each part.
    static let oldest = PostgresStatement(
        "retention_oldest",
        """
        SELECT part, (SELECT min(day) FROM attribution.written_days(part) AS day)
          FROM (VALUES ('body'), ('log')) AS parts (part)
        """)

    /// The first day of bodies whose source addresses have to leave.
    ///
    /// Parameter: the days that they stay.
    static let addressDay = PostgresStatement(
        "retention_address_day",
        """
        SELECT min(written.day)
          FROM attribution.written_days('body') AS written (day)
         WHERE (clock_timestamp() AT TIME ZONE 'UTC')::date - 1 - written.day >= $1::integer
           AND NOT EXISTS (SELECT FROM attribution.dropped_day AS dropped
                            WHERE dropped.part = 'address' AND dropped.day = written.day
                              AND dropped.dropped_at IS NOT NULL)
        """)

    /// Prepares a day for `forgetAddresses`, and returns the number of its pages.
    static let beginToForget = PostgresStatement(
        "retention_begin_to_forget", "SELECT attribution.begin_to_forget_addresses($1)")

    /// Removes source addresses and User-Agents from some pages of a day.
    static let forgetAddresses = PostgresStatement(
        "retention_forget_addresses", "SELECT attribution.forget_addresses($1, $2, $3)")

    /// Notes that the source addresses of a day have left.
    static let forgotten = PostgresStatement(
        "retention_forgotten",
        """
        UPDATE attribution.dropped_day SET dropped_at = clock_timestamp() WHERE part = 'address' AND day = $1
        """)

    /// Removes source addresses and User-Agents from some rows of the quarantine.
    ///
    /// Parameters: the days that they stay, and the greatest number of rows.
    static let forgetRejected = PostgresStatement(
        "retention_forget_rejected",
        """
        SELECT attribution.forget_rejected_addresses((clock_timestamp() AT TIME ZONE 'UTC')::date - $1::integer, $2)
        """)

    /// The days of bodies.
    static let bodyDays = PostgresStatement(
        "retention_body_days", "SELECT day FROM attribution.written_days('body') AS day ORDER BY day")

    /// Whether a body of a day came from an address.
    ///
    /// Parameters: the first position of the day, the address.
    static let hasAddress = PostgresStatement(
        "retention_has_address",
        """
        SELECT EXISTS (SELECT FROM attribution.postback_body
                        WHERE position >= $1::bigint AND position < $1::bigint + 4294967296
                          AND source_address = $2::text::inet)
        """)

    /// Lets autovacuum remove old versions of bodies of a day, and returns the number of its pages.
    static let vacuumAtOnce = PostgresStatement(
        "retention_vacuum_at_once", "SELECT attribution.vacuum_bodies_at_once($1)")

    /// Removes an address from some pages of a day.
    static let forgetAddress = PostgresStatement(
        "retention_forget_address", "SELECT attribution.forget_addresses($1, $2, $3, $4::text::inet)")

    /// Removes an address from some rows of the quarantine.
    ///
    /// Parameters: the greatest number of rows, the address.
    static let forgetRejectedOfAddress = PostgresStatement(
        "retention_forget_rejected_of_address",
        "SELECT attribution.forget_rejected_addresses(NULL, $1, $2::text::inet)")

    /// The archives whose names are known.
    static let archives = PostgresStatement(
        "retention_archives",
        """
        SELECT archive FROM attribution.dropped_day WHERE part = 'body' AND archive IS NOT NULL ORDER BY day
        """)
}
