import Foundation
public import PostgresClient
import Synchronization

/// Everything the service keeps in PostgreSQL, schema `attribution`: postbacks, figures, the log, quarantine, reports.
///
/// It takes only verified postbacks, and only in batches; each of its calls is one transaction.
public struct PostbackStore: Sendable {
    /// What the copies of a store share.
    final class Shared: Sendable {
        let days = WritingDays()
        private let lanesRead = Mutex<LaneMap?>(nil)

        var lanes: LaneMap? {
            get { lanesRead.withLock { $0 } }
            set { lanesRead.withLock { $0 = newValue } }
        }
    }

    let pool: PostgresPool
    let writers: PostgresPool
    let policy: ConversionPolicy
    let quarantineLimits: QuarantineLimits
    let clock: @Sendable () -> PostgresTimestamp
    var dimensions = DimensionCache()
    let shared = Shared()

    /// A store over pools of connections.
    ///
    /// - Parameters:
    ///   - pool: The connections for everything but batches.
    ///   - writers: The connections for batches, made from `writerConfiguration`; best one for each lane. If there are
    ///     none, `pool` serves.
    ///   - policy: What a later delivery may do to a conversion value.
    ///   - quarantineLimits: How much the quarantine may hold.
    ///   - clock: The time of day, which decides the day of writing.
    public init(
        pool: PostgresPool, writers: PostgresPool? = nil, policy: ConversionPolicy = .monotonic,
        quarantineLimits: QuarantineLimits = .init(), clock: @escaping @Sendable () -> PostgresTimestamp = Self.now
    ) {
        self.pool = pool
        self.writers = writers ?? pool
        self.policy = policy
        self.quarantineLimits = quarantineLimits
        self.clock = clock
    }

    /// A store over the connections of a program.
    public init(
        _ connections: StoreConnections, policy: ConversionPolicy = .monotonic,
        quarantineLimits: QuarantineLimits = .init(), clock: @escaping @Sendable () -> PostgresTimestamp = Self.now
    ) {
        self.init(
            pool: connections.pool, writers: connections.writers, policy: policy, quarantineLimits: quarantineLimits,
            clock: clock)
    }

    /// The configuration of connections for batches.
    ///
    /// Their statements find rows by keys only. One plan is made for each and kept, and it never reads a whole table,
    /// not even if the table was empty when the plan was made.
    public static func writerConfiguration(_ configuration: PostgresConfiguration) -> PostgresConfiguration {
        var configuration = configuration
        configuration.sessionSettings += [
            (name: "plan_cache_mode", value: "force_generic_plan"), (name: "enable_seqscan", value: "off"),
            (name: "jit", value: "off"),
        ]
        return configuration
    }

    /// Whether the database answers a query now, on the connections for batches and on the others.
    public func ping() async throws {
        for pool in [writers, pool] {
            try await pool.withConnection { connection in
                _ = try connection.query(PostgresStatement("ping", "SELECT 1"))
            }
        }
    }

    /// The clock of the machine.
    public static func now() -> PostgresTimestamp {
        PostgresTimestamp(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1_000))
    }
}
