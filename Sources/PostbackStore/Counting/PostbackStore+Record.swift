import AdAttribution
import PostgresClient

extension PostbackStore {
    /// Counts deliveries of any lanes, those of a lane in the order given.
    ///
    /// Each lane's deliveries are one batch; the batches are counted side by side.
    /// - Returns: one result for each delivery, in the order given; see `record(_:lane:)`.
    public func record(_ deliveries: [PostbackDelivery]) async -> [Result<DeliveryOutcome, any Error>] {
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

    /// Counts a batch of deliveries of one lane, in order of arrival, in one transaction that is durable when this
    /// returns.
    ///
    /// - Parameter lane: The index of the lane, see `LaneMap.index(of:)`.
    /// - Returns: one result for each delivery, in the order given. A delivery fails by itself if only its own values
    ///   are refused by the database, or if a dimension's row that it needs can't be added; everything else fails the
    ///   whole batch, and nothing of it is stored. If a commit's outcome is unknown the batch fails too: delivered
    ///   again, what was stored is a duplicate.
    public func record(_ deliveries: [PostbackDelivery], lane: Int) async -> [Result<DeliveryOutcome, any Error>] {
        do {
            let number = try await lanes().lanes[lane].number
            return try await record(deliveries, to: number, advancing: nil)
        } catch {
            return deliveries.map { _ in .failure(error) }
        }
    }

    /// Counts a batch of one lane and, in the same transaction, moves an import on.
    ///
    /// - Throws: what failed the whole batch.
    func record(
        _ deliveries: [PostbackDelivery], to lane: Int16, advancing advance: ImportAdvance?
    ) async throws -> [Result<DeliveryOutcome, any Error>] {
        let ids = await dimensionIDs(of: deliveries.map { DimensionKeys($0.verified) })
        var results: [Result<DeliveryOutcome, any Error>] = []
        var counted: [CountedDelivery] = []
        for (delivery, ids) in zip(deliveries, ids) {
            switch ids {
            case .success(let ids):
                counted.append(CountedDelivery(delivery, ids))
                results.append(.success(.duplicate))
            case .failure(let error):
                // An import must not move past what could not be tried.
                if advance != nil, (error as? PostgresError)?.isAboutValues != true { throw error }
                results.append(.failure(error))
            }
        }
        var recorded = try await LaneBatch(store: self, lane: lane, advance: advance)
            .record(counted, refused: results.count { $0.isFailure }).makeIterator()
        return results.map { result in result.isFailure ? result : recorded.next() ?? result }
    }
}

extension Result {
    fileprivate var isFailure: Bool {
        if case .failure = self { true } else { false }
    }
}

extension PostgresError {
    /// Whether the database refused values (classes 22, 23 and 54), as opposed to being unable to work.
    package var isAboutValues: Bool {
        guard let state = sqlState?.description else { return false }
        return state.hasPrefix("22") || state.hasPrefix("23") || state.hasPrefix("54")
    }
}
