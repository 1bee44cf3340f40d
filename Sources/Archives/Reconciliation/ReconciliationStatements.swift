import AdAttribution
import PostgresClient

/// The statements that compare an archive.
///
/// An archive of any size goes through tables of the session (`pg_temp`). So neither the program nor the server holds
/// it in memory. Nothing is left behind if the program is killed.
enum ReconciliationStatements {
    /// The tables of the session.
    ///
    /// `other_delivery`: the deliveries of the archive. `other_postback`: the postbacks that they are of, beside what
    /// is here. `other_pair`: the networks and apps of the archive. `compared`: what became of each postback.
    static let tables = """
        CREATE TEMP TABLE other_delivery (
            file_line bigint, transaction_id uuid, received_at timestamptz, line integer, source bigint, traits integer,
            lane smallint, network smallint, sequence_index smallint, value smallint, did_win boolean);
        CREATE TEMP TABLE other_postback (
            transaction_id uuid, file_line bigint, other_received_at timestamptz, received_at timestamptz,
            other_line integer, other_source bigint, other_traits integer, line integer, source bigint, traits integer,
            lane smallint, network smallint, sequence_index smallint, other_value smallint, value smallint,
            first_value smallint, previous_value smallint, did_win boolean, outcome text);
        CREATE TEMP TABLE other_pair (network smallint, advertised_app_id bigint, first_day date);
        CREATE TEMP TABLE compared (LIKE attribution.reconciliation_difference INCLUDING DEFAULTS);
        ALTER TABLE compared DROP COLUMN run;
        """

    static let add = PostgresStatement(
        "reconcile_add",
        """
        INSERT INTO pg_temp.other_delivery
               (file_line, transaction_id, received_at, line, source, traits, lane, network, sequence_index, value, did_win)
        SELECT * FROM unnest($1::bigint[], $2::uuid[], $3::timestamptz[], $4::integer[], $5::bigint[], $6::integer[],
                             $7::smallint[], $8::smallint[], $9::smallint[], $10::smallint[], $11::boolean[])
        """)

    static let analyzeDeliveries = PostgresStatement("reconcile_analyze_deliveries", "ANALYZE pg_temp.other_delivery")
    static let analyzePostbacks = PostgresStatement("reconcile_analyze_postbacks", "ANALYZE pg_temp.other_postback")

    /// Makes one row of all deliveries of a postback, and finds the postback here.
    ///
    /// The value of an archive is the one that `import` would store: the highest of the kind that came first. `had` has
    /// a bit for each value that any delivery had, at value + 1. Deliveries of one key that name different lines,
    /// sources or traits are very rare; then any of them is taken.
    ///
    /// - Parameter signed: The columns of `traits` that are signed.
    static func match(signed: [String]) -> PostgresStatement {
        let columns = ["version"] + signed
        func row(_ table: String) -> String { columns.map { "\(table).\($0)" }.joined(separator: ", ") }
        return PostgresStatement(
            "reconcile_match",
            """
            INSERT INTO pg_temp.other_postback
                   (transaction_id, lane, network, sequence_index, did_win, file_line, other_received_at, other_line,
                    other_source, other_traits, other_value, line, source, traits, value, first_value, previous_value,
                    received_at, outcome)
            SELECT there.transaction_id, there.lane, there.network, there.sequence_index, there.did_win, there.file_line,
                   there.received_at, there.line, there.source, there.traits, there.value, here.line, here.source,
                   here.traits, here.value, here.first_value, here.previous_value, here.received_at,
                   CASE WHEN here.line IS NULL THEN NULL
                        WHEN here.source <> there.source
                          OR (here.line <> there.line
                              AND EXISTS (SELECT FROM attribution.line AS ours, attribution.line AS theirs
                                           WHERE ours.line = here.line AND theirs.line = there.line
                                             AND (ours.campaign_type, ours.campaign, ours.advertised_app_id)
                                                 <> (theirs.campaign_type, theirs.campaign, theirs.advertised_app_id)))
                          OR (here.traits <> there.traits
                              AND EXISTS (SELECT FROM attribution.traits AS ours, attribution.traits AS theirs
                                           WHERE ours.traits = here.traits AND theirs.traits = there.traits
                                             AND (\(row("ours"))) IS DISTINCT FROM (\(row("theirs")))))
                        THEN 'signed_differs'
                        ELSE attribution.copy_outcome(here.value, here.first_value, here.previous_value, there.value,
                                                      get_bit(there.had, here.value + 1) = 1)
                   END
              FROM (SELECT *, coalesce(CASE WHEN fine_line < coarse_line OR coarse_line IS NULL THEN fine ELSE coarse END,
                                       -1)::smallint AS value
                      FROM (SELECT transaction_id, lane, network, sequence_index, did_win, min(file_line) AS file_line,
                                   min(received_at) AS received_at, min(line) AS line, min(source) AS source,
                                   min(traits) AS traits,
                                   max(value) FILTER (WHERE value BETWEEN 0 AND 63) AS fine,
                                   max(value) FILTER (WHERE value > 63) AS coarse,
                                   min(file_line) FILTER (WHERE value BETWEEN 0 AND 63) AS fine_line,
                                   min(file_line) FILTER (WHERE value > 63) AS coarse_line,
                                   bit_or(set_bit(0::bit(105), value + 1, 1)) AS had
                              FROM pg_temp.other_delivery
                             GROUP BY transaction_id, lane, network, sequence_index, did_win) AS grouped) AS there
              LEFT JOIN attribution.postback_state AS here
                     ON here.transaction_id = there.transaction_id AND here.lane = there.lane
                    AND here.network = there.network AND here.sequence_index = there.sequence_index
                    AND here.did_win = there.did_win
            """)
    }

