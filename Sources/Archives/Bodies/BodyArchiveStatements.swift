import PostbackStore
import PostgresClient

/// The statements that read bodies for archives.
enum BodyArchiveStatements {
    /// Lets one session at a time work on days; the same lock as that of `attribution.lock_retention`.
    static let lock = PostgresStatement("archive_lock", "SELECT pg_advisory_lock(7421001651)")

    /// Gives that lock back.
    static let unlock = PostgresStatement("archive_unlock", "SELECT pg_advisory_unlock(7421001651)")

    /// The days of bodies before a day that are over.
    static let days = PostgresStatement(
        "archive_days",
        """
        SELECT day
          FROM attribution.written_days('body') AS written (day)
         WHERE day < least($1::date, attribution.first_open_day())
         ORDER BY day
        """)

    /// Whether a day of bodies is there, and the readers of the log that need it.
    static let need = PostgresStatement(
        "archive_need",
        """
        SELECT $1::date IN (SELECT attribution.written_days('body')),
               array_to_string(ARRAY(SELECT attribution.readers_in($1::date)), ' ')
        """)

    /// The bodies of a lane behind a place, in order.
    ///
    /// Parameters: the lane, position and ordinal, the greatest number of bodies.
    static func page(_ day: PostgresDate) -> PostgresStatement {
        PostgresStatement(
            "archive_page",
            """
            SELECT lane, position, ordinal, transaction_id, received_at, host(source_address), user_agent, payload
              FROM attribution.\(WritingDay.bodyPartition(day))
             WHERE lane = $1 AND position >= $2 AND (position, ordinal) > ($2, $3)
             ORDER BY position, ordinal
             LIMIT $4
            """)
    }

    /// Drops a day of bodies that is archived.
    ///
    /// Parameters: the day, the name of the file, the number of bodies, the digest.
    static let drop = PostgresStatement(
        "archive_drop",
        """
        SELECT is_dropped, array_to_string(needed_by, ' ')
          FROM attribution.drop_day('body', $1, false, $2, $3, $4)
        """)
}
