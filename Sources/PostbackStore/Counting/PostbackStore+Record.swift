import AdAttribution
import PostgresClient

extension PostbackStore {
    /// Counts deliveries of any lanes, those of one lane in the order given.
    ///
    /// Each lane's deliveries are one batch. The batches are counted at the same time.
    /// - Returns: One result for each delivery, in the order given; see `record(_:lane:)`.
    package func record(_ deliveries: [PostbackDelivery]) async -> [Result<DeliveryOutcome, any Error>] {
        let lanes: LaneMap
        do {
            lanes = try await self.lanes()
        } catch {
            return deliveries.map { _ in .failure(error) }
        }
        // Rows are added for all lanes at once. A delivery whose row can't be added fails in its lane.
        let deliveries = zip(deliveries, await addingRows(of: deliveries)).map { (try? $1.get()) ?? $0 }
        let batches = Dictionary(grouping: deliveries.indices, by: { lanes.index(of: deliveries[$0]) })
        var results: [Result<DeliveryOutcome, any Error>] = deliveries.map { _ in .success(.duplicate) }
        await withTaskGroup(of: ([Int], [Result<DeliveryOutcome, any Error>]).self) { group in
            for (lane, places) in batches {
                group.addTask { (places, await record(places.map { deliveries[$0] }, lane: lane)) }
            }
            for await (places, recorded) in group {
                for (place, result) in zip(places, recorded) { results[place] = result }
            }
        }
        return results
    }

    /// Counts a batch of deliveries of one lane, in order of arrival.
    ///
    /// The batch is one transaction. If the database refuses a value, the batch is split into halves until the refused
    /// delivery is alone, and each half is a transaction. What succeeded is durable when this returns.
    ///
    /// - Parameter lane: The index of the lane, see `LaneMap.index(of:)`.
    /// - Returns: One result for each delivery, in the order given. A delivery fails alone if the database refuses its
    ///   values, or if it needs a dimension's row that can't be added. Every other error fails all deliveries. Some of
    ///   them may be stored then: if the outcome of a commit is unknown, or if halves were stored before. Delivered
    ///   again, these are duplicates.
    package func record(_ deliveries: [PostbackDelivery], lane: Int) async -> [Result<DeliveryOutcome, any Error>] {
        do {
            let number = try await lanes().lanes[lane].number
            return try await record(deliveries, to: number, advancing: nil)
        } catch {
            return deliveries.map { _ in .failure(error) }
        }
    }

    /// Counts a batch of one lane and updates the progress of an import, in one transaction as in `record(_:lane:)`.
    ///
    /// If a standby takes over between the reading of the dimensions' numbers and the batch, the numbers are read again.
    ///
    /// - Throws: An error that is not about the values of one delivery.
    func record(
        _ deliveries: [PostbackDelivery], to lane: Int16, advancing advance: ImportAdvance?
    ) async throws -> [Result<DeliveryOutcome, any Error>] {
        var batch = try await batch(of: deliveries, to: lane, advancing: advance)
        while !batch.isDone {
            var retries = LaneRetries(over: writers)
            try await onLane(lane, &retries) { site in
                if batch.timeline != dimensions.timeline {
                    // What is stored already is a duplicate, if the new server has it.
                    batch = try await self.batch(of: deliveries, to: lane, advancing: advance)
                }
                try await writeNext(of: &batch, at: site)
            }
        }
        return batch.results
    }

    /// The deliveries with the numbers of their dimensions.
    private func batch(
        of deliveries: [PostbackDelivery], to lane: Int16, advancing advance: ImportAdvance?
    ) async throws -> LaneBatch {
        let timeline = dimensions.timeline
        return try LaneBatch(
            deliveries, await dimensionIDs(of: deliveries), on: timeline, of: lane, advancing: advance)
    }

    /// Writes the next transaction of a batch, or splits it if the database refuses a value.
    ///
    /// - Throws: `LaneObstacle` if it has to run again.
    private func writeNext(of batch: inout LaneBatch, at site: LaneSite) async throws {
        // The numbers of the dimensions are the coordinator's. A worker's batch does not ask it.
        if case .worker = site.form { cluster?.watchTimeline(of: dimensions) }
        guard dimensions.timeline == batch.timeline else { throw LaneObstacle.otherTimeline }
        guard let transaction = batch.nextTransaction() else { return }
        guard let day = shared.days.day(of: site.lane, today: today) else { throw LaneObstacle.otherDay }
        do {
            let steps = try await steps(at: site, on: day, batch.timeline)
            guard let outcomes = try await transaction.write(at: site, steps) else { throw LaneObstacle.otherDay }
            batch.finish(outcomes)
        } catch let error as PostgresError where error.isAboutValues {
            guard batch.split(error) else { throw error }
            return
        }
        switch site.form {
        case .plain: break
        case .worker(let shard, _): cluster?.count(.direct, on: shard.node.name)
        case .coordinator(let node): cluster?.count(.coordinator, on: node)
        }
    }

    /// The statements of a batch at a site, in a day of writing.
    private func steps(at site: LaneSite, on day: PostgresDate, _ timeline: Timeline) async throws -> BatchSteps {
        switch site.form {
        case .plain:
            return BatchSteps(
                LaneLock(lane: site.lane, shards: nil), shared.counting(policy, on: day, timeline), in: .plain)
        case .worker(let shard, _):
            let (lock, statements) = try await shard.counting(policy, on: day, at: site)
            return BatchSteps(lock, statements, in: shard.tables)
        case .coordinator:
            return BatchSteps(throughCoordinator: policy, on: day, timeline)
        }
    }
}

extension PostgresError {
    /// Whether the database refused values (classes 22, 23 and 54).
    ///
    /// Other errors mean that it could not work.
    package var isAboutValues: Bool {
        guard let state = sqlState?.description else { return false }
        return state.hasPrefix("22") || state.hasPrefix("23") || state.hasPrefix("54")
    }
}
