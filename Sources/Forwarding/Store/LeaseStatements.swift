import PostgresClient

/// The statements about which server sends.
///
/// Times are those of the database's clock.
enum LeaseStatements {
    /// Says that a server is there.
    static let announce = PostgresStatement(
        "forwarder_announce",
        """
        INSERT INTO attribution.forwarding_server (server, seen_at) VALUES ($1, clock_timestamp())
        ON CONFLICT (server) DO UPDATE SET seen_at = excluded.seen_at
        """)

    /// Removes a server.
    static let withdraw = PostgresStatement(
        "forwarder_withdraw", "DELETE FROM attribution.forwarding_server WHERE server = $1")

    /// Removes servers that are long gone.
    static let forget = PostgresStatement(
        "forwarder_forget",
        "DELETE FROM attribution.forwarding_server WHERE seen_at < clock_timestamp() - interval '1 hour'")

    /// The servers that were seen of late.
    static let count = PostgresStatement(
        "forwarder_count",
        "SELECT count(*) FROM attribution.forwarding_server WHERE seen_at > clock_timestamp() - interval '10 s'")

    /// Takes the lease of an active destination that nobody has.
    ///
    /// Parameters: the name, the server.
    static let take = PostgresStatement(
        "lease_take",
        """
        UPDATE attribution.destination
           SET leader = $2, lease_until = clock_timestamp() + interval '10 s', fence = fence + 1
         WHERE name = $1 AND state = 'active' AND (leader IS NULL OR lease_until < clock_timestamp())
        RETURNING fence, loaded_at
        """)

    /// Renews a lease; no row if it is another server's.
    static let renew = PostgresStatement(
        "lease_renew",
        """
        UPDATE attribution.destination
           SET lease_until = clock_timestamp() + interval '10 s'
         WHERE name = $1 AND leader = $2 AND fence = $3
        RETURNING name
        """)

    /// Gives a lease up.
    static let release = PostgresStatement(
        "lease_release",
        """
        UPDATE attribution.destination SET leader = NULL, lease_until = NULL
         WHERE name = $1 AND leader = $2 AND fence = $3
        """)

    /// Where the replay of a destination ends; no row if the lease is another server's.
    static let replayEnd = PostgresStatement(
        "lease_replay_end",
        "SELECT replay_end FROM attribution.destination WHERE name = $1 AND leader = $2 AND fence = $3")

    /// Locks the destination of a lease until the transaction ends; no row if the lease is another server's.
    static let hold = PostgresStatement(
        "lease_hold",
        """
        SELECT replay_end FROM attribution.destination WHERE name = $1 AND leader = $2 AND fence = $3 FOR UPDATE
        """)
}
