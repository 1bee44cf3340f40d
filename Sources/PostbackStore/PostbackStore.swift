public import PostgresClient

/// Everything the service keeps in PostgreSQL, schema `attribution`: postbacks, aggregates, quarantine, reports.
///
/// It takes only verified postbacks, and only in batches; each of its calls is one transaction.
public struct PostbackStore: Sendable {
    let pool: PostgresPool
    let policy: ConversionPolicy
    let quarantineLimits: QuarantineLimits

    /// A store over a pool of connections.
    public init(pool: PostgresPool, policy: ConversionPolicy = .monotonic, quarantineLimits: QuarantineLimits = .init())
    {
        self.pool = pool
        self.policy = policy
        self.quarantineLimits = quarantineLimits
    }

    /// Whether the database answers a query now.
    public func ping() async throws {
        try await pool.withConnection { connection in
            _ = try connection.query(PostgresStatement("ping", "SELECT 1"))
        }
    }
}
