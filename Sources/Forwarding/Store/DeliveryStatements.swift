import PostgresClient

/// The statements about deliveries.
///
/// Times are those of the database's clock. Rows are looked up by `now()`, the beginning of the transaction: an index can't
/// be used with `clock_timestamp()`.
enum DeliveryStatements {
    /// The columns of `DeliveryKey`.
    private static let place = "lane, position, ordinal"
    /// The columns of a `PreparedRequest`.
    private static let request = "method, url, headers, body, webhook_id, signing"
    /// The columns of a `DeliveryRow`.
    private static let row = """
        \(place), transaction_id, event, received_at, state, attempt, next_at, first_failed_at, last_status, last_error,
        answer, is_sendable, \(request)
        """

    /// Adds rows, or changes those that are there.
    ///
    /// Parameters: the destination, then a column each, and when the file was loaded that the sender has. A NULL in the
    /// wait makes a dead letter. A row of an event's first time stays one. If the destination has another file by now,
    /// the request is of an earlier one, so it failed before that was loaded.
    static let store = PostgresStatement(
        "delivery_store",
        """
        INSERT INTO attribution.delivery AS stored (
            destination, \(place), transaction_id, event, received_at, state, attempt, next_at, first_failed_at,
            last_failed_at, last_status, last_error, answer, is_sendable, \(request), is_replay)
        SELECT $1, \(place), transaction_id, event, received_at,
               CASE WHEN wait IS NULL THEN 'dead' ELSE 'waiting' END, attempt,
               clock_timestamp() + wait * interval '1 millisecond',
               least(clock_timestamp(), (SELECT loaded_at - interval '1 microsecond'
                                           FROM attribution.destination
                                          WHERE name = $1 AND loaded_at <> $21)),
               clock_timestamp(),
               status, error, answer, is_sendable, \(request), is_replay
          FROM unnest($2::smallint[], $3::bigint[], $4::smallint[], $5::uuid[], $6::text[], $7::timestamptz[],
                      $8::integer[], $9::bigint[], $10::smallint[], $11::text[], $12::bytea[], $13::boolean[],
                      $14::text[], $15::text[], $16::text[], $17::bytea[], $18::text[], $19::text[], $20::boolean[])
               AS new (\(place), transaction_id, event, received_at, attempt, wait, status, error, answer, is_sendable,
                       \(request), is_replay)
        ON CONFLICT (destination, \(place)) DO UPDATE
           SET state = excluded.state, attempt = excluded.attempt, next_at = excluded.next_at,
               last_failed_at = excluded.last_failed_at, last_status = excluded.last_status,
               last_error = excluded.last_error, answer = excluded.answer, is_sendable = excluded.is_sendable,
               method = excluded.method, url = excluded.url, headers = excluded.headers, body = excluded.body,
               webhook_id = excluded.webhook_id, signing = excluded.signing
        """)

    /// Removes rows.
    ///
    /// Parameters: the destination, then the columns of keys.
    static let remove = PostgresStatement(
        "delivery_remove",
        """
        DELETE FROM attribution.delivery
         USING unnest($2::smallint[], $3::bigint[], $4::smallint[]) AS gone (\(place))
         WHERE delivery.destination = $1 AND delivery.lane = gone.lane AND delivery.position = gone.position
           AND delivery.ordinal = gone.ordinal
        """)

    /// Adds to the statistics of the day.
    ///
    /// Parameters: the destination, sent, retried, failed, dead, the counts of latencies, and replayed.
    static let addDay = PostgresStatement(
        "delivery_add_day",
        """
        INSERT INTO attribution.delivery_daily AS stored (
            destination, day, sent, retried, failed, dead, latencies, replayed)
        VALUES ($1, attribution.day_of(clock_timestamp()), $2, $3, $4, $5, $6, $7)
        ON CONFLICT (destination, day) DO UPDATE
           SET sent = stored.sent + excluded.sent, retried = stored.retried + excluded.retried,
               failed = stored.failed + excluded.failed, dead = stored.dead + excluded.dead,
               replayed = stored.replayed + excluded.replayed,
               latencies = ARRAY(
                   SELECT before + added
                     FROM unnest(stored.latencies, excluded.latencies) WITH ORDINALITY AS sum (before, added, number)
                    ORDER BY number)
        """)

