public import Logging
public import PostgresClient

/// The connections of a store: a pool for batches, and one for everything else, so that neither waits for the other.
public struct StoreConnections: Sendable {
    /// For everything but batches.
    public let pool: PostgresPool
    /// For batches: each lane needs one at a time.
    ///
    /// They are made when they are needed.
    public let writers: PostgresPool

    /// The most connections for batches.
    private static let maximumWriters = 64

    /// Makes pools without connections.
    ///
    /// - Parameters:
    ///   - configuration: Where to and how.
    ///   - size: The greatest number of connections for everything but batches.
    ///   - logger: Told of failed and restored connections.
    public init(_ configuration: PostgresConfiguration, size: Int, logger: Logger) {
        pool = PostgresPool(configuration: configuration, size: size, logger: logger)
        writers = PostgresPool(
            configuration: PostbackStore.writerConfiguration(configuration), size: Self.maximumWriters, logger: logger)
    }

    /// How many connections of both pools are in which state.
    ///
    /// Those for batches count only from when they are needed.
    public var state: (idle: Int, busy: Int, connecting: Int, closed: Int) {
        let (pool, writers) = (pool.state, writers.state)
        return (
            pool.idle + writers.idle, pool.busy + writers.busy, pool.connecting + writers.connecting, pool.closed
        )
    }

    /// Refuses whoever waits, waits for those who hold a connection, and closes all connections.
    public func close() async {
        await writers.close()
        await pool.close()
    }
}
