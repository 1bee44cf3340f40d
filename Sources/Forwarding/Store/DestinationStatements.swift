import PostgresClient

/// The statements about destinations.
enum DestinationStatements {
    /// Lets one transaction at a time load or remove destinations.
    static let lock = PostgresStatement("destination_lock", "SELECT pg_advisory_xact_lock(7421001681)")

    /// The digest of the stored file.
    static let digest = PostgresStatement(
        "destination_digest", "SELECT sha256 FROM attribution.destination WHERE name = $1")

    /// Adds a destination, or gives it another file, with which nothing has failed yet.
    ///
    /// Parameters: the name, the file, its digest, and who loads it.
    static let load = PostgresStatement(
        "destination_load",
        """
        INSERT INTO attribution.destination AS stored (name, document, sha256, loaded_at, loaded_by, state_since)
        VALUES ($1, $2, $3, clock_timestamp(), $4, clock_timestamp())
        ON CONFLICT (name) DO UPDATE
           SET document = excluded.document, sha256 = excluded.sha256, loaded_at = excluded.loaded_at,
               loaded_by = excluded.loaded_by, failures = 0, failing_since = NULL, is_breaker_open = false,
               problem = NULL
        """)

    /// All destinations, as `StoredDestination` reads them.
    static let list = PostgresStatement(
        "destination_list",
        """
        SELECT document, state, state_reason, state_since, loaded_at, loaded_by, failures, failing_since,
               extract(epoch FROM clock_timestamp() - failing_since)::float8, leader, fence
          FROM attribution.destination
         ORDER BY name
        """)

    /// How all destinations are doing.
    ///
    /// What is wrong with sending is said of those alone for which somebody sends.
    static let statuses = PostgresStatement(
        "destination_statuses",
        """
        SELECT name, document, state, state_reason, is_breaker_open AND state = 'active',
               CASE WHEN state = 'active' THEN problem END, replay_from, replay_to,
               coalesce(kept.waiting, 0), coalesce(kept.dead, 0),
               coalesce(day.sent, 0)::bigint, coalesce(day.failed, 0)::bigint, coalesce(day.dead, 0)::bigint,
               (coalesce(day.sent_now, 0)
                / extract(epoch FROM now() - date_trunc('minute', now()) + interval '1 minute'))::float8
          FROM attribution.destination
         CROSS JOIN LATERAL (
               SELECT count(*) FILTER (WHERE delivery.state = 'waiting') AS waiting,
                      count(*) FILTER (WHERE delivery.state = 'dead') AS dead
                 FROM attribution.delivery
                WHERE delivery.destination = name) AS kept
         CROSS JOIN LATERAL (
               SELECT sum(sent) AS sent, sum(failed) AS failed, sum(dead) AS dead,
                      sum(sent) FILTER (WHERE minute >= date_trunc('minute', now()) - interval '1 minute') AS sent_now
                 FROM attribution.delivery_minute
                WHERE destination = name AND minute > now() - interval '24 hours') AS day
         ORDER BY name
        """)

    /// Pauses an active destination.
    ///
    /// Parameters: the name, the reason.
    static let pause = PostgresStatement(
        "destination_pause",
        """
        UPDATE attribution.destination SET state = 'paused', state_reason = $2, state_since = clock_timestamp()
         WHERE name = $1 AND state = 'active'
        """)

    /// Stops an active destination and ends its lease.
    ///
    /// Parameters: the name, the state, the reason.
    static let stop = PostgresStatement(
        "destination_stop",
        """
        UPDATE attribution.destination
           SET state = $2, state_reason = $3, state_since = clock_timestamp(), leader = NULL, lease_until = NULL
         WHERE name = $1 AND state = 'active'
        """)

    /// Makes a destination active, as if nothing had failed.
    static let resume = PostgresStatement(
        "destination_resume",
        """
        UPDATE attribution.destination
           SET state = 'active', state_reason = NULL, state_since = clock_timestamp(), failures = 0,
               failing_since = NULL, is_breaker_open = false, problem = NULL
         WHERE name = $1 AND state <> 'active'
        RETURNING name
        """)

    static let remove = PostgresStatement("destination_remove", "DELETE FROM attribution.destination WHERE name = $1")

    static let removeDeliveries = PostgresStatement(
        "destination_remove_deliveries", "DELETE FROM attribution.delivery WHERE destination = $1")

    static let removeMinutes = PostgresStatement(
        "destination_remove_minutes", "DELETE FROM attribution.delivery_minute WHERE destination = $1")

    /// Locks a destination until the transaction ends, and says whether a replay is under way.
    static let hold = PostgresStatement(
        "destination_hold", "SELECT replay_end IS NOT NULL FROM attribution.destination WHERE name = $1 FOR UPDATE")

    /// Notes a replay.
    ///
    /// Parameters: the name, the first day, the last day, the cursor at which it ends.
    static let beginReplay = PostgresStatement(
        "destination_begin_replay",
        "UPDATE attribution.destination SET replay_from = $2, replay_to = $3, replay_end = $4 WHERE name = $1")

    /// Forgets a replay.
    static let endReplay = PostgresStatement(
        "destination_end_replay",
        "UPDATE attribution.destination SET replay_from = NULL, replay_to = NULL, replay_end = NULL WHERE name = $1")
}
