import PostgresClient

/// The statements that compare state, bodies and log, and write missing events again.
enum LogCheckStatements {
    /// The lanes to compare.
    static let lanes = PostgresStatement("log_check_lanes", "SELECT attribution.lanes_to_compare()")

    /// Compares the next part of a lane.
    ///
    /// Parameters: the lane, about how many events, whether to store what does not fit. NULL if there was nothing.
    static let check = PostgresStatement("log_check", "SELECT attribution.check_log($1, $2, $3)")

    /// Compares a part of the days that are not over again; parameters and result are those of `check`.
    static let checkAgain = PostgresStatement("log_check_again", "SELECT attribution.check_log_again($1, $2, $3)")

    /// When the lane was compared that was compared longest ago; NULL if none was.
    static let checkedAt = PostgresStatement("log_checked", "SELECT min(checked_at) FROM attribution.log_check")

    /// Compares the days again that have problems; the parameter is about how many events are compared at once.
    static let recheck = PostgresStatement("log_recheck", "SELECT attribution.recheck_log_problems($1)")

    /// What was found and not mended, on days whose bodies and log are there.
    static let problems = PostgresStatement(
        "log_problems",
        """
        SELECT lane, written.day, problem, sum(postbacks)::bigint, min(example::text)
          FROM attribution.log_problem, attribution.day_of_writing(position) AS written (day)
         WHERE NOT EXISTS (SELECT FROM attribution.missing_day WHERE missing_day.day = written.day)
         GROUP BY lane, written.day, problem
         ORDER BY written.day, lane, problem
         LIMIT 10000
        """)

    /// The lanes and the days of writing whose log is there, and which can be compared lane by lane.
    static let days = PostgresStatement(
        "log_repair_days",
        """
        SELECT lane, day, attribution.first_position(day), attribution.first_position(day + 1) - 1
          FROM attribution.lane, attribution.written_days('log') AS written (day)
         WHERE NOT is_closed AND day >= attribution.first_day_of_lanes()
           AND NOT EXISTS (SELECT FROM attribution.missing_day AS missing
                            WHERE missing.part = 'log' AND missing.day = written.day)
         ORDER BY lane, day
        """)

    /// The missing events of a lane between two positions; the last column is the event as JSON.
    static let missing = PostgresStatement(
        "log_missing",
        """
        SELECT missing.position, missing.ordinal, line, event, to_json(missing)::text
          FROM attribution.missing_events($1, $2, $3) AS missing
        """)

    /// Writes missing events of a lane again, on the node that has it.
    ///
    /// Parameters: the lane, a JSON array of events, whether the lanes are distributed.
    static let write = PostgresStatement(
        "log_write_events", "SELECT attribution.write_events_in_shard($1, $2::text::jsonb, $3)")

    /// Notes the lines whose figures must be summed anew.
    static let request = PostgresStatement(
        "figure_refold_request",
        """
        INSERT INTO attribution.figure_refold (line, requested_at)
        SELECT line, clock_timestamp() FROM unnest($1::integer[]) AS line
        ON CONFLICT (line) DO UPDATE SET requested_at = excluded.requested_at
        """)

    /// Sums these figures anew, and asks for the same of the answers of their apps.
    static let refold = PostgresStatement(
        "figure_refold",
        """
        WITH lines AS MATERIALIZED (
            DELETE FROM attribution.figure_refold RETURNING line
        ),
        apps AS (
            INSERT INTO attribution.answer_refold (advertised_app_id, requested_at)
            SELECT DISTINCT advertised_app_id, clock_timestamp() FROM lines JOIN attribution.line USING (line)
            ON CONFLICT (advertised_app_id) DO NOTHING
        )
        SELECT attribution.refold_figures(array_agg(line)) FROM lines HAVING count(*) > 0
        """)
}
