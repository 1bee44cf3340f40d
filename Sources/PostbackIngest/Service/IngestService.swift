import Logging
import Metrics
import PostbackStore
import PostgresClient
import ServiceLifecycle

/// The queues between requests and the database; a shutdown drains both.
struct IngestService: Service {
    let postbacks: CommitQueue<PostbackDelivery, DeliveryOutcome>
    let rejections: CommitQueue<RejectedPostback, Void>
    /// The lane of `postbacks` that a delivery belongs to.
    let laneOf: @Sendable (PostbackDelivery) -> Int

    /// Queues for a database with these lanes.
    init(
        store: PostbackStore, configuration: ServiceConfiguration, lanes: LaneMap, metrics: ServiceMetrics,
        logger: Logger
    ) {
        laneOf = { lanes.index(of: $0) }
        postbacks = CommitQueue(
            lanes: lanes.count, capacity: configuration.queueCapacity, maximumBatch: configuration.maximumBatch
        ) { lane, deliveries in
            let start = ContinuousClock.now
            let results = await store.record(deliveries, lane: lane)
            metrics.commitDuration.record(duration: ContinuousClock.now - start)
            metrics.commitBatchSize.record(deliveries.count)
            Self.log(results, logger)
            return results
        }
        rejections = CommitQueue(
            // Refused bodies have a smaller queue, so that a flood of invalid bodies can't hold much memory.
            lanes: 1, capacity: max(1, configuration.queueCapacity / 4), maximumBatch: configuration.maximumBatch
        ) { _, rejected in
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
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await postbacks.run() }
                group.addTask { await rejections.run() }
            }
        } onGracefulShutdown: {
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
