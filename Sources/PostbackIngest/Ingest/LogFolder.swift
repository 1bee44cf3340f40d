import Logging
import PostbackStore
import ServiceLifecycle

/// Adds what the log holds beyond the daily tables to them, every few seconds.
///
/// Reports show the same before and after: this only keeps them quick. Several servers may do it; one does at a time.
/// The more events are added at once the less each costs, and the more a report has to add up by itself meanwhile.
struct LogFolder: Service {
    let store: PostbackStore
    let interval: Duration
    let logger: Logger

    init(store: PostbackStore, interval: Duration = .seconds(5), logger: Logger) {
        self.store = store
        self.interval = interval
        self.logger = logger
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { await self.fold() }
    }

    /// Folds until its task is cancelled.
    func fold() async {
        while !Task.isCancelled {
            do {
                try await store.fold()
            } catch is CancellationError {
                return
            } catch {
                logger.warning("daily tables wait for the database", metadata: ["error": "\(error)"])
            }
            try? await Task.sleep(for: interval)
        }
    }
}
