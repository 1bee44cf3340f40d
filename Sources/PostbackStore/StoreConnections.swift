public import Logging
public import PostgresClient

/// The connections of a store: one pool for batches and one for everything else, so that neither waits for the other.
public struct StoreConnections: Sendable {
    /// The connections for everything but batches.
    public let pool: PostgresPool
    /// The connections for batches: each lane needs one at a time.
    ///
    /// They are made when they are needed.
    public let writers: PostgresPool

    /// The greatest number of connections for batches.
    package static let maximumWriters = 64

    /// Makes pools without connections.
    ///
    /// - Parameters:
    ///   - configuration: Where the database is, and how sessions behave.
    ///   - size: The greatest number of connections for everything but batches.
    ///   - logger: Gets messages about failed and restored connections.
    public init(_ configuration: PostgresConfiguration, size: Int, logger: Logger) {
        pool = PostgresPool(configuration: configuration, size: size, logger: logger)
        writers = PostgresPool(
            configuration: PostbackStore.writerConfiguration(configuration), size: Self.maximumWriters, logger: logger)
    }

    /// The number of connections of both pools in each state.
    ///
    /// Connections for batches are not counted as closed.
    public var state: (idle: Int, busy: Int, connecting: Int, closed: Int) {
        let (pool, writers) = (pool.state, writers.state)
        return (
            pool.idle + writers.idle, pool.busy + writers.busy, pool.connecting + writers.connecting, pool.closed
        )
    }

    /// Refuses all waiters, waits until all connections are given back, and closes them.
    public func close() async {
        await writers.close()
        await pool.close()
    }
}
