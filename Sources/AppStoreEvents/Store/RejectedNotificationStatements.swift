import PostgresClient

/// The statements of the quarantine of notifications.
enum RejectedNotificationStatements {
    /// The bytes of a row `stored` that count for the limit.
    private static let weight = "(octet_length(stored.body) + octet_length(stored.rule) + 512)"

    /// Makes other writers wait until the transaction ends, so that each sees the size that the one before left.
    static let lock = PostgresStatement("rejected_notifications_lock", "SELECT pg_advisory_xact_lock(7421001690)")

    /// The size of each half that has any rows: rows and bytes.
    static let sizes = PostgresStatement(
        "rejected_notifications_sizes",
        """
        SELECT protected, count(*), sum(\(weight))::bigint
          FROM attribution.rejected_notification AS stored
         GROUP BY protected
        """)

    /// Deletes the rows that were not seen for the longest time and are not protected.
    static let deleteOthers = PostgresStatement(
        "rejected_notifications_delete_others", deletion(of: "NOT protected", most: "0"))

    /// Deletes protected rows of the app that takes the most bytes: those that were not seen for the longest time.
    ///
    /// Apple signs any number of notifications for each developer, who could deliver them here. They push out no rows of an
    /// app that takes fewer bytes.
    static let deleteProtected = PostgresStatement(
        "rejected_notifications_delete_protected",
        deletion(
            of: "protected",
            most: "sum(\(weight)) OVER (PARTITION BY bundle_id ORDER BY last_seen_at DESC, key DESC)"))

    /// Deletes rows of a half: those first that have the most of something, and among them the oldest.
    ///
    /// Parameters: the number of rows, the number of bytes. It deletes until both are reached, but at most 64 rows.
    private static func deletion(of half: String, most: String) -> String {
        """
        DELETE FROM attribution.rejected_notification AS stored
         WHERE key = ANY (ARRAY(
                   SELECT key
                     FROM (SELECT key, row_number() OVER oldest AS place,
                                  sum(weight) OVER oldest - weight AS freed_before
                             FROM (SELECT key, last_seen_at, \(weight) AS weight, \(most) AS most
                                     FROM attribution.rejected_notification AS stored
                                    WHERE \(half)
                                    ORDER BY most DESC, last_seen_at, key
                                    LIMIT 64) AS candidate
                           WINDOW oldest AS (ORDER BY most DESC, last_seen_at, key ROWS UNBOUNDED PRECEDING)) AS placed
                    WHERE place <= $1::bigint OR freed_before < $2::bigint))
        RETURNING \(weight)::bigint
        """
    }

    /// The bodies that may be taken now, after a time of first receipt and a key, at most as many as the last parameter.
    ///
    /// A key ring may name their app or their root now, and a later version of the program may read more. The secret of
    /// version 1 is gone.
    static let candidates = PostgresStatement(
        "rejected_notifications_candidates",
        """
        SELECT first_seen_at, key, body
          FROM attribution.rejected_notification
         WHERE reason NOT IN ('wrong_secret', 'too_large') AND (first_seen_at, key) > ($1::timestamptz, $2::bytea)
         ORDER BY first_seen_at, key
         LIMIT $3::bigint
        """)

    /// The body with a key.
    static let one = PostgresStatement(
        "rejected_notifications_one",
        "SELECT first_seen_at, key, body FROM attribution.rejected_notification WHERE key = $1")

    /// Removes rows.
    static let remove = PostgresStatement(
        "rejected_notifications_remove",
        "DELETE FROM attribution.rejected_notification WHERE key = ANY ($1::bytea[])")

    /// Removes rows that were not seen since a time.
    static let removeOld = PostgresStatement(
        "rejected_notifications_remove_old", "DELETE FROM attribution.rejected_notification WHERE last_seen_at < $1")

    /// Removes the source addresses of rows that came first before a time: they have the address of the first delivery.
    static let forgetAddresses = PostgresStatement(
        "rejected_notifications_forget_addresses",
        """
        UPDATE attribution.rejected_notification SET source_address = NULL
         WHERE source_address IS NOT NULL AND first_seen_at < $1
        """)

    /// Removes a source address.
    static let forgetAddress = PostgresStatement(
        "rejected_notifications_forget_address",
        "UPDATE attribution.rejected_notification SET source_address = NULL WHERE source_address = $1::inet")
}