    /// What the archive is.
    ///
    /// The first columns are the number of its postbacks, whether all and whether any of them are developer copies
    /// here. Then come the first and the last time of receipt, and whether these times are its own.
    static let overview = PostgresStatement(
        "reconcile_overview",
        """
        SELECT count(*), coalesce(bool_and(line.developer_copy), false), coalesce(bool_or(line.developer_copy), false),
               min(coalesce(there.other_received_at, there.received_at)),
               max(coalesce(there.other_received_at, there.received_at)),
               count(there.other_received_at) > 0
          FROM pg_temp.other_postback AS there
          JOIN attribution.line ON line.line = there.other_line
        """)

    /// The networks and apps of the archive, and the first day of each here.
    static let pairs = PostgresStatement(
        "reconcile_pairs",
        """
        INSERT INTO pg_temp.other_pair (network, advertised_app_id, first_day)
        SELECT pair.network, pair.advertised_app_id, min(figure.day)
          FROM (SELECT DISTINCT network, advertised_app_id
                  FROM (SELECT DISTINCT other_line AS line FROM pg_temp.other_postback) AS there
                  JOIN attribution.line USING (line)) AS pair
          LEFT JOIN attribution.line ON (line.network, line.advertised_app_id) = (pair.network, pair.advertised_app_id)
          LEFT JOIN attribution.window_figure AS figure
                 ON figure.line = line.line AND figure.winning + figure.assists > 0
         GROUP BY pair.network, pair.advertised_app_id
        """)

    /// What became of the postbacks of the archive.
    ///
    /// Its parameter is the time of the run. A postback that is not here may be no loss. Apple may send this side no
    /// copy of it. Or the other side received it before the first day of the network and app here.
    static let compareTheirs = PostgresStatement(
        "reconcile_compare_theirs",
        """
        INSERT INTO pg_temp.compared
               (line, transaction_id, source, traits, file_line, received_at, other_received_at, outcome, sequence_index,
                value, first_value, previous_value, other_value, did_win, at_end)
        SELECT coalesce(there.line, there.other_line), there.transaction_id, coalesce(there.source, there.other_source),
               coalesce(there.traits, there.other_traits), there.file_line, there.received_at, there.other_received_at,
               coalesce(there.outcome,
                        CASE WHEN theirs.developer_copy AND NOT attribution.has_copy(there.did_win, traits.version)
                             THEN 'not_copied'
                             WHEN attribution.day_of(there.other_received_at) < pair.first_day THEN 'before_begin'
                             ELSE 'only_there' END),
               there.sequence_index, there.value, there.first_value, there.previous_value, there.other_value,
               there.did_win,
               there.outcome IS NULL AND coalesce(there.other_received_at > $1 - attribution.retry_time(), false)
          FROM pg_temp.other_postback AS there
          JOIN attribution.line AS theirs ON theirs.line = there.other_line
          JOIN attribution.traits AS traits ON traits.traits = there.other_traits
          JOIN pg_temp.other_pair AS pair
            ON pair.network = theirs.network AND pair.advertised_app_id = theirs.advertised_app_id
        """)

