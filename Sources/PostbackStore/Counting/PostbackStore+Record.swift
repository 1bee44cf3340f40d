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
        for _ in 0..<Self.timelineAttempts {
            do {
                return try await recordOnce(deliveries, to: lane, advancing: advance)
            } catch is OtherTimeline {
                // The cache is empty now.
            }
        }
        throw OtherTimeline()
    }

    /// The first time begins with no timeline at all, and later ones come one at a time.
    private static var timelineAttempts: Int { 4 }

    private func recordOnce(
        _ deliveries: [PostbackDelivery], to lane: Int16, advancing advance: ImportAdvance?
    ) async throws -> [Result<DeliveryOutcome, any Error>] {
        let timeline = dimensions.timeline
        var counted: [CountedDelivery] = []
        var failures: [Int: any Error] = [:]
        counted.reserveCapacity(deliveries.count)
        for (place, ids) in await dimensionIDs(of: deliveries).enumerated() {
            switch ids {
            case .success(let ids):
                counted.append(CountedDelivery(deliveries[place], ids))
            case .failure(let error):
                // The progress must not pass a delivery that could not be tried.
                if advance != nil, (error as? PostgresError)?.isAboutValues != true { throw error }
                failures[place] = error
            }
        }
        guard dimensions.timeline == timeline else { throw OtherTimeline() }
        let recorded = try await LaneBatch(store: self, lane: lane, timeline: timeline, advance: advance)
            .record(counted, refused: failures.count)
        guard !failures.isEmpty else { return recorded }
        var rest = recorded.makeIterator()
        return deliveries.indices.map { place in
            if let failure = failures[place] { return .failure(failure) }
            return rest.next() ?? .failure(DimensionError.missing)
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
