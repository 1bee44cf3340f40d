import Logging
import PostbackIngest
import PostbackStore
import PostgresClient
import ServiceLifecycle

/// Counts the last impressions and closes the connections to the database when everything else has stopped.
///
/// It stops last. If its task is cancelled, the time to stop is over: what is under way in the database is given up, since
/// others wait for it.
struct ConnectionsService: Service {
    /// How long the last impressions and the connections may take after that.
    private static let rest = Duration.milliseconds(400)

    let connections: StoreConnections
    let counter: ImpressionCounter
    let logger: Logger

    func run() async throws {
        do {
            try await gracefulShutdown()
        } catch {
            connections.interrupt()
        }
        await countLastImpressions()
        // A connection may hang in the look-up of a name. The end of the process closes it.
        _ = await Task { await close().value(within: Self.rest) }.value
    }

    private func countLastImpressions() async {
        let last = Task { await counter.finish() }
        // This wait ends when the task is cancelled; the one behind it does not.
        if await last.value(within: .seconds(3_600)) == nil {
            _ = await Task { await last.value(within: Self.rest) }.value
        }
        last.cancel()
        let lost = counter.pending
        guard lost > 0 else { return }
        logger.error("impressions were signed but not counted", metadata: ["count": "\(lost)"])
    }

    private func close() -> Task<Void, Never> {
        Task { await connections.close(interrupting: true) }
    }
}
