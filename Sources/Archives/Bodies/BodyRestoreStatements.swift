import PostgresClient

/// The statements that put bodies back.
enum BodyRestoreStatements {
    /// Takes the lock of retention until the transaction ends, as soon as nobody else has it.
    static let lock = PostgresStatement("restore_lock", "SELECT pg_advisory_xact_lock(7421001651)")

    private static let rows = """
        unnest($1::smallint[], $2::bigint[], $3::smallint[], $4::uuid[], $5::text[], $6::text[], $7::smallint[],
               $8::boolean[], $9::smallint[], $10::timestamptz[], $11::inet[], $12::text[], $13::text[])
        WITH ORDINALITY AS body (lane, position, ordinal, transaction_id, protocol, ad_network_id, sequence_index, did_win,
                                 value, received_at, source_address, user_agent, payload, number)
        """

    /// What the database knows of bodies.
    ///
    /// Of each: the line of its state, NULL if no state fits; whether a body stands at its place; and whether it is
    /// this one.
    ///
    /// A state fits if key, place and value do. The body that was accepted has the first value. The last body that raised
    /// the value has the present one. Bodies between these two have a value between them.
    static let known = PostgresStatement(
        "restore_known",
        """
        WITH state AS MATERIALIZED (
            SELECT body.number, state.line, state.network
              FROM \(rows)
              JOIN attribution.postback_state AS state
                ON state.transaction_id = body.transaction_id AND state.lane = body.lane
               AND state.sequence_index = body.sequence_index AND state.did_win = body.did_win
             WHERE CASE WHEN (state.position, state.ordinal) = (body.position, body.ordinal)
                        THEN state.first_value = body.value
                        WHEN (state.raised_position, state.raised_ordinal) = (body.position, body.ordinal)
                        THEN state.value = body.value
                        ELSE (body.position, body.ordinal) > (state.position, state.ordinal)
                             AND (body.position, body.ordinal) < (state.raised_position, state.raised_ordinal)
                             AND body.value > state.first_value AND body.value < state.value
                   END
        ),
        stored AS MATERIALIZED (
            SELECT body.number, stored.payload = body.payload AS is_same
              FROM \(rows)
              JOIN attribution.postback_body AS stored
                ON stored.lane = body.lane AND stored.position = body.position AND stored.ordinal = body.ordinal
               AND stored.transaction_id = body.transaction_id
        )
        SELECT DISTINCT ON (body.number)
               body.number, state.line, stored.number IS NOT NULL, coalesce(stored.is_same, false)
          FROM \(rows)
          LEFT JOIN (state JOIN attribution.network USING (network))
                 ON state.number = body.number
                AND network.protocol = body.protocol AND network.ad_network_id = body.ad_network_id
          LEFT JOIN stored ON stored.number = body.number
         ORDER BY body.number, state.line
        """)

    /// Whether a day has a partition.
    static let isThere = PostgresStatement(
        "restore_is_there", "SELECT $1::date IN (SELECT attribution.written_days('body'))")

    /// Creates the partition of a day, if there is none.
    static let begin = PostgresStatement("restore_begin", "SELECT attribution.begin_to_restore($1)")

    /// Stores bodies with the lines of their states.
    ///
    /// If the source addresses of the day have left, or are being removed, they do not come back.
    static let insert = PostgresStatement(
        "restore_insert",
        """
        INSERT INTO attribution.postback_body (
            position, received_at, transaction_id, line, lane, ordinal, source_address, user_agent, payload)
        SELECT body.position, body.received_at, body.transaction_id, $14[body.number], body.lane, body.ordinal,
               CASE WHEN forgotten.day IS NULL THEN body.source_address END,
               CASE WHEN forgotten.day IS NULL THEN body.user_agent END, body.payload
          FROM \(rows)
          LEFT JOIN attribution.dropped_day AS forgotten
                 ON forgotten.part = 'address' AND forgotten.day = attribution.day_of_writing(body.position)
        """)

    /// The number of bodies and the digest of a day's archive, if it is known.
    static let archive = PostgresStatement(
        "restore_archive",
        "SELECT bodies, sha256 FROM attribution.dropped_day WHERE part = 'body' AND day = $1 AND sha256 IS NOT NULL")

    /// Whether a day was put back of which it is not known that all bodies are there.
    static let isOpen = PostgresStatement(
        "restore_open",
        """
        SELECT FROM attribution.dropped_day
         WHERE part = 'body' AND day = $1 AND restored_at IS NOT NULL AND NOT is_whole
        """)

    /// A row if a body of a day is missing.
    ///
    /// Parameters: the first position of the day, and that of the next day. It reads the state of all postbacks.
    static let missing = PostgresStatement(
        "restore_missing",
        """
        SELECT needed.lane
          FROM (SELECT transaction_id, lane, position, ordinal
                  FROM attribution.postback_state WHERE position >= $1 AND position < $2
                UNION ALL
                SELECT transaction_id, lane, raised_position, raised_ordinal
                  FROM attribution.postback_state WHERE raised_position >= $1 AND raised_position < $2) AS needed
         WHERE NOT EXISTS (
               SELECT FROM attribution.postback_body AS body
                WHERE body.lane = needed.lane AND body.position = needed.position
                  AND body.ordinal = needed.ordinal AND body.transaction_id = needed.transaction_id
                  AND body.position >= $1 AND body.position < $2)
         LIMIT 1
        """)

    /// Notes that all bodies of a day are there.
    static let finish = PostgresStatement(
        "restore_finish",
        "UPDATE attribution.dropped_day SET is_whole = true WHERE part = 'body' AND day = $1 AND restored_at IS NOT NULL"
    )
}
