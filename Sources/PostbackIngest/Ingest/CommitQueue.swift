import Synchronization

/// Gathers items into batches, one bounded queue for each lane.
///
/// A lane has at most one batch under way. What arrives meanwhile waits for the lane's next batch. A single item is
/// committed at once; under load the batches grow by themselves, up to `maximumBatch`. Lanes take turns while their
/// batches are small (`CommitTurns`). If the commit of one lane is blocked, the others continue.
///
/// An item has a deadline. If it waits longer, it is removed and refused. If its batch is under way then, it is refused
/// too, and the outcome of the commit is not told any more. An item whose client has left is removed before its batch.
///
/// Each lane has one task while `run` runs. After a batch it continues with the next one, without a new task. It is
/// woken only if an item arrives in a lane without work. All tasks are children of `run`, so none is left when `run`
/// returns. If the task of `run` is cancelled, a lane waits for the end of another one's batch however long it takes.
package final class CommitQueue<Item: CommitQueueItem, Output: Sendable>: Sendable {
    private typealias Worker = CheckedContinuation<Void, Never>

    private final class Lane: Sendable {
        let state: Mutex<CommitLaneState<Item, Worker>>

        init(capacity: Int, maximumBatch: Int) {
            state = Mutex(CommitLaneState(capacity: capacity, maximumBatch: maximumBatch))
        }
    }

    /// A commit that returned fewer results than it got items.
    private struct MissingResult: Error, CustomStringConvertible {
        let description = "the commit gave no result for an item of its batch"
    }

    /// How often items are looked through for those that are overdue, or whose client has left.
    private static var watchInterval: Duration { .milliseconds(100) }

    private let lanes: [Lane]
    private let deadline: Duration
    private typealias Turns = CommitTurns<CheckedContinuation<CommitTurn, Never>>
    private let turns: Mutex<Turns>
    /// When lanes that wait for their turn may go on, if the batches under way are not ended by then.
    private let wakeUps = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
    private let commit: @Sendable (_ lane: Int, _ items: [Item]) async -> [Result<Output, any Error>]
    private let answer: @Sendable (_ items: [Item], _ results: [Result<Output, any Error>]) -> Void

    /// Makes a queue with lanes 0 ..< `lanes`.
    ///
    /// - Parameters:
    ///   - lanes: The number of lanes, at least 1.
    ///   - capacity: The number of items that may wait in all lanes together, at least 1. Each lane has an equal share,
    ///     rounded up. While commits are slow, a lane takes only what it commits in about a second.
    ///   - maximumBatch: The greatest number of items of one commit, at least 1.
    ///   - atOnce: The number of lanes whose small batches are under way at once, at least 1 (`CommitTurns`).
    ///   - deadline: How long an item may wait for its result. It is refused at most a tenth of a second later.
    ///   - commit: Gets the items of one lane in order of arrival, and returns one result for each. An item without a
    ///     result fails; further results are ignored.
    ///   - answer: Gets items and as many results, each item once. It must not block, because the lane's next batch
    ///     waits for it.
    package init(
        lanes: Int, capacity: Int, maximumBatch: Int, atOnce: Int = 1, deadline: Duration,
        commit: @escaping @Sendable (_ lane: Int, _ items: [Item]) async -> [Result<Output, any Error>],
        answer: @escaping @Sendable (_ items: [Item], _ results: [Result<Output, any Error>]) -> Void
    ) {
        precondition(lanes >= 1, "a commit queue has at least one lane")
        let share = capacity / lanes + (capacity % lanes == 0 ? 0 : 1)
        self.lanes = (0..<lanes).map { _ in Lane(capacity: share, maximumBatch: maximumBatch) }
        turns = Mutex(Turns(atOnce: atOnce))
        self.deadline = deadline
        self.commit = commit
        self.answer = answer
    }

    /// The number of items that wait in all lanes together, without those of batches that are under way.
    package var depth: Int {
        lanes.reduce(0) { sum, lane in sum + lane.state.withLock { $0.depth } }
    }

    /// The number of items that wait in a lane.
    func depth(of lane: Int) -> Int {
        self[lane].state.withLock { $0.depth }
    }

    /// Adds an item.
    ///
    /// If the queue takes it, it is committed.
    ///
    /// This never blocks and takes one lock, so an event loop may call it.
    ///
    /// - Parameter lane: A lane of this queue.
    /// - Returns: Why the queue does not take the item; nil if it does. Only then the item gets a result.
    package func submit(_ item: Item, lane: Int) -> CommitError? {
        let (admission, depth) = self[lane].state.withLock { state in (state.add(item), state.depth) }
        switch admission {
        case .refused(let refusal): return refusal
        case .queued:
            // Once is enough: the lane's worker checks the depth itself before it waits.
            if depth == Turns.manyItems { handOver(turns.withLock { $0.grow(lane: lane, items: depth, now: .now) }) }
        case .wakes(let worker): worker.resume()
        }
        return nil
    }

    /// Commits until `drain` was called and everything that was taken is committed.
    ///
    /// It may be called once. Items may be handed in before; they wait. If the task of `run` is cancelled, the queue
    /// drains. The commits that are left are then cancelled too: a commit that fails for this reason fails its items.
    package func run() async {
        await withTaskCancellationHandler {
            await withTaskGroup { group in
                group.addTask { await self.watch() }
                group.addTask { await self.wakeWaitingLanes() }
                await withDiscardingTaskGroup { workers in
                    for lane in lanes.indices {
                        workers.addTask { await self.work(lane) }
                    }
                }
                group.cancelAll()
            }
        } onCancel: {
            drain()
        }
    }

    /// Refuses new items; `run` returns when everything that was accepted is committed.
    package func drain() {
        for lane in lanes {
            lane.state.withLock { $0.drain() }?.resume()
        }
    }

    private subscript(lane: Int) -> Lane {
        precondition(lanes.indices.contains(lane), "lane \(lane) of a commit queue that has \(lanes.count)")
        return lanes[lane]
    }

    private func work(_ index: Int) async {
        let lane = self[index]
        while let (batch, turn) = await nextBatch(of: index) {
            var results = await commit(index, batch)
            end(turn)
            results.removeLast(max(0, results.count - batch.count))
            while results.count < batch.count { results.append(.failure(MissingResult())) }
            let answered = lane.state.withLock { $0.finish(at: .now) }
            if answered.isEmpty {
                answer(batch, results)
            } else {
                let open = batch.indices.filter { !answered.contains($0) }
                answer(open.map { batch[$0] }, open.map { results[$0] })
            }
        }
    }

    /// What waits in the lane, up to `maximumBatch`, when it is the lane's turn; nil when the lane is drained.
    private func nextBatch(of index: Int) async -> (batch: [Item], turn: CommitTurn)? {
        let lane = self[index]
        while true {
            // The batch is taken after the turn has come, since more items may have arrived by then.
            let waiting = depth(of: index)
            let turn = waiting > 0 ? await self.turn(of: index, items: waiting) : nil
            let now = MonotonicTime.now
            let taken = lane.state.withLock { state in state.take(at: now) { $0.hasLeft(at: now) } }
            refuse(taken.leftOut)
            switch taken.turn {
            case .commit(let batch):
                // An item that came in after the look at the depth has no turn yet.
                if let turn { return (batch, turn) }
                return (batch, await self.turn(of: index, items: depth(of: index)))
            case .end:
                end(turn)
                return nil
            case .rest:
                // What waited was removed meanwhile.
                end(turn)
                await withCheckedContinuation { worker in
                    let rests = lane.state.withLock { $0.rest(worker) }
                    if !rests { worker.resume() }
                }
            }
        }
    }

    /// Looks through the items until the task is cancelled.
    private func watch() async {
        while (try? await Task.sleep(for: Self.watchInterval)) != nil {
            for lane in lanes { expire(lane, at: .now) }
        }
    }

    /// Refuses the items of a lane that are overdue, or whose clients have left.
    private func expire(_ lane: Lane, at now: MonotonicTime) {
        let late = lane.state.withLock { state in
            state.overdue { now.duration(since: $0.start) >= deadline }
                + state.remove { now.duration(since: $0.start) >= deadline || $0.hasLeft(at: now) }
        }
        refuse(late)
    }

    private func refuse(_ items: [Item]) {
        guard !items.isEmpty else { return }
        answer(items, items.map { _ in .failure(CommitError.late) })
    }

    /// Waits until the lane, in which so many items wait, may commit.
    private func turn(of index: Int, items: Int) async -> CommitTurn {
        await withCheckedContinuation { waiter in
            switch turns.withLock({ $0.ask(lane: index, items: items, waiter: waiter, now: .now) }) {
            case .go(let turn): waiter.resume(returning: turn)
            case .wait(let wakeAt): if let wakeAt { wakeUps.continuation.yield(wakeAt) }
            }
        }
    }

    /// Lets lanes that wait go on if the batches under way are not ended in time, until the task is cancelled.
    private func wakeWaitingLanes() async {
        for await time in wakeUps.stream {
            guard (try? await Task.sleep(until: time, clock: .continuous)) != nil else { return }
            let (handovers, wakeAt) = turns.withLock { $0.expire(now: .now) }
            for handover in handovers { handOver(handover) }
            if let wakeAt { wakeUps.continuation.yield(wakeAt) }
        }
    }

    /// A lane's batch is committed, or it had none: another lane may go on.
    private func end(_ turn: CommitTurn?) {
        guard let turn else { return }
        handOver(turns.withLock { $0.end(turn, now: .now) })
    }

    private func handOver(_ handover: Turns.Handover?) {
        if let (waiter, turn) = handover { waiter.resume(returning: turn) }
    }
}

/// Why a commit queue did not take an item, or gave it up.
package enum CommitError: Error, Sendable, CustomStringConvertible {
    /// The lane's queue is full. Nothing is stored.
    case overloaded
    /// The service is stopping. Nothing is stored.
    case draining
    /// The item was overdue, or its client has left. Nothing is stored, unless its batch was under way.
    case late

    /// The reason in words.
    package var description: String {
        switch self {
        case .overloaded: "the queue of the lane is full"
        case .draining: "the service is stopping"
        case .late: "it was not stored in time, or its client has left"
        }
    }
}

/// What a commit queue must know of an item.
package protocol CommitQueueItem: Sendable {
    /// When it arrived.
    var start: MonotonicTime { get }
    /// Whether nobody waits for its result any more.
    func hasLeft(at now: MonotonicTime) -> Bool
}
