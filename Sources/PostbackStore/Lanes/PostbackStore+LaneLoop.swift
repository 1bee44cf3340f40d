import PostgresClient

extension PostbackStore {
    /// Runs a transaction of a lane, and runs it again for as long as `LaneRetries` allows.
    ///
    /// This is the only loop that does so. Between two attempts it does something about the reason, such as moving the
    /// lane's day of writing.
    ///
    /// - Parameters:
    ///   - lane: The lane.
    ///   - retries: The attempts that have failed already. What is done about a reason counts its attempts here too.
    ///   - attempt: The transaction, at a site that may be another one each time. It throws `LaneObstacle` if it has to
    ///     run again.
    /// - Throws: What the attempt throws; the error of the last obstacle if there is no next attempt.
    func onLane<Value>(
        _ lane: Int16, _ retries: inout LaneRetries, _ attempt: (LaneSite) async throws -> Value
    ) async throws -> Value {
        while true {
            let site = try await site(of: lane, retries)
            do {
                return try await attempt(site)
            } catch let obstacle as LaneObstacle {
                guard let pause = retries.pause(after: obstacle.reason, now: .now, jitter: .random(in: 0..<1)) else {
                    try await giveUp(obstacle.reason, at: site)
                    throw obstacle.error
                }
                if obstacle.reason == .collision, let error = obstacle.error as? PostgresError {
                    site.pool.logRepetition(of: error.statement ?? "", error, attempt: retries.count(.collision))
                }
                // No connection is held meanwhile.
                if pause > .zero { try await Task.sleep(for: pause) }
                try await overcome(obstacle.reason, at: site, &retries)
            }
        }
    }

    /// Where the next attempt is made: on plain PostgreSQL there is one site.
    ///
    /// On a cluster it is the worker that has the lane, or the coordinator if only that can be reached.
    private func site(of lane: Int16, _ retries: LaneRetries) async throws -> LaneSite {
        let lanes = try await lanes()
        var form = LaneSite.Form.plain
        if lanes.isDistributed {
            let place = await cluster?.shard(of: lane, lanes)
            if let place, let shard = place.shard, shard.node.isReachable, !retries.goesThroughCoordinator {
                return LaneSite(shard, readings: place.readings)
            }
            form = .coordinator(place?.shard?.node.name)
        }
        return LaneSite(lane: lane, form: form, pool: writers, patience: shared.patience, lanes: lanes.count)
    }

    /// Does something about a reason, so that the next attempt does not fail for it again.
    private func overcome(
        _ reason: LaneRetries.Reason, at site: LaneSite, _ retries: inout LaneRetries
    ) async throws {
        switch (reason, site.form) {
        case (.otherDay, _):
            // Another server has begun a later day in this lane, or this one has not asked for the day yet.
            try await moveDay(of: site.lane, to: today, &retries)
        case (.missingPartition, _):
            let today = today
            try await addPartitions(from: shared.days.day(of: site.lane, today: today) ?? today)
            // If this server's clock is far behind, its day of the lane may have been dropped.
            try await moveDay(of: site.lane, to: today, &retries)
        case (.otherTimeline, .coordinator):
            // The next attempt may find the worker, and would not ask the coordinator.
            dimensions.begin(try await pool.withConnection { try Timeline.read(over: $0) })
        case (.otherNode, .worker(_, let readings)):
            await cluster?.read(try await lanes(), after: readings)
        case (.lostNode, .worker(let shard, _)):
            cluster?.lose(shard.node, try await lanes())
        case (.collision, _), (.laneHeld, _), (.otherTimeline, _), (.otherNode, _), (.lostNode, _), (.cutOff, _):
            break
        }
    }

    private func giveUp(_ reason: LaneRetries.Reason, at site: LaneSite) async throws {
        guard reason == .cutOff, case .worker(_, let readings) = site.form else { return }
        // It may have been committed, so it does not run again. The next one may find its lane elsewhere.
        cluster?.readSoon(try await lanes(), after: readings)
    }
}
