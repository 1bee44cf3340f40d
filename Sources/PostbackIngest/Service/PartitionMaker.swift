import Logging
import PostbackStore
import ServiceLifecycle

/// Keeps the partitions of the week ahead made.
///
/// Several servers may do it; one does at a time.
///
/// If a partition is missing all the same, for instance since the clock was set forward, the batch that needs it makes it.
struct PartitionMaker: Service {
    let store: PostbackStore
    let logger: Logger
    var interval: Duration = .seconds(3_600)

    func run() async throws {
        await Repetition.run(every: interval) {
            do {
                try await store.addPartitions()
            } catch is CancellationError {
                // The service stops.
            } catch {
                logger.warning("partitions wait for the database", metadata: ["error": "\(error)"])
            }
        }
    }
}
