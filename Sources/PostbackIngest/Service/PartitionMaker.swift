import Logging
import PostbackStore
import ServiceLifecycle

/// Creates the partitions of the week ahead, regularly.
///
/// Every server looks whether one is missing, and one at a time creates it. If a partition is missing, for instance because the clock was set forward, the batch
/// that needs it creates it.
struct PartitionMaker: Service {
    let store: PostbackStore
    let logger: Logger
    var interval: Duration = .seconds(5)

    func run() async throws {
        await Repetition.run(every: interval) {
            do {
                try await store.addMissingPartitions()
            } catch is CancellationError {
                // The service stops.
            } catch {
                logger.warning("partitions wait for the database", metadata: ["error": "\(error)"])
            }
        }
    }
}
