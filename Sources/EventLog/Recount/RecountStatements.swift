import PostgresClient

/// The statements that recount figures, mend them, and remember the last recount.
enum RecountStatements {
    /// Begins to read the figures that differ; the rows are taken with `take`.
    ///
    /// Parameters: whether all lines are meant, and else which.
    static let begin = PostgresStatement(
        "recount_begin",
        """
        DECLARE recount_rows NO SCROLL CURSOR FOR
        SELECT difference.table_name, difference.key, difference.line,
               nullif(concat_ws(' ', ad_network_id, campaign_type, campaign, 'app ' || advertised_app_id), ''),
               one.figure, coalesce(one.stored, 0)::text, coalesce(one.recounted, 0)::text
          FROM attribution.recount_of(CASE WHEN NOT $1 THEN $2::integer[] END) AS difference
          LEFT JOIN attribution.line ON line.line = difference.line
         CROSS JOIN LATERAL unnest(attribution.figure_names(difference.table_name), difference.stored,
                                   difference.recounted) AS one (figure, stored, recounted)
         WHERE coalesce(one.stored, 0) <> coalesce(one.recounted, 0)
         ORDER BY difference.table_name, difference.line, difference.key
        """)

    static let take = PostgresStatement("recount_take", "FETCH 1000 FROM recount_rows")

    /// The apps whose answers wait to be folded anew.
    static let waitingApps = PostgresStatement(
        "recount_waiting", "SELECT advertised_app_id FROM attribution.answer_refold ORDER BY 1")

    /// Sums figures and answers of some lines anew, and the sizes of the quarantine.
    static let mend = PostgresStatement("recount_mend", "SELECT attribution.mend_figures($1::integer[])")

    /// How many rows of figures of some lines differ.
    static let left = PostgresStatement(
        "recount_left", "SELECT count(*) FROM attribution.recount_of($1::integer[])")

    /// Whether there are bodies of notifications of the App Store.
    static let hasStoreBodies = PostgresStatement(
        "recount_store_bodies", "SELECT EXISTS (SELECT FROM attribution.store_body)")

    /// Begins to read the columns of the App Store's transactions that differ; the rows are taken with `takeStore`.
    static let beginStore = PostgresStatement(
        "recount_begin_store",
        """
        DECLARE store_rows NO SCROLL CURSOR FOR
        SELECT environment, transaction_id, field, stored, recounted FROM attribution.recount_app_store()
        """)

    static let takeStore = PostgresStatement("recount_take_store", "FETCH 1000 FROM store_rows")

    /// Takes the lock of the recount on a schedule to the end of the transaction, if it is free.
    static let lock = PostgresStatement("recount_lock", "SELECT pg_try_advisory_xact_lock(7421001652)")

    /// Whether the last recount began before so many seconds, or there was none.
    static let isDue = PostgresStatement(
        "recount_due",
        """
        SELECT NOT EXISTS (SELECT FROM attribution.recount_run
                            WHERE began_at > clock_timestamp() - $1::double precision * interval '1 second')
        """)

    /// Remembers a recount.
    ///
    /// Parameters: how many seconds it took, and how many figures differ.
    static let store = PostgresStatement(
        "recount_store",
        """
        INSERT INTO attribution.recount_run AS run (only_row, began_at, seconds, differences)
        VALUES (true, clock_timestamp() - $1::double precision * interval '1 second', $1, $2)
        ON CONFLICT (only_row) DO UPDATE SET
            began_at = excluded.began_at, seconds = excluded.seconds, differences = excluded.differences
         WHERE run.began_at < excluded.began_at
        """)

    /// The last recount.
    static let last = PostgresStatement(
        "recount_last", "SELECT began_at, seconds, differences FROM attribution.recount_run")
}
