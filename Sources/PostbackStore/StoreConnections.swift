package import Logging
package import PostgresClient

/// The connections of a store: pools for batches, for reports and for everything else, so that none waits for another.
///
/// A report holds its connection until its rows are read.
package struct StoreConnections: Sendable {
    /// The connections for everything but batches.
    package let pool: PostgresPool
    /// The connections for batches: each lane needs one at a time.
    ///
    /// They are made when they are needed.
    package let writers: PostgresPool

    /// The connections to the workers of a cluster, for batches too.
    package let cluster: ClusterConnections
    /// The connections for reports.
    package let reports: PostgresPool
    /// Whether reports have a database of their own: a standby as a rule.
    package let hasReportsDatabase: Bool

    /// The greatest number of connections for batches.
    package static let maximumWriters = 64
    /// The greatest number of connections for reports.
    package static let maximumReports = 2

    /// Makes pools without connections.
    ///
    /// - Parameters:
    ///   - configuration: Where the database is, and how sessions behave.
    ///   - reports: The same about the database for reports; nil if there is no other one.
    ///   - workerAddresses: The addresses of nodes of a cluster that are others than the nodes know.
    ///   - size: The greatest number of connections for everything but batches and reports.
    ///   - logger: Gets messages about failed and restored connections.
    package init(
        _ configuration: PostgresConfiguration, reports: PostgresConfiguration? = nil,
        workerAddresses: WorkerAddresses = .init(), size: Int, logger: Logger
    ) {
        pool = PostgresPool(configuration: configuration, size: size, logger: logger)
        writers = PostgresPool(
            configuration: PostbackStore.writerConfiguration(configuration), size: Self.maximumWriters, logger: logger)
        cluster = ClusterConnections(
            coordinator: pool, configuration, addresses: workerAddresses, size: Self.maximumWriters, logger: logger)
        self.reports = PostgresPool(
            configuration: reports ?? configuration, size: Self.maximumReports, logger: logger)
        hasReportsDatabase = reports != nil
    }

    /// The number of connections of all pools in each state.
    ///
    /// Connections for batches and for reports are not counted as closed.
    package var state: (idle: Int, busy: Int, connecting: Int, closed: Int) {
        let (pool, writers, reports, cluster) = (pool.state, writers.state, reports.state, cluster.connectionState)
        return (
            pool.idle + writers.idle + reports.idle + cluster.idle,
            pool.busy + writers.busy + reports.busy + cluster.busy,
            pool.connecting + writers.connecting + reports.connecting + cluster.connecting, pool.closed
        )
    }

    /// Gives up what is under way in all pools, as `PostgresPool.interrupt`.
    package func interrupt() {
        for pool in [reports, writers, pool] { pool.interrupt() }
        cluster.interrupt()
    }

    /// Refuses all waiters, waits until all connections are given back, and closes them.
    ///
    /// - Parameter interrupting: Whether what is under way is given up.
    package func close(interrupting: Bool = false) async {
        await withDiscardingTaskGroup { group in
            for pool in [reports, writers, pool] {
                group.addTask { await pool.close(interrupting: interrupting) }
            }
            group.addTask { await cluster.close(interrupting: interrupting) }
        }
    }
}
