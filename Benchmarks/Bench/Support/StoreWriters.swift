import PostbackStore
import Synchronization

/// Writes deliveries in batches of one lane each, several batches at once.
///
/// A lane is written by one batch at a time. So each writer has lanes of its own, like the lanes of the server's queue;
/// a writer without one shares a lane with another.
struct StoreWriters {
    let store: PostbackStore
    let lanes: LaneMap
    let writers: Int
    let batchSize: Int

    /// - Parameter writers: How many batches are written at once; 0 stands for one for each lane.
    init(_ store: PostbackStore, lanes: LaneMap, writers: Int, batchSize: Int) {
        self.store = store
        self.lanes = lanes
        self.writers = writers > 0 ? writers : lanes.count
        self.batchSize = batchSize
    }

    /// Writes all of them.
    ///
    /// - Parameter expected: What may become of a delivery.
    /// - Throws: `BenchError.wrongResult` if something else became of one, or what the store threw.
    func record(_ deliveries: [PostbackDelivery], expecting expected: Set<DeliveryOutcome> = [.accepted]) async throws {
        let queues = batches(of: deliveries).map(BatchQueue.init)
        try await withThrowingTaskGroup { group in
            for writer in 0..<writers {
                // From its own lane on: a lane that another writer is done with is left alone.
                let own =
                    lanes.count > writers
                    ? Array(stride(from: writer, to: lanes.count, by: writers)) : [writer % lanes.count]
                group.addTask {
                    var left = own
                    while !left.isEmpty {
                        for lane in left {
                            guard let batch = queues[lane].next() else {
                                left.removeAll { $0 == lane }
                                continue
                            }
                            for result in await store.record(batch, lane: lane) {
                                guard expected.contains(try result.get()) else { throw BenchError.wrongResult }
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// The batches of each lane.
    private func batches(of deliveries: [PostbackDelivery]) -> [[[PostbackDelivery]]] {
        var byLane: [[PostbackDelivery]] = Array(repeating: [], count: lanes.count)
        for delivery in deliveries { byLane[lanes.index(of: delivery)].append(delivery) }
        return byLane.map { deliveries in
            stride(from: 0, to: deliveries.count, by: batchSize).map { start in
                Array(deliveries[start..<min(start + batchSize, deliveries.count)])
            }
        }
    }
}

/// Batches of one lane, which writers take.
private final class BatchQueue: Sendable {
    private let batches: [[PostbackDelivery]]
    private let taken = Mutex(0)

    init(_ batches: [[PostbackDelivery]]) {
        self.batches = batches
    }

    func next() -> [PostbackDelivery]? {
        taken.withLock { taken in
            guard taken < batches.count else { return nil }
            defer { taken += 1 }
            return batches[taken]
        }
    }
}
