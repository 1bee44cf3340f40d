import Logging
import Metrics
import PostbackStore
import PostgresClient
import ServiceLifecycle

/// The queues between requests and the database, and the writers that empty them; a shutdown drains both.
struct IngestService: Service {
    let postbacks: GroupCommitQueue<PostbackDelivery, DeliveryOutcome>
    let rejections: GroupCommitQueue<RejectedPostback, Void>
    private let writers: Int

    init(store: PostbackStore, configuration: ServiceConfiguration, metrics: ServiceMetrics, logger: Logger) {
        writers = configuration.writers
        postbacks = GroupCommitQueue(
            capacity: configuration.queueCapacity, maximumBatch: configuration.maximumBatch
        ) { deliveries in
            let start = ContinuousClock.now
            let results = await store.record(deliveries)
            metrics.commitDuration.record(duration: ContinuousClock.now - start)
            metrics.commitBatchSize.record(deliveries.count)
            Self.log(results, logger)
            return results
        }
        rejections = GroupCommitQueue(
            // Refused bodies wait in a smaller queue, so that a flood of rubbish can't hold much memory.
            capacity: configuration.queueCapacity / 4, maximumBatch: configuration.maximumBatch
        ) { rejected in
            do {
                try await store.quarantine(rejected)
                return rejected.map { _ in .success(()) }
            } catch {
                logger.warning("quarantine failed", metadata: ["error": "\(error)"])
                return rejected.map { _ in .failure(error) }
            }
        }
    }

    func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            await withTaskGroup { group in
                group.addTask { await postbacks.run(writers: writers) }
                group.addTask { await rejections.run(writers: 1) }
            }
        } onCancelOrGracefulShutdown: {
            postbacks.drain()
            rejections.drain()
        }
    }

    private static func log(_ results: [Result<DeliveryOutcome, any Error>], _ logger: Logger) {
        var failures = 0
        var last: (any Error)?
        for case .failure(let error) in results {
            failures += 1
            last = error
        }
        guard let last else { return }
        logger.warning("postbacks not stored", metadata: ["count": "\(failures)", "error": "\(last)"])
    }
}