    /// Adds to the statistics of the minute.
    ///
    /// Parameters: the destination, sent, failed, dead.
    static let addMinute = PostgresStatement(
        "delivery_add_minute",
        """
        INSERT INTO attribution.delivery_minute AS stored (destination, minute, sent, failed, dead)
        VALUES ($1, date_trunc('minute', clock_timestamp()), $2, $3, $4)
        ON CONFLICT (destination, minute) DO UPDATE
           SET sent = stored.sent + excluded.sent, failed = stored.failed + excluded.failed,
               dead = stored.dead + excluded.dead
        """)

    /// Removes minutes that nothing counts any more.
    static let removeMinutes = PostgresStatement(
        "delivery_remove_minutes",
        """
        DELETE FROM attribution.delivery_minute
         WHERE destination = $1 AND minute < now() - interval '25 hours'
        """)

    /// Notes how the destination is doing with its present file.
    ///
    /// Parameters:
    /// - the name, and the failures in a row;
    /// - whether something was delivered since the last commit;
    /// - whether the breaker is open;
    /// - the problem, and why it is switched off; NULL for none;
    /// - when the file was loaded that the sender has.
    static let note = PostgresStatement(
        "delivery_note",
        """
        UPDATE attribution.destination
           SET failures = $2::bigint,
               failing_since = CASE WHEN $2::bigint = 0 THEN NULL WHEN $3 THEN clock_timestamp()
                                    ELSE coalesce(failing_since, clock_timestamp()) END,
               is_breaker_open = $4, problem = $5,
               state = CASE WHEN $6::text IS NULL THEN state ELSE 'off' END,
               state_reason = coalesce($6, state_reason),
               state_since = CASE WHEN $6 IS NULL THEN state_since ELSE clock_timestamp() END
         WHERE name = $1 AND loaded_at = $7
        """)

    /// The rows that are due, as `WaitingDelivery` reads them.
    ///
    /// Parameters: name, server and fence of the lease, the greatest number, and when the sender's file was loaded.
    static let due = PostgresStatement(
        "delivery_due",
        """
        SELECT \(place), transaction_id, event, received_at, attempt, \(request), is_replay,
               first_failed_at < $5
          FROM attribution.delivery
         WHERE destination = $1 AND state = 'waiting' AND next_at <= now()
           AND EXISTS (SELECT FROM attribution.destination WHERE name = $1 AND leader = $2 AND fence = $3)
         ORDER BY next_at
         LIMIT $4
        """)

    /// The newest events whose delivery has a state, as `DeliveryRow` reads them.
    ///
    /// Parameters: destination, state, the greatest number, and position, lane and ordinal of the event before which they
    /// are; NULL for the newest of all.
    static let list = PostgresStatement(
        "delivery_list",
        """
        SELECT \(row)
          FROM attribution.delivery
         WHERE destination = $1 AND state = $2
           AND (position, lane, ordinal)
               < (coalesce($4, 9223372036854775807), coalesce($5, 32767::smallint), coalesce($6, 32767::smallint))
         ORDER BY position DESC, lane DESC, ordinal DESC
         LIMIT $3
        """)

    /// The delivery of an event.
    ///
    /// Parameters: destination, lane, position and ordinal.
    static let one = PostgresStatement(
        "delivery_one",
        """
        SELECT \(row)
          FROM attribution.delivery
         WHERE destination = $1 AND lane = $2 AND position = $3 AND ordinal = $4
        """)

    /// Has all dead letters of a destination tried again, but those that are no requests.
    static let retryAll = PostgresStatement("delivery_retry_all", retry)

    /// Has dead letters tried again.
    ///
    /// Parameters: the destination, then the columns of keys.
    static let retryKeys = PostgresStatement(
        "delivery_retry_keys",
        """
        \(retry)
           AND (\(place)) IN (SELECT * FROM unnest($2::smallint[], $3::bigint[], $4::smallint[]))
        """)

    /// They are as after their first attempt: the schedule begins anew.
    private static let retry = """
        UPDATE attribution.delivery SET state = 'waiting', attempt = 1, next_at = clock_timestamp()
         WHERE destination = $1 AND state = 'dead' AND is_sendable
        """

    /// Removes dead letters whose last attempt is longer ago than a number of days.
    static let dropDead = PostgresStatement(
        "delivery_drop_dead",
        """
        DELETE FROM attribution.delivery
         WHERE state = 'dead' AND last_failed_at < now() - make_interval(days => $1)
        """)
}
