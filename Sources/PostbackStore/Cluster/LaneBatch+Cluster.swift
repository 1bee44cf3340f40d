import PostgresClient

extension LaneBatch {
    /// Counts deliveries in one transaction of the worker that has the lane.
    ///
    /// If the lane's day of writing is another one, or the coordinator's timeline, it writes nothing and returns nil.
    func writeOnCluster(
        _ deliveries: [CountedDelivery], in rounds: BatchRounds, _ advance: ImportAdvance?, refused: Int,
        on day: PostgresDate
    ) async throws -> [DeliveryOutcome]? {
        let lanes = try await store.lanes()
        return try await store.onShard(of: lane) { shard in
            // The numbers of the dimensions are the coordinator's. It is not asked for each batch.
            store.cluster?.watchTimeline(of: store.dimensions)
            guard store.dimensions.timeline == timeline else { throw OtherTimeline() }
            let (site, statements) = try await shard.counting(store.policy, on: day)
            let outcomes = try await write(
                deliveries, in: rounds, advance, refused: refused, at: site, statements)
            if outcomes != nil { store.cluster?.count(.direct, on: shard.node.name) }
            return outcomes
        } orElse: { node in
            let outcomes = try await ShardBatch(self, store.lock(of: lane, lanes), day)
                .write(deliveries, in: rounds, advance, refused: refused)
            guard let outcomes else {
                // The next try may find the worker, and would not ask the coordinator.
                store.dimensions.begin(try await store.pool.withConnection { try Timeline.read(over: $0) })
                return nil
            }
            store.cluster?.count(.coordinator, on: node)
            return outcomes
        }
    }
}
