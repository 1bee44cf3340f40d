import PostgresClient

/// The statements that read bodies with the rows of state of their postbacks.
enum BodyRecountStatements {
    /// The days of writing of which there are bodies, in order.
    static let days = PostgresStatement("recount_body_days", "SELECT attribution.written_days('body')")

    /// Makes plans for the values of their parameters, by index, until the transaction ends.
    static let planning = PostgresStatement(
        "recount_body_planning",
        "SELECT set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_seqscan', 'off', true)")

    /// Bodies of a lane behind a place, in order, each with all rows of state of its transaction id.
    ///
    /// It reads one lane and no other table, so on a cluster it is one query of one worker and sees one snapshot.
    /// Parameters: the lane, position and ordinal, the last position, the greatest number of bodies.
    static let page = PostgresStatement(
        "recount_bodies",
        """
        SELECT body.position, body.ordinal, body.transaction_id, body.received_at, body.payload,
               state.line, state.source, state.traits, state.sequence_index, state.did_win, state.value,
               state.first_value, state.received_at, state.position, state.ordinal, state.raised_position,
               state.raised_ordinal
          FROM (SELECT lane, position, ordinal, transaction_id, received_at, payload
                  FROM attribution.postback_body
                 WHERE lane = $1::smallint AND position >= $2::bigint AND position <= $4::bigint
                   AND (position, ordinal) > ($2::bigint, $3::smallint)
                 ORDER BY position, ordinal
                 LIMIT $5::bigint) AS body
          LEFT JOIN attribution.postback_state AS state
                 ON state.lane = body.lane AND state.transaction_id = body.transaction_id
                AND state.lane = $1::smallint
         ORDER BY body.position, body.ordinal
        """)
}
