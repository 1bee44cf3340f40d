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

/// The queues between requests and the database: verified postbacks, and beside them refused bodies.
///
/// Each batch is committed, then all its answers go back. Some postbacks need a new row of a dimension. They wait for it
/// in a queue of their own. When the row is there, they go to the queue of their lane. So no batch of a lane waits for a
/// row. A shutdown drains all queues.
package struct IngestQueues: Service {
    /// Postbacks whose rows of the dimensions are known.
    let postbacks: CommitQueue<Waiting<PostbackDelivery>, DeliveryOutcome>
    /// Postbacks with a row of a dimension that this server does not know yet.
    ///
    /// It reads or adds the rows of all that wait in one transaction.
    let unknownRows: CommitQueue<Waiting<PostbackDelivery>, PostbackDelivery>
    /// Refused bodies.
    let rejections: RejectionQueue
    private let store: PostbackStore
    private let lanes: LaneMap
    private let metrics: PostbackMetrics

    /// Queues for a database with these lanes.
    package init(
        store: PostbackStore, limits: QueueLimits, lanes: LaneMap, metrics: PostbackMetrics,
        logger: Logger
    ) {
        self.store = store
        self.lanes = lanes
        self.metrics = metrics
        let notStored = RepeatedLine(.warning, "postbacks not stored")
        let notReplicated = RepeatedLine(
            .error, "postbacks committed, but perhaps not on the standby: not acknowledged")
        let postbacks = CommitQueue<Waiting<PostbackDelivery>, DeliveryOutcome>(
            lanes: lanes.count, capacity: limits.capacity, maximumBatch: limits.maximumBatch,
            atOnce: lanes.databases, deadline: limits.deadline
        ) { lane, waiting in
            let start = MonotonicTime.now
            let results = await store.record(waiting.map(\.value), lane: lane)
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
            let results = await store.addingRows(of: waiting.map(\.value))
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
                        known.value = try result.get()
                        guard let error = postbacks.submit(known, lane: lanes.index(of: known.value)) else {
                            return nil
                        }
                        refusal = error
                    } catch {
                        refusal = error
                    }
                    return (waiting.reply, metrics.count(Self.answer(waiting, .failure(refusal)), to: waiting, at: end))
                })
        }
        rejections = RejectionQueue(store: store, limits: limits, metrics: metrics, logger: logger)
    }

    /// Takes a verified postback; on the event loop of its connection.
    func submit(_ waiting: consuming Waiting<PostbackDelivery>) {
        let refusal =
            store.findRows(of: &waiting.value)
            ? postbacks.submit(waiting, lane: lanes.index(of: waiting.value)) : unknownRows.submit(waiting, lane: 0)
        guard let refusal else { return }
        waiting.reply.now(metrics.count(Self.answer(waiting, .failure(refusal)), to: waiting, at: .now))
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
        _ waiting: Waiting<PostbackDelivery>, _ result: Result<DeliveryOutcome, any Error>
    ) -> PostbackAnswer {
        switch result {
        case .success(let outcome): .stored(outcome)
        case .failure(let error): PostbackAnswer(error, of: waiting.value.postback.attributionProtocol)
        }
    }

    private static func logFailures<Success>(
        in results: [Result<Success, any Error>], asNotStored notStored: RepeatedLine,
        asNotReplicated notReplicated: RepeatedLine, countingIn metrics: PostbackMetrics, to logger: Logger
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

extension PostbackMetrics {
    /// Counts an answer, and hands it on.
    fileprivate func count(
        _ answer: PostbackAnswer, to waiting: Waiting<PostbackDelivery>, at end: MonotonicTime
    ) -> PostbackAnswer {
        if case .stored(.conflict) = answer { conflicts.increment() }
        count(answer.outcome, PostbackLabels(waiting.value.verified))
        postbackDuration.record(from: waiting.start, to: end)
        return answer
    }
}

/// Something that waits to be committed, and the way back to the connection that it came over.
///
/// It does not know what waits.
struct Waiting<Value: Sendable>: CommitQueueItem {
    /// What waits.
    var value: Value
    /// When it arrived.
    let start: MonotonicTime
    /// The way back.
    let reply: PostbackReply

    func hasLeft(at now: MonotonicTime) -> Bool {
        reply.client.hasLeft(now.duration(since: start))
    }
}
