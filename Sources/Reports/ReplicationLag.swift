import PostgresClient

/// How far a standby is behind its primary.
package enum ReplicationLag: Sendable, Equatable {
    /// Everything that the primary had committed so many milliseconds ago is there; 0 if the standby has applied all
    /// that it has received, and it receives.
    case milliseconds(Int64)
    /// The standby receives nothing, and has applied no transaction since it was started.
    case unknown

    /// Reads the row of `statement`; nil if the server is not a standby.
    init?(_ row: PostgresRow?) throws {
        guard let row, try row.decode(Bool.self, at: 0) else { return nil }
        self = try row.decode(Int64?.self, at: 1).map { .milliseconds($0) } ?? .unknown
    }

    /// Asks for the lag.
    ///
    /// The age of the last transaction that was applied is too much if the primary has committed nothing since. So it
    /// is taken only if something waits, or if nothing is received. An ordinary role may not see the receiver's status,
    /// but that it runs.
    static let statement = PostgresStatement(
        "replication_lag",
        """
        SELECT pg_is_in_recovery(),
               CASE WHEN pg_last_wal_receive_lsn() <= pg_last_wal_replay_lsn()
                     AND EXISTS (SELECT FROM pg_stat_wal_receiver WHERE coalesce(status, 'streaming') = 'streaming')
                    THEN 0
                    WHEN pg_last_xact_replay_timestamp() IS NOT NULL
                    THEN greatest(0, extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000)
               END::bigint
        """)
}

extension ReplicationLag: CustomStringConvertible {
    /// Seconds with three decimals, such as `0.250`, or `unknown`.
    package var description: String {
        switch self {
        case .milliseconds(let count):
            let fraction = String(count % 1_000)
            return "\(count / 1_000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
        case .unknown: return "unknown"
        }
    }
}