    /// The postbacks that are only here.
    ///
    /// Its parameters are the time that the archive covers, and whose archive it is.
    static let compareOurs = PostgresStatement(
        "reconcile_compare_ours",
        """
        INSERT INTO pg_temp.compared
               (line, transaction_id, source, traits, received_at, outcome, sequence_index, value, first_value,
                previous_value, did_win, at_end)
        SELECT here.line, here.transaction_id, here.source, here.traits, here.received_at, 'only_here',
               here.sequence_index, here.value, here.first_value, here.previous_value, here.did_win,
               here.received_at < $1 + attribution.retry_time() OR here.received_at > $2 - attribution.retry_time()
          FROM attribution.postback_state AS here
          JOIN attribution.line USING (line)
          JOIN attribution.traits USING (traits)
          JOIN pg_temp.other_pair AS pair
            ON pair.network = line.network AND pair.advertised_app_id = line.advertised_app_id
         WHERE here.received_at BETWEEN $1 AND $2
           AND ($3 = 'network' OR attribution.has_copy(here.did_win, traits.version))
           AND NOT EXISTS (SELECT FROM pg_temp.other_postback AS there
                            WHERE there.transaction_id = here.transaction_id AND there.network = here.network
                              AND there.sequence_index = here.sequence_index AND there.did_win = here.did_win)
        """)

    /// One run is stored at a time, so that two of one archive follow each other.
    static let lock = PostgresStatement("reconcile_lock", "SELECT pg_advisory_xact_lock(7421001657)")

    /// The number of an archive's run: that of its earlier one, or the next free one.
    static let number = PostgresStatement(
        "reconcile_number",
        """
        SELECT coalesce((SELECT run FROM attribution.reconciliation WHERE fingerprint = $1),
                        (SELECT coalesce(max(run), 0) + 1 FROM attribution.reconciliation))
        """)

    static let remove = PostgresStatement("reconcile_remove", "SELECT attribution.remove_reconciliation($1)")

    static let addRun = PostgresStatement(
        "reconcile_add_run",
        """
        INSERT INTO attribution.reconciliation
               (run, fingerprint, file, size, side, first_received_at, last_received_at, range_by, lines, refused,
                not_ours, postbacks, reconciled_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
        """)

    static let addLines = PostgresStatement(
        "reconcile_add_lines",
        """
        INSERT INTO attribution.reconciliation_line
               (run, line, same_value, raised_here, raised_there, value_differs, higher_here, higher_there,
                signed_differs, only_here, only_here_at_end, only_there, only_there_at_end, not_copied, before_begin)
        SELECT $1, line, count(*) FILTER (WHERE outcome = 'same_value'),
               count(*) FILTER (WHERE outcome = 'raised_here'),
               count(*) FILTER (WHERE outcome = 'raised_there'),
               count(*) FILTER (WHERE outcome = 'value_differs'),
               count(*) FILTER (WHERE outcome = 'value_differs'
                                  AND attribution.value_difference(value, other_value) = 'higher here'),
               count(*) FILTER (WHERE outcome = 'value_differs'
                                  AND attribution.value_difference(value, other_value) = 'higher there'),
               count(*) FILTER (WHERE outcome = 'signed_differs'),
               count(*) FILTER (WHERE outcome = 'only_here'),
               count(*) FILTER (WHERE outcome = 'only_here' AND at_end),
               count(*) FILTER (WHERE outcome = 'only_there'),
               count(*) FILTER (WHERE outcome = 'only_there' AND at_end),
               count(*) FILTER (WHERE outcome = 'not_copied'),
               count(*) FILTER (WHERE outcome = 'before_begin')
          FROM pg_temp.compared
         GROUP BY line
        """)

    static let addDifferences = PostgresStatement(
        "reconcile_add_differences",
        """
        INSERT INTO attribution.reconciliation_difference
               (run, line, transaction_id, source, traits, file_line, received_at, other_received_at, outcome,
                sequence_index, value, first_value, previous_value, other_value, did_win, at_end)
        SELECT $1, line, transaction_id, source, traits, file_line, received_at, other_received_at, outcome,
               sequence_index, value, first_value, previous_value, other_value, did_win, at_end
          FROM pg_temp.compared
         WHERE outcome NOT IN ('same_value', 'not_copied', 'before_begin')
         ORDER BY line, received_at, transaction_id
        """)

    /// The sums of a run.
    static let sums = PostgresStatement(
        "reconcile_sums",
        """
        SELECT attribution.total(same_value + raised_here + raised_there), attribution.total(raised_here),
               attribution.total(raised_there), attribution.total(value_differs), attribution.total(higher_here),
               attribution.total(higher_there), attribution.total(signed_differs), attribution.total(only_here),
               attribution.total(only_here_at_end), attribution.total(only_there),
               attribution.total(only_there_at_end), attribution.total(not_copied), attribution.total(before_begin)
          FROM attribution.reconciliation_line
         WHERE run = $1
        """)
}
