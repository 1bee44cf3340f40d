import Logging
import PostbackStore
import ServiceLifecycle

/// Adds what batches of postbacks changed to the daily tables, every few seconds.
///
/// Reports show the same before and after: this only keeps them quick. Several servers may do it; one does at a time.
/// The more changes are added at once the less each costs, and the more a report has to add up by itself meanwhile.
struct ChangeFolder: Service {
    let store: PostbackStore
    let interval: Duration
    let logger: Logger

    /// How many changes leave room behind that is worth giving back.
    private static let vacuumThreshold = 100_000

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
        var folded = 0
        while !Task.isCancelled {
            do {
                folded += try await store.foldAllChanges()
                if folded >= Self.vacuumThreshold {
                    try await store.vacuumChanges()
                    folded = 0
                }
            } catch is CancellationError {
                return
            } catch {
                logger.warning("daily tables wait for the database", metadata: ["error": "\(error)"])
            }
            try? await Task.sleep(for: interval)
        }
    }
}
