import AdAttribution
package import Logging
import Metrics
import Observability
import PostbackQuarantine
package import PostbackStore
import PostgresClient
import ServiceLifecycle

/// How much may wait for a commit, and how long.
package struct QueueLimits: Sendable {
    /// The most postbacks of one batch.
    package var maximumBatch = 500
    /// How many postbacks may wait for a batch, divided evenly among the lanes; more are answered 503.
    ///
    /// As many more may wait for a new row of a dimension.
    package var capacity = 10_000
    /// How long a postback may wait for its commit; then it is answered 503, or 500 for AdAttributionKit.
    package var deadline = Duration.seconds(5)

    /// The defaults.
    package init() {}
}

/// The queues between requests and the database: verified postbacks, and refused bodies.
///
/// Each batch is committed, then all its answers go back. Some postbacks need a new row of a dimension. They wait for it
/// in a queue of their own. When the row is there, they go to the queue of their lane. So no batch of a lane waits for a
/// row. A shutdown drains all queues.
package struct IngestQueues: Service {
    /// Postbacks whose rows of the dimensions are known.
    let postbacks: CommitQueue<WaitingPostback, DeliveryOutcome>
    /// Postbacks with a row of a dimension that this server does not know yet.
    ///
    /// It reads or adds the rows of all that wait in one transaction.
    let unknownRows: CommitQueue<WaitingPostback, PostbackDelivery>
    let rejections: CommitQueue<WaitingRejection, Void>
    private let store: PostbackStore
    private let lanes: LaneMap
    private let metrics: ServiceMetrics

    /// Queues for a database with these lanes.
    package init(
        store: PostbackStore, limits: QueueLimits, lanes: LaneMap, metrics: ServiceMetrics,
        logger: Logger
    ) {
        self.store = store
        self.lanes = lanes
        self.metrics = metrics
        let notStored = RepeatedLine(.warning, "postbacks not stored")
        let notReplicated = RepeatedLine(
            .error, "postbacks committed, but perhaps not on the standby: not acknowledged")
        let notQuarantined = RepeatedLine(.warning, "quarantine failed")
        let postbacks = CommitQueue<WaitingPostback, DeliveryOutcome>(
            lanes: lanes.count, capacity: limits.capacity, maximumBatch: limits.maximumBatch,
            atOnce: lanes.databases, deadline: limits.deadline
        ) { lane, waiting in
            let start = MonotonicTime.now
            let results = await store.record(waiting.map(\.delivery), lane: lane)
            metrics.commitDuration.record(from: start, to: .now)
            metrics.commitBatchSize.record(waiting.count)
            Self.logFailures(
                in: results, asNotStored: notStored, asNotReplicated: notReplicated, countingIn: metrics, to: logger)
            return results
        } answer: { waiting, results in
            let end = MonotonicTime.now
            PostbackReply.send(
                zip(waiting, results).map { waiting, result in
                    (waiting.reply, metrics.count(Self.answer(waiting, result), to: waiting, at: end))
                })
        }
        self.postbacks = postbacks
        unknownRows = CommitQueue(
            lanes: 1, capacity: limits.capacity, maximumBatch: limits.maximumBatch, deadline: limits.deadline
        ) { _, waiting in
            let results = await store.addingRows(of: waiting.map(\.delivery))
            Self.logFailures(
                in: results, asNotStored: notStored, asNotReplicated: notReplicated, countingIn: metrics, to: logger)
            return results
        } answer: { waiting, results in
            let end = MonotonicTime.now
            PostbackReply.send(
                zip(waiting, results).compactMap { waiting, result -> (reply: PostbackReply, answer: PostbackAnswer)? in
                    let refusal: any Error
                    do {
                        var known = waiting
                        known.delivery = try result.get()
                        guard let error = postbacks.submit(known, lane: lanes.index(of: known.delivery)) else {
                            return nil
                        }
                        refusal = error
                    } catch {
                        refusal = error
                    }
                    return (waiting.reply, metrics.count(Self.answer(waiting, .failure(refusal)), to: waiting, at: end))
                })
        }
        rejections = CommitQueue(
            // Refused bodies have a smaller queue, so that a flood of invalid bodies can't hold much memory.
            lanes: 1, capacity: max(1, limits.capacity / 4), maximumBatch: limits.maximumBatch,
            deadline: limits.deadline
        ) { _, waiting in
            do {
                try await store.quarantine(waiting.map(\.rejected))
                return waiting.map { _ in .success(()) }
            } catch {
                if error.isNotReplicated { metrics.unreplicatedCommits.increment() }
                notQuarantined.log(to: logger, ["error": "\(error)"])
                return waiting.map { _ in .failure(error) }
            }
        } answer: { waiting, results in
            let end = MonotonicTime.now
            PostbackReply.send(
                zip(waiting, results).map { waiting, result in
                    (waiting.reply, metrics.count(Self.answer(waiting, result), to: waiting, at: end))
                })
        }
    }

    /// Takes a verified postback; on the event loop of its connection.
    func submit(_ waiting: consuming WaitingPostback) {
        let refusal =
            store.findRows(of: &waiting.delivery)
            ? postbacks.submit(waiting, lane: lanes.index(of: waiting.delivery)) : unknownRows.submit(waiting, lane: 0)
        guard let refusal else { return }
        waiting.reply.now(metrics.count(Self.answer(waiting, .failure(refusal)), to: waiting, at: .now))
    }

    /// Takes a refused body; on the event loop of its connection.
    func submit(_ waiting: WaitingRejection) {
        // A body that is too large is not kept.
        let result: Result<Void, any Error>
        if waiting.rejection.reason == .tooLarge {
            result = .success(())
        } else if let refusal = rejections.submit(waiting, lane: 0) {
            result = .failure(refusal)
        } else {
            return
        }
        waiting.reply.now(metrics.count(Self.answer(waiting, result), to: waiting, at: .now))
    }

    /// The number of verified postbacks that wait, without those of batches that are under way.
    package var depth: Int { postbacks.depth + unknownRows.depth }

    /// Commits until `drain` was called and everything that was taken is committed.
    package func run() async {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    await unknownRows.run()
                    // What waited for rows is in the queues of the lanes now.
                    postbacks.drain()
                }
                group.addTask { await postbacks.run() }
                group.addTask { await rejections.run() }
            }
        } onGracefulShutdown: {
            drain()
        }
    }

    /// Refuses new postbacks and bodies; `run` returns when everything that was accepted is committed.
    ///
    /// A postback whose rows are known is taken while others still wait for rows.
    package func drain() {
        unknownRows.drain()
        rejections.drain()
    }

    private static func answer(
        _ waiting: WaitingPostback, _ result: Result<DeliveryOutcome, any Error>
    ) -> PostbackAnswer {
        switch result {
        case .success(let outcome): .stored(outcome)
        case .failure(let error): unavailable(error, waiting.delivery.verified.postback.attributionProtocol)
        }
    }

    private static func answer(_ waiting: WaitingRejection, _ result: Result<Void, any Error>) -> PostbackAnswer {
        switch result {
        case .success: .refused(waiting.rejection)
        case .failure(let error): unavailable(error, waiting.rejection.claims?.attributionProtocol)
        }
    }

    private static func unavailable(_ error: any Error, _ framework: AttributionProtocol?) -> PostbackAnswer {
        switch error {
        case CommitError.overloaded: .unavailable(.overloaded, framework)
        case CommitError.late: .unavailable(.late, framework)
        default: .unavailable(.storage, framework)
        }
    }

    private static func logFailures<Success>(
        in results: [Result<Success, any Error>], asNotStored notStored: RepeatedLine,
        asNotReplicated notReplicated: RepeatedLine, countingIn metrics: ServiceMetrics, to logger: Logger
    ) {
        var failures = 0
        var last: (any Error)?
        for case .failure(let error) in results {
            failures += 1
            last = error
        }
        guard let last else { return }
        if last.isNotReplicated { metrics.unreplicatedCommits.increment() }
        (last.isNotReplicated ? notReplicated : notStored)
            .log(to: logger, ["count": "\(failures)", "error": "\(last)"])
    }
}

