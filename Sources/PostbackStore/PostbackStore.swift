package import AdAttribution
import Foundation
package import Logging
package import PostgresClient
import Synchronization

/// The store of postbacks in PostgreSQL, schema `attribution`: counting and figures.
///
/// Other targets extend it: `PostbackQuarantine`, `EventLog`, `Reports`, `CampaignData`, `Archives`.
///
/// It counts only verified postbacks.
package struct PostbackStore: Sendable {
    /// What all copies of a store share.
    package final class Shared: Sendable {
        let days = WritingDays()
        let patience = LanePatience()
        /// A number of this server's own, for the lock of its checks.
        let checkKey = Int32.random(in: .min ... .max)
        private let catalogRead = Mutex<(any Sendable)?>(nil)
        private let lanesRead = Mutex<LaneMap?>(nil)
        private let lastCounting = Mutex<(day: PostgresDate, timeline: Timeline, statements: CountingStatements)?>(nil)

        var lanes: LaneMap? {
            get { lanesRead.withLock { $0 } }
            set { lanesRead.withLock { $0 = newValue } }
        }

        /// The `ReportCatalog` that the target `Reports` has read.
        package var reportCatalog: (any Sendable)? {
            get { catalogRead.withLock { $0 } }
            set { catalogRead.withLock { $0 = newValue } }
        }

        /// The statements that count a batch on this day and timeline on plain PostgreSQL.
        ///
        /// They are kept from batch to batch, because their texts are long.
        func counting(_ policy: ConversionPolicy, on day: PostgresDate, _ timeline: Timeline) -> CountingStatements {
            lastCounting.withLock { last in
                if let last, last.day == day, last.timeline == timeline { return last.statements }
                let statements = CountingStatements(policy, .plain(day, timeline))
                last = (day, timeline, statements)
                return statements
            }
        }
    }

    package let pool: PostgresPool
    package let writers: PostgresPool
    /// The connections to the workers of a cluster; nil if batches go through the coordinator.
    let cluster: ClusterConnections?
    package let reports: PostgresPool
    /// Whether a session for reports that is not with a standby must look for one again.
    package let reportsPreferStandby: Bool
    let policy: ConversionPolicy
    /// The limits of the quarantine, for the target `PostbackQuarantine`.
    package let quarantineLimits: QuarantineLimits
    package let clock: @Sendable () -> PostgresTimestamp
    var dimensions = DimensionCache()
    /// The table of versions, whose rows name the columns of traits.
    package var versions = PostbackVersions.apple
    package let shared = Shared()
    /// Where a server writes what it adds to the trail; nil for commands.
    package var trailLogger: Logger?

    /// Makes a store that uses pools of connections.
    ///
    /// - Parameters:
    ///   - pool: The connections for everything but batches.
    ///   - writers: The connections for batches, made with `writerConfiguration`; best is one for each lane. If nil,
    ///     `pool` is used.
    ///   - cluster: The connections to the workers, if the database is the coordinator of a cluster. If nil, batches go
    ///     through the coordinator.
    ///   - reports: The connections for reports. If nil, `pool` is used.
    ///   - reportsPreferStandby: Whether they are to a standby as a rule.
    ///   - policy: Whether a later delivery may raise a conversion value.
    ///   - quarantineLimits: The limits of the quarantine.
    ///   - clock: The time of day, which decides the day of writing.
    package init(
        pool: PostgresPool, writers: PostgresPool? = nil, cluster: ClusterConnections? = nil,
        reports: PostgresPool? = nil,
        reportsPreferStandby: Bool = false, policy: ConversionPolicy = .monotonic,
        quarantineLimits: QuarantineLimits = .init(),
        clock: @escaping @Sendable () -> PostgresTimestamp = Self.now
    ) {
        self.pool = pool
        self.writers = writers ?? pool
        self.cluster = cluster
        self.reports = reports ?? pool
        self.reportsPreferStandby = reportsPreferStandby
        self.policy = policy
        self.quarantineLimits = quarantineLimits
        self.clock = clock
    }

    /// Makes a store that uses the connections of a program.
    package init(
        _ connections: StoreConnections, policy: ConversionPolicy = .monotonic,
        quarantineLimits: QuarantineLimits = .init(), clock: @escaping @Sendable () -> PostgresTimestamp = Self.now
    ) {
        self.init(
            pool: connections.pool, writers: connections.writers, cluster: connections.cluster,
            reports: connections.reports, reportsPreferStandby: connections.hasReportsDatabase, policy: policy,
            quarantineLimits: quarantineLimits, clock: clock)
    }

    /// The configuration of connections for batches.
    ///
    /// Statements of batches find rows by key only. Each has one plan that is kept. The plan never reads a whole table,
    /// even if the table was empty when the plan was made.
    package static func writerConfiguration(_ configuration: PostgresConfiguration) -> PostgresConfiguration {
        var configuration = configuration
        configuration.sessionSettings += [
            (name: "plan_cache_mode", value: "force_generic_plan"), (name: "enable_seqscan", value: "off"),
            (name: "jit", value: "off"),
        ]
        return configuration
    }

    /// The clock of the machine.
    package static func now() -> PostgresTimestamp {
        PostgresTimestamp(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1_000))
    }
}
