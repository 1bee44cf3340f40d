import PostgresClient

/// The statement that counts a round: it writes state, bodies and log, and returns the event of each delivery.
///
/// The lane must be locked before the statement begins. Then its snapshot shows everything that other batches of the
/// lane have written, and nobody else writes there. So a plain lookup of the stored rows decides each outcome, without
/// ON CONFLICT. The primary key is the last guard. Every value is a bound parameter, except the day: it names the
/// partition of the log whose last position is read. A query on the whole log would lock each of its partitions for
/// each batch.
package enum CountingStatement {
    /// The codes of `postback_log.event`, and one for deliveries that change nothing.
    package enum Event {
        package static let accepted: Int16 = 0
        package static let raisedFirst: Int16 = 1
        package static let raisedAgain: Int16 = 2
        package static let conflict: Int16 = 3
        static let duplicate: Int16 = 4
    }

    /// The statement for a policy and the tables of a day of writing.
    ///
    /// Its parameters are those of `DeliveryColumns`.
    ///
    /// It returns the ordinal and the event of each delivery. A third column only makes PostgreSQL run `confirmation`.
    /// If the lane's day of writing is another one, or the database's timeline, it writes nothing and returns no row.
    static func statement(_ policy: ConversionPolicy, _ tables: CountingTables) -> PostgresStatement {
        PostgresStatement(policy == .monotonic ? "postback_count" : "postback_count_first", text(policy, tables))
    }

    /// The text of the same for `attribution.count_in_shard`.
    static func textInShard(_ policy: ConversionPolicy, _ day: PostgresDate) -> String {
        text(policy, .namedInShard(day))
    }

    /// Counts repeated conflicts of postbacks.
    ///
    /// Its parameters are those of `statement`.
    static func repeatedConflicts(_ tables: CountingTables) -> PostgresStatement {
        PostgresStatement("postback_repeated_conflicts", repeatedConflictsText(tables))
    }

    /// The text of the same for `attribution.count_in_shard`.
    static func repeatedConflictsInShard(_ day: PostgresDate) -> String { repeatedConflictsText(.namedInShard(day)) }

    private static func repeatedConflictsText(_ tables: CountingTables) -> String {
        """
        WITH place AS MATERIALIZED (\(place(tables))),
        repeated AS MATERIALIZED (
            SELECT delivery.*, stored.at AS stored_at, stored.value AS stored_value, stored.line AS stored_line,
                   stored.source AS stored_source, stored.traits AS stored_traits,
                   stored.received_at AS first_received_at
              FROM \(DeliveryColumns.rows)
             CROSS JOIN LATERAL (\(stored(tables))) AS stored
        ),
        changed AS (
            UPDATE \(tables.lane.state) AS state
               SET conflicts = state.conflicts + new.count
              FROM (SELECT stored_at, count(*)::integer AS count FROM repeated GROUP BY stored_at) AS new
             WHERE state.ctid = new.stored_at
        )
        INSERT INTO \(tables.lane.log) (\(logColumns))
        SELECT place.position, place.written_at, first_received_at, transaction_id, stored_line, stored_source,
               stored_traits, $1, ordinal, \(Event.conflict), sequence_index, value, stored_value, did_win
          FROM place, repeated
        RETURNING ordinal::bigint, event, 0::bigint
        """
    }

    private static let logColumns = """
        position, written_at, received_at, transaction_id, line, source, traits, lane, ordinal, event, sequence_index,
        value, previous_value, did_win
        """

    /// The stored row of a delivery.
    ///
    /// LIMIT 1 makes the planner find each delivery's row by its key, and not read the whole table. `at` is the row's
    /// place in the table. The row is updated by it, because nobody else changes rows of this lane. An update by key
    /// would be slow if the table was analysed while it was empty. The planner would then read all rows of the lane for
    /// each delivery.
    private static func stored(_ tables: CountingTables) -> String {
        """
        SELECT ctid AS at, value, first_value, line, source, traits, received_at
          FROM \(tables.lane.state) AS state
         WHERE state.transaction_id = delivery.transaction_id AND state.lane = $1
           AND state.network = delivery.network AND state.sequence_index = delivery.sequence_index
           AND state.did_win = delivery.did_win
         LIMIT 1
        """
    }

    /// The next position of the lane; no row if its day of writing or the database's timeline is another one.
    private static func place(_ tables: CountingTables) -> String {
        """
        SELECT coalesce((SELECT position FROM \(tables.partition) WHERE lane = $1 ORDER BY position DESC LIMIT 1),
                        \(tables.firstPosition)) + 1 AS position,
               clock_timestamp() AS written_at
          FROM \(tables.lane.laneDay)
         WHERE lane = $1 AND \(tables.condition)
        """
    }

    private static func text(_ policy: ConversionPolicy, _ tables: CountingTables) -> String {
        """
        WITH place AS MATERIALIZED (\(place(tables))),
        counted AS MATERIALIZED (
            SELECT place.position, place.written_at, delivery.*, stored.at AS stored_at, stored.value AS stored_value,
                   coalesce(stored.line, delivery.line) AS stored_line,
                   coalesce(stored.source, delivery.source) AS stored_source,
                   coalesce(stored.traits, delivery.traits) AS stored_traits,
                   coalesce(stored.received_at, delivery.received_at) AS first_received_at,
                   CASE WHEN stored.value IS NULL THEN \(Event.accepted)
                        \(RaiseRule.branches(policy))
                        ELSE \(Event.duplicate)
                   END::smallint AS event
              FROM place, \(DeliveryColumns.rows)
              LEFT JOIN LATERAL (\(stored(tables))) AS stored ON true
        ),
        accepted AS (
            INSERT INTO \(tables.lane.state) (
                transaction_id, received_at, position, line, source, traits, conflicts, lane, network, sequence_index,
                value, first_value, previous_value, ordinal, did_win)
            SELECT transaction_id, received_at, position, line, source, traits, 0, $1, network, sequence_index,
                   value, value, -1, ordinal, did_win
              FROM counted
             WHERE event = \(Event.accepted)
        ),
        changed AS (
            UPDATE \(tables.lane.state) AS state
               SET value = CASE WHEN raised THEN new.value ELSE state.value END,
                   previous_value = CASE WHEN raised THEN state.value ELSE state.previous_value END,
                   conflicts = state.conflicts + CASE WHEN raised THEN 0 ELSE 1 END,
                   raised_at = CASE WHEN raised THEN new.received_at ELSE state.raised_at END,
                   raised_position = CASE WHEN raised THEN new.position ELSE state.raised_position END,
                   raised_ordinal = CASE WHEN raised THEN new.ordinal ELSE state.raised_ordinal END
              FROM (SELECT counted.*, event <> \(Event.conflict) AS raised
                      FROM counted
                     WHERE event BETWEEN \(Event.raisedFirst) AND \(Event.conflict)) AS new
             WHERE state.ctid = new.stored_at
        ),
        bodies AS (
            INSERT INTO \(tables.lane.bodies) (
                position, received_at, transaction_id, line, lane, ordinal, source_address, user_agent, payload)
            SELECT position, received_at, transaction_id, stored_line, $1, ordinal, source_address, user_agent, payload
              FROM counted
             WHERE event < \(Event.conflict)
        ),
        logged AS (
            INSERT INTO \(tables.lane.log) (\(logColumns))
            SELECT position, written_at, first_received_at, transaction_id, stored_line, stored_source, stored_traits,
                   $1, ordinal, event, sequence_index, value, coalesce(stored_value, -1), did_win
              FROM counted
             WHERE event < \(Event.duplicate)
        ),
        confirmed AS MATERIALIZED (\(confirmation))
        SELECT ordinal, event, (SELECT count(*) FROM confirmed) FROM counted
        """
    }

    /// Makes the commit wait for the synchronous standby if there is one and the batch writes nothing.
    ///
    /// A commit waits only if it wrote something. But the row of which a delivery is a duplicate may not be on the
    /// standby yet. Somebody may have cancelled the wait of its commit, or the database may have crashed during it. To
    /// answer "counted before" would promise that the row is safe. A message is the least that can be written. Whoever
    /// waits for it waits for everything before it.
    private static let confirmation = """
        SELECT pg_logical_emit_message(true, 'adattribution', ''::text)
          FROM (SELECT WHERE current_setting('synchronous_standby_names') <> '') AS synchronous
         WHERE NOT EXISTS (SELECT FROM counted WHERE event < \(Event.duplicate))
        """
}
