import AdAttribution
import ConversionSchemes
import PostgresClient

/// The statements about conversion-value schemes.
///
/// Times are parameters. Who writes holds the lock.
enum SchemeStatements {
    /// Lets one transaction at a time load schemes, until it ends.
    static let lock = PostgresStatement("scheme_lock", "SELECT pg_advisory_xact_lock(7421001647)")

    /// The validities and digests of an app's schemes.
    static let history = PostgresStatement(
        "scheme_history",
        """
        SELECT valid_from, valid_to, sha256
          FROM attribution.conversion_scheme
         WHERE advertised_app_id = $1
         ORDER BY valid_from
        """)

    /// Whether a postback of the app was received at or after a time.
    static let isInUse = PostgresStatement("scheme_in_use", "SELECT attribution.conversion_scheme_in_use($1, $2)")

    /// Ends an open scheme where its successor begins.
    static let close = PostgresStatement(
        "scheme_close",
        """
        UPDATE attribution.conversion_scheme SET valid_to = $3
         WHERE advertised_app_id = $1 AND valid_from = $2 AND valid_to IS NULL
        RETURNING valid_from
        """)

    static let remove = PostgresStatement(
        "scheme_remove",
        "DELETE FROM attribution.conversion_scheme WHERE advertised_app_id = $1 AND valid_from = $2")

    static let removeMeanings = PostgresStatement(
        "scheme_remove_meanings",
        "DELETE FROM attribution.conversion_meaning WHERE advertised_app_id = $1 AND valid_from = $2")

    static let insert = PostgresStatement(
        "scheme_insert",
        """
        INSERT INTO attribution.conversion_scheme (
            advertised_app_id, valid_from, valid_to, name, currency, measurement_window_hours, document, sha256,
            loaded_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb, $8, $9)
        """)

    /// Adds the rows of a scheme's meanings.
    ///
    /// Amounts are texts, since they are exact.
    static let insertMeanings = PostgresStatement(
        "scheme_insert_meanings",
        """
        INSERT INTO attribution.conversion_meaning (
            advertised_app_id, valid_from, sequence_index, fine, coarse, event, revenue_low, revenue_high, count_low,
            count_high, hours_low, hours_high, locks, possibly_locks, any_of)
        SELECT $1, $2, sequence_index, fine, coarse, event, revenue_low::numeric, revenue_high::numeric, count_low,
               count_high, hours_low, hours_high, locks, possibly_locks, any_of
          FROM unnest($3::smallint[], $4::smallint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[],
                      $10::bigint[], $11::smallint[], $12::smallint[], $13::boolean[],
                      $14::boolean[], $15::boolean[])
               AS new (sequence_index, fine, coarse, event, revenue_low, revenue_high, count_low, count_high,
                       hours_low, hours_high, locks, possibly_locks, any_of)
        """)

    /// Notes the schemes of apps as they are before a load.
    static let note = PostgresStatement(
        "scheme_note",
        """
        INSERT INTO attribution.load_row (load, before)
        SELECT $1, \(LoadedTable.scheme.wholeStored)
          FROM attribution.conversion_scheme AS stored
         WHERE advertised_app_id = ANY ($2)
        """)

    /// Keeps of the noted schemes those that the load has changed, with their rows after it, and adds new ones.
    ///
    /// $2 are the apps of the load, $3 is the number of files that changed nothing. No load removes a scheme.
    static let noteWritten = PostgresStatement(
        "scheme_note_written",
        """
        WITH noted AS (
            DELETE FROM attribution.load_row WHERE load = $1 RETURNING before
        ),
        present AS (
            SELECT advertised_app_id, valid_from, \(LoadedTable.scheme.storedFields) AS fields
              FROM attribution.conversion_scheme AS stored
             WHERE advertised_app_id = ANY ($2)
        ),
        joined AS MATERIALIZED (
            SELECT before, fields AS after
              FROM (SELECT before, (before ->> 'advertised_app_id')::bigint AS advertised_app_id,
                           (before ->> 'valid_from')::timestamptz AS valid_from
                      FROM noted) AS stored
              FULL JOIN present USING (advertised_app_id, valid_from)
             WHERE before - 'loaded_at' IS DISTINCT FROM fields
        ),
        noting AS (
            INSERT INTO attribution.load_row (load, before, after) SELECT $1, before, after FROM joined
        )
        UPDATE attribution.load
           SET added = rows.added, changed = rows.changed, unchanged = $3
          FROM (SELECT count(*) FILTER (WHERE before IS NULL) AS added,
                       count(*) FILTER (WHERE before IS NOT NULL) AS changed
                  FROM joined) AS rows
         WHERE load = $1
        """)

    /// The documents that a load has written, each with the one before it; NULL if it is new.
    static let rewritten = PostgresStatement(
        "scheme_rewritten",
        """
        SELECT (after -> 'document')::text, (before -> 'document')::text
          FROM attribution.load_row
         WHERE load = $1 AND before -> 'document' IS DISTINCT FROM after -> 'document'
        """)

    /// All schemes, the newest of each app last.
    static let list = PostgresStatement(
        "scheme_list",
        """
        SELECT advertised_app_id, valid_from, valid_to, name, currency, loaded_at,
               attribution.conversion_scheme_in_use(advertised_app_id, valid_from)
          FROM attribution.conversion_scheme
         ORDER BY advertised_app_id, valid_from
        """)

    /// The scheme of an app that is valid at a time.
    static let select = PostgresStatement(
        "scheme_select",
        """
        SELECT document::text, valid_from, valid_to
          FROM attribution.conversion_scheme
         WHERE advertised_app_id = $1 AND valid_from <= $2 AND (valid_to IS NULL OR valid_to > $2)
        """)

    /// The app and the beginning of a scheme.
    static func key(_ scheme: ConversionScheme) -> PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(scheme.appID.value)
        bindings.append(PostgresTimestamp(scheme.validity.from))
        return bindings
    }
}