extension Error {
    /// Whether the work was committed, but somebody cancelled the wait for a synchronous standby.
    package var isNotReplicated: Bool { (self as? PostgresError)?.code == .notReplicated }
}

extension ServiceMetrics {
    /// Counts an answer, and hands it on.
    fileprivate func count(
        _ answer: PostbackAnswer, to waiting: WaitingPostback, at end: MonotonicTime
    ) -> PostbackAnswer {
        if case .stored(.conflict) = answer { conflicts.increment() }
        count(answer.outcome, PostbackLabels(waiting.delivery.verified))
        postbackDuration.record(from: waiting.start, to: end)
        return answer
    }

    /// Counts an answer, and hands it on.
    fileprivate func count(
        _ answer: PostbackAnswer, to waiting: WaitingRejection, at end: MonotonicTime
    ) -> PostbackAnswer {
        count(answer.outcome, .unknown)
        postbackDuration.record(from: waiting.start, to: end)
        return answer
    }
}

/// A verified postback that waits to be committed.
package struct WaitingPostback: CommitQueueItem {
    var delivery: PostbackDelivery
    package let start: MonotonicTime
    let reply: PostbackReply

    package func hasLeft(at now: MonotonicTime) -> Bool {
        reply.client.hasLeft(now.duration(since: start))
    }
}

/// A refused body that waits to be put into the quarantine.
struct WaitingRejection: CommitQueueItem {
    let rejected: RejectedPostback
    let rejection: PostbackRejection
    let start: MonotonicTime
    let reply: PostbackReply

    func hasLeft(at now: MonotonicTime) -> Bool {
        reply.client.hasLeft(now.duration(since: start))
    }
}
