import PostgresClient

/// The statements of all loads.
///
/// Times are parameters. Who writes holds the lock of the kind.
enum LoadStatements {
    static let begin = PostgresStatement(
        "load_begin",
        """
        INSERT INTO attribution.load (kind, loaded_at, loaded_by, files, digests)
        VALUES ($1, $2, $3, $4, $5)
        RETURNING load
        """)

    static let changes = PostgresStatement(
        "load_changes", "SELECT added, changed, unchanged, removed FROM attribution.load WHERE load = $1")

    /// SHA-256 of all rows that a load changes, in an order of their own.
    static let digest = PostgresStatement(
        "load_digest",
        """
        SELECT sha256(coalesce(string_agg(row, ''::bytea ORDER BY row), ''::bytea))
          FROM (SELECT sha256(convert_to(concat(before::text, E'\\n', after::text), 'UTF8')) AS row
                  FROM attribution.load_row
                 WHERE load = $1) AS changed
        """)

    /// Loads of these kinds, the newest first.
    static let list = PostgresStatement("load_list", select + " WHERE kind = ANY ($1) ORDER BY load DESC LIMIT $2")

    /// Loads of a kind that were made or taken back after a time, but for one.
    static let since = PostgresStatement(
        "load_since",
        select
            + " WHERE kind = $1 AND load <> $2 AND (loaded_at > $3 OR taken_back_at > $3) ORDER BY load DESC LIMIT 20")

    /// A load of a kind by its number; without one, the last that was not taken back.
    ///
    /// It holds the load, so that `removeOld` does not remove its rows until the transaction ends.
    static let find = PostgresStatement(
        "load_find",
        select
            + " WHERE kind = $1 AND CASE WHEN $2::bigint IS NULL THEN taken_back_at IS NULL ELSE load = $2 END"
            + " ORDER BY load DESC LIMIT 1 FOR UPDATE OF load")

    static let takeBack = PostgresStatement(
        "load_take_back", "UPDATE attribution.load SET taken_back_at = $2, taken_back_by = $3 WHERE load = $1")

    /// Removes what loads of before a time changed; the list of loads stays.
    static let removeOld = PostgresStatement(
        "load_remove_old",
        """
        WITH old AS (
            UPDATE attribution.load SET has_rows = false WHERE has_rows AND loaded_at < $1 RETURNING load
        )
        DELETE FROM attribution.load_row USING old WHERE load_row.load = old.load
        """)

    private static let select = """
        SELECT load, kind, loaded_at, loaded_by, array_to_string(files, ', '),
               (SELECT string_agg(encode(digest, 'hex'), ', ') FROM unnest(digests) AS digest),
               added, changed, unchanged, removed, has_rows, taken_back_at, taken_back_by,
               taken_back_at IS NULL AND NOT EXISTS (
                   SELECT FROM attribution.load AS later
                    WHERE later.kind = load.kind AND later.load > load.load AND later.taken_back_at IS NULL)
          FROM attribution.load
        """
}
