import PostgresClient

/// The statements of the quarantine.
enum QuarantineStatements {
    /// What a row weighs against the limit: its texts, and about what PostgreSQL adds to each row and index entry.
    private static let weight = """
        octet_length(body) + coalesce(octet_length(checked_message), 0) + octet_length(detail) + 256
        """

    /// Reads the running size and keeps other writers out until the transaction ends.
    static let lockUsage = PostgresStatement(
        "quarantine_lock_usage",
        """
        SELECT known, rows, bytes FROM attribution.rejected_postback_usage ORDER BY known FOR UPDATE
        """)

    /// Inserts refused bodies, or counts another attempt of those that are there.
    static let insertOrCount = PostgresStatement(
        "quarantine_insert_or_count",
        """
        INSERT INTO attribution.rejected_postback AS stored (
            body_sha256, reason, detail, field, body, checked_message, known, attempts, first_seen_at, last_seen_at)
        SELECT body_sha256, reason, detail, field, body, checked_message, known, attempts, first_seen_at, last_seen_at
          FROM unnest($1::bytea[], $2::text[], $3::text[], $4::text[], $5::bytea[], $6::bytea[], $7::boolean[],
                      $8::bigint[], $9::timestamptz[], $10::timestamptz[])
               AS refused (body_sha256, reason, detail, field, body, checked_message, known,
                           attempts, first_seen_at, last_seen_at)
         ORDER BY body_sha256, reason, detail
        ON CONFLICT (body_sha256, reason, detail) DO UPDATE SET
            attempts = stored.attempts + excluded.attempts,
            first_seen_at = least(stored.first_seen_at, excluded.first_seen_at),
            last_seen_at = greatest(stored.last_seen_at, excluded.last_seen_at)
        RETURNING known, (\(weight))::bigint, xmax = 0
        """)

    /// Deletes of one half the oldest rows, so many of them or so many bytes, whichever takes more; at most 64 for bytes.
    static let deleteOldest = PostgresStatement(
        "quarantine_delete_oldest",
        """
        DELETE FROM attribution.rejected_postback
         WHERE (body_sha256, reason, detail) IN (
                   SELECT body_sha256, reason, detail
                     FROM (SELECT body_sha256, reason, detail,
                                  row_number() OVER oldest AS place,
                                  sum(weight) OVER oldest - weight AS freed_before
                             FROM (SELECT body_sha256, reason, detail, last_seen_at, (\(weight))::bigint AS weight
                                     FROM attribution.rejected_postback
                                    WHERE known = $1
                                    ORDER BY last_seen_at, body_sha256, reason, detail
                                    LIMIT greatest($2::bigint, 64)) AS candidate
                           WINDOW oldest AS (ORDER BY last_seen_at, body_sha256, reason, detail)) AS placed
                    WHERE place <= $2::bigint OR freed_before < $3::bigint)
        RETURNING (\(weight))::bigint
        """)

    /// So many bodies behind a time of first receipt and digest.
    ///
    /// The bodies themselves are read for the page only.
    static let page = PostgresStatement(
        "quarantine_page",
        """
        SELECT body_sha256, first_seen_at,
               (SELECT body FROM attribution.rejected_postback AS stored
                 WHERE stored.body_sha256 = page.body_sha256 LIMIT 1)
          FROM (SELECT body_sha256, min(first_seen_at) AS first_seen_at
                  FROM attribution.rejected_postback
                 GROUP BY body_sha256
                HAVING (min(first_seen_at), body_sha256) > ($1::timestamptz, $2::bytea)
                 ORDER BY min(first_seen_at), body_sha256
                 LIMIT $3::bigint) AS page
         ORDER BY first_seen_at, body_sha256
        """)

    /// Deletes all rows of some bodies.
    static let remove = PostgresStatement(
        "quarantine_remove",
        """
        DELETE FROM attribution.rejected_postback WHERE body_sha256 = ANY ($1::bytea[])
        RETURNING known, (\(weight))::bigint
        """)

    static let updateUsage = PostgresStatement(
        "quarantine_update_usage",
        """
        UPDATE attribution.rejected_postback_usage SET rows = $2, bytes = $3 WHERE known = $1
        """)

    static let countRows = PostgresStatement(
        "quarantine_count_rows",
        """
        SELECT sum(rows)::bigint FROM attribution.rejected_postback_usage
        """)
}
