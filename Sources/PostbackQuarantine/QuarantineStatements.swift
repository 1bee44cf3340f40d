import PostgresClient

/// The statements of the quarantine.
enum QuarantineStatements {
    /// The bytes of a row `stored` that count for the limit.
    private static let weight = "attribution.rejected_bytes(stored)"

    /// Reads the size of each half, and makes other writers wait until the transaction ends.
    static let lockUsage = PostgresStatement(
        "quarantine_lock_usage",
        """
        SELECT protected, rows, bytes FROM attribution.rejected_postback_usage ORDER BY protected FOR UPDATE
        """)

    /// The values and sizes of some protected rows.
    ///
    /// The lock must be held, because others could change the rows.
    static let held = PostgresStatement(
        "quarantine_held",
        """
        SELECT key, conversion_value, coarse_value, \(weight)
          FROM attribution.rejected_postback AS stored WHERE key = ANY ($1::bytea[])
        """)

    /// Inserts rows.
    ///
    /// For a row that exists it adds the attempts, and stores the body that raised the value.
    static let insertOrCount = PostgresStatement(
        "quarantine_insert_or_count",
        """
        INSERT INTO attribution.rejected_postback AS stored (\(columns))
        SELECT key, protected, rank, reason, detail, field, ad_network_id, advertised_app_id, campaign_type, campaign,
               transaction_id::uuid, body_sha256, body, checked_message, source_address::inet, user_agent,
               conversion_value, coarse_value, raised_body, raised_at, raised_source_address::inet, raised_user_agent,
               attempts, first_seen_at, last_seen_at
          FROM unnest($1::bytea[], $2::boolean[], $3::smallint[], $4::text[], $5::text[], $6::text[], $7::text[],
                      $8::bigint[], $9::text[], $10::text[], $11::text[],
                      $12::bytea[], $13::bytea[], $14::bytea[], $15::text[], $16::text[], $17::smallint[], $18::text[],
                      $19::bytea[], $20::timestamptz[], $21::text[], $22::text[], $23::bigint[], $24::timestamptz[],
                      $25::timestamptz[])
               AS refused (\(columns))
        ON CONFLICT (key) DO UPDATE SET
            attempts = stored.attempts + excluded.attempts,
            first_seen_at = least(stored.first_seen_at, excluded.first_seen_at),
            last_seen_at = greatest(stored.last_seen_at, excluded.last_seen_at),
            conversion_value = excluded.conversion_value,
            coarse_value = excluded.coarse_value,
            raised_body = \(raised("raised_body")),
            raised_at = \(raised("raised_at")),
            raised_source_address = \(raised("raised_source_address")),
            raised_user_agent = \(raised("raised_user_agent"))
        RETURNING key, protected, \(weight), xmax = 0
        """)

    private static let columns = """
        key, protected, rank, reason, detail, field, ad_network_id, advertised_app_id, campaign_type, campaign,
        transaction_id, body_sha256, body, checked_message, source_address, user_agent, conversion_value, coarse_value,
        raised_body, raised_at, raised_source_address, raised_user_agent, attempts, first_seen_at, last_seen_at
        """

    private static func raised(_ column: String) -> String {
        "CASE WHEN excluded.raised_body IS NULL THEN stored.\(column) ELSE excluded.\(column) END"
    }

    /// Deletes rows of one half: those of the lowest rank first, and among them those not seen for the longest time.
    ///
    /// Parameters: the half, the number of rows, the number of bytes. It deletes until both are reached, but at most 64
    /// rows. This bound is part of the text, so that the planner knows that it needs few entries of the index. Rows are
    /// deleted by their place in the table (`ctid`), which is the cheapest way. Nobody can change them meanwhile,
    /// because every writer waits for the lock.
    static let deleteOldest = PostgresStatement(
        "quarantine_delete_oldest",
        """
        DELETE FROM attribution.rejected_postback AS stored
         WHERE ctid = ANY (ARRAY(
                   SELECT row_id
                     FROM (SELECT row_id, row_number() OVER oldest AS place,
                                  sum(weight) OVER oldest - weight AS freed_before
                             FROM (SELECT ctid AS row_id, rank, last_seen_at, \(weight) AS weight
                                     FROM attribution.rejected_postback AS stored
                                    WHERE protected = $1
                                    ORDER BY rank, last_seen_at
                                    LIMIT 64) AS candidate
                           WINDOW oldest AS (ORDER BY rank, last_seen_at ROWS UNBOUNDED PRECEDING)) AS placed
                    WHERE place <= $2::bigint OR freed_before < $3::bigint))
        RETURNING \(weight)
        """)

    /// A row.
    static let one = PostgresStatement("quarantine_one", "\(bodies)\nWHERE key = $1")

    private static let bodies = """
        SELECT first_seen_at, key, protected,
               body, (SELECT min(other.first_seen_at) FROM attribution.rejected_postback AS other
                       WHERE other.body_sha256 = stored.body_sha256),
               host(source_address), user_agent,
               raised_body, raised_at, host(raised_source_address), raised_user_agent
          FROM attribution.rejected_postback AS stored
        """

    /// The bodies after a time of first receipt and a key, at most as many as the last parameter.
    ///
    /// A body that is in several rows is returned once: from its protected row, if there is one, else from its first
    /// row.
    static let page = PostgresStatement(
        "quarantine_page",
        """
        \(bodies)
         WHERE (first_seen_at, key) > ($1::timestamptz, $2::bytea)
           AND (protected OR NOT EXISTS (
                   SELECT FROM attribution.rejected_postback AS other
                    WHERE other.body_sha256 = stored.body_sha256
                      AND (other.protected OR (other.first_seen_at, other.key) < (stored.first_seen_at, stored.key))))
         ORDER BY first_seen_at, key
         LIMIT $3::bigint
        """)

    /// Deletes the rows of some bodies that are not protected.
    static let removeBodies = PostgresStatement(
        "quarantine_remove_bodies",
        """
        DELETE FROM attribution.rejected_postback AS stored
         WHERE NOT protected AND body_sha256 = ANY ($1::bytea[])
        RETURNING protected, \(weight)
        """)

    /// Deletes protected rows, unless their bodies have changed since they were read.
    static let removeTransactions = PostgresStatement(
        "quarantine_remove_transactions",
        """
        DELETE FROM attribution.rejected_postback AS stored
         USING unnest($1::bytea[], $2::bytea[], $3::bytea[]) AS counted (key, body_sha256, raised_sha256)
         WHERE stored.key = counted.key
           AND stored.body_sha256 = counted.body_sha256
           AND sha256(stored.raised_body) IS NOT DISTINCT FROM counted.raised_sha256
        RETURNING protected, \(weight)
        """)

    static let updateUsage = PostgresStatement(
        "quarantine_update_usage",
        """
        UPDATE attribution.rejected_postback_usage SET rows = $2, bytes = $3 WHERE protected = $1
        """)

    static let countRows = PostgresStatement(
        "quarantine_count_rows",
        """
        SELECT sum(rows)::bigint FROM attribution.rejected_postback_usage
        """)
}
