import AdAttribution
package import Logging
package import Metrics
package import Observability
import PostbackQuarantine
import PostbackStore

/// The queue of refused bodies on their way into the quarantine.
///
/// Each batch is committed, then all its answers go back.
struct RejectionQueue: Sendable {
    private let queue: CommitQueue<Waiting<RejectedPostback>, Void>
    private let metrics: PostbackMetrics

    init(store: PostbackStore, limits: QueueLimits, metrics: PostbackMetrics, logger: Logger) {
        self.metrics = metrics
        queue = CommitQueue(
            ofRefused: limits, unreplicated: metrics.unreplicatedCommits,
            failed: RepeatedLine(.warning, "quarantine failed"), logger: logger
        ) { waiting in
            try await store.quarantine(waiting.map(\.value))
        } answer: { waiting, results in
            let end = MonotonicTime.now
            PostbackReply.send(
                zip(waiting, results).map { waiting, result in
                    (waiting.reply, metrics.count(Self.answer(waiting, result), to: waiting, at: end))
                })
        }
    }

    /// The number of refused bodies that wait, without those of the batch that is under way.
    var depth: Int { queue.depth }

    /// Takes a refused body; on the event loop of its connection.
    func submit(_ waiting: Waiting<RejectedPostback>) {
        // A body that is too large is not kept.
        let result: Result<Void, any Error>
        if waiting.value.rejection.reason == .tooLarge {
            result = .success(())
        } else if let refusal = queue.submit(waiting, lane: 0) {
            result = .failure(refusal)
        } else {
            return
        }
        waiting.reply.now(metrics.count(Self.answer(waiting, result), to: waiting, at: .now))
    }

    /// Commits until `drain` was called and everything that was taken is committed.
    func run() async {
        await queue.run()
    }

    /// Refuses new bodies.
    func drain() {
        queue.drain()
    }

    private static func answer(
        _ waiting: Waiting<RejectedPostback>, _ result: Result<Void, any Error>
    ) -> PostbackAnswer {
        let rejection = waiting.value.rejection
        switch result {
        case .success: return .refused(rejection)
        case .failure(let error): return PostbackAnswer(error, of: rejection.claims?.attributionProtocol)
        }
    }
}

extension PostbackMetrics {
    /// Counts an answer, and hands it on.
    fileprivate func count(
        _ answer: PostbackAnswer, to waiting: Waiting<RejectedPostback>, at end: MonotonicTime
    ) -> PostbackAnswer {
        count(answer.outcome, .unknown)
        postbackDuration.record(from: waiting.start, to: end)
        return answer
    }
}

extension CommitQueue where Output == Void {
    /// A queue of refused bodies on their way into a quarantine, with one lane.
    ///
    /// It is smaller than that of what was verified, so that a flood of invalid bodies can't hold much memory.
    ///
    /// - Parameters:
    ///   - limits: Those of what was verified.
    ///   - unreplicated: Counts batches that perhaps are not on the standby.
    ///   - failed: The line of the log for a batch that was not stored.
    ///   - store: Stores a batch, whole or not at all.
    ///   - answer: As in the other initializer.
    package convenience init(
        ofRefused limits: QueueLimits, unreplicated: Counter, failed: RepeatedLine, logger: Logger,
        store: @escaping @Sendable (_ items: [Item]) async throws -> Void,
        answer: @escaping @Sendable (_ items: [Item], _ results: [Result<Void, any Error>]) -> Void
    ) {
        self.init(
            lanes: 1, capacity: max(1, limits.capacity / 4), maximumBatch: limits.maximumBatch,
            deadline: limits.deadline,
            commit: { _, items in
                do {
                    try await store(items)
                    return items.map { _ in .success(()) }
                } catch {
                    if error.isNotReplicated { unreplicated.increment() }
                    failed.log(to: logger, ["error": "\(error)"])
                    return items.map { _ in .failure(error) }
                }
            }, answer: answer)
    }
}
