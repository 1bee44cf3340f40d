import PostgresClient

extension PostbackStore {
    /// How often a transaction looks for its lane before it goes through the coordinator.
    private static var topologyAttempts: Int { 4 }

    /// Runs a transaction of a lane on the node that has it, or through the coordinator if only that can be reached.
    ///
    /// If the lane has moved, the transaction has written nothing. Then the topology is read again, and the transaction
    /// runs again.
    ///
    /// - Parameters:
    ///   - lane: The lane.
    ///   - direct: The transaction on the node.
    ///   - coordinator: The transaction through the coordinator. It gets the name of the node, if that is known.
    func onShard<Value: Sendable>(
        of lane: Int16, _ direct: (LaneShard) async throws -> Value,
        orElse coordinator: (PostgresAddress?) async throws -> Value
    ) async throws -> Value {
        guard let cluster else { return try await coordinator(nil) }
        let lanes = try await lanes()
        var node: PostgresAddress?
        for _ in 0..<Self.topologyAttempts {
            let (shard, readings) = await cluster.shard(of: lane, lanes)
            node = shard?.node.name
            guard let shard, shard.node.isReachable else { break }
            do {
                return try await direct(shard)
            } catch let error as PostgresError where shard.node.isUnreachable(after: error) {
                cluster.lose(shard.node, lanes)
            } catch let error as PostgresError where error.isOtherTopology {
                await cluster.read(lanes, after: readings)
            } catch let error as PostgresError where error.isConnectionLoss {
                // It may have been committed, so it does not run again.
                cluster.readSoon(lanes, after: readings)
                throw error
            }
        }
        return try await coordinator(node)
    }

    /// Moves the day of writing of a lane on a cluster forward, and returns the new one.
    ///
    /// If the partitions are there, the coordinator is not needed.
    func moveDayOnCluster(of lane: Int16, to day: PostgresDate) async throws -> PostgresDate? {
        let isMissing = try await onShard(of: lane) { shard in
            do {
                _ = try await shard.logPartition(of: day)
                return false
            } catch let error as PostgresError where error.sqlState == .undefinedTable {
                return true
            }
        } orElse: { _ in
            true
        }
        if isMissing { try await addPartitions(from: day) }
        return try await onShard(of: lane) { shard in
            try await shard.site.moveDay(to: day) { _ in }.0
        } orElse: { _ in
            try await moveDayThroughCoordinator(of: lane, to: day)
        }
    }

    private func moveDayThroughCoordinator(of lane: Int16, to day: PostgresDate) async throws -> PostgresDate? {
        let lock = lock(of: lane, try await lanes())
        let (written, timeline) = try await lock.retrying {
            try await writers.withTransaction("move_day") { connection in
                try lock.takePatiently { mayWait in
                    let timeline = try Timeline.read(over: connection)
                    var bindings = PostgresBindings()
                    bindings.append(lane)
                    bindings.append(day)
                    bindings.append(mayWait)
                    let steps = [
                        ShardStatements.begin(on: timeline), PostgresPipelineStep(ShardStatements.moveDay, bindings),
                    ]
                    let day = try connection.pipeline(steps).last?.first?.decode(PostgresDate.self, at: 0)
                    return (day, timeline)
                }
            }
        }
        dimensions.begin(timeline)
        return written
    }
}
