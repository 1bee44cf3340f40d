import AppStoreData
package import Logging
import Metrics
import Observability
package import PostbackIngest
package import PostbackStore
import ServiceLifecycle

/// The queues between notifications of the App Store and the database: verified ones, and refused bodies.
///
/// Each batch is committed, then its answers go back. A shutdown drains both queues. What waits keeps the memory of its
/// body reserved, so the budget of large bodies bounds both queues too.
package struct NotificationQueues: Service {
    let notifications: CommitQueue<WaitingNotification, NotificationOutcome>
    let rejections: CommitQueue<WaitingRefusal, Void>
    private let metrics: NotificationMetrics

    /// Queues over a store.
    ///
    /// - Parameters:
    ///   - limits: How many may wait, and how long; those of postbacks.
    ///   - keyRing: Has the key that hashes ids of accounts.
    package init(
        store: PostbackStore, limits: QueueLimits, keyRing: KeyRingInForce, metrics: NotificationMetrics,
        logger: Logger
    ) {
        self.metrics = metrics
        let notStored = RepeatedLine(.warning, "notifications of the App Store not stored")
        let notReplicated = RepeatedLine(
            .error, "notifications of the App Store committed, but perhaps not on the standby: not acknowledged")
        notifications = CommitQueue(
            lanes: PostbackStore.storeLanes, capacity: limits.capacity, maximumBatch: limits.maximumBatch,
            deadline: limits.deadline
        ) { lane, waiting in
            let start = MonotonicTime.now
            let results = await store.recordOrQuarantine(
                waiting.map(\.delivery), lane: lane, accountKey: keyRing.current.store?.trust.accountKey)
            metrics.commitDuration.record(from: start, to: .now)
            metrics.commitBatchSize.record(waiting.count)
            let failures = results.compactMap { result -> (any Error)? in
                if case .failure(let error) = result { error } else { nil }
            }
            if let last = failures.last {
                if last.isNotReplicated { metrics.unreplicatedCommits.increment() }
                (last.isNotReplicated ? notReplicated : notStored)
                    .log(to: logger, ["count": "\(failures.count)", "error": "\(last)"])
            }
            return results
        } answer: { waiting, results in
            for (waiting, result) in zip(waiting, results) { waiting.answer(NotificationAnswer(result), metrics) }
        }
        rejections = CommitQueue(
            ofRefused: limits, unreplicated: metrics.unreplicatedCommits,
            failed: RepeatedLine(.warning, "quarantine of the App Store failed"), logger: logger
        ) { waiting in
            try await store.quarantine(waiting.map(\.rejected))
        } answer: { waiting, results in
            for (waiting, result) in zip(waiting, results) {
                waiting.answer(NotificationAnswer(waiting.rejected.error, kept: result), metrics)
            }
        }
    }

    /// Takes a verified notification, from any thread.
    func submit(_ waiting: WaitingNotification) {
        guard let refusal = notifications.submit(waiting, lane: waiting.delivery.lane) else { return }
        waiting.answer(NotificationAnswer(.failure(refusal)), metrics)
    }

    /// Takes a refused body, from any thread; one that is too large is not kept.
    func submit(_ waiting: WaitingRefusal) {
        let error = waiting.rejected.error
        if error.reason == .tooLarge {
            waiting.answer(.refused(error), metrics)
        } else if let refusal = rejections.submit(waiting, lane: 0) {
            waiting.answer(NotificationAnswer(error, kept: .failure(refusal)), metrics)
        }
    }

    /// The number of notifications and refused bodies that wait, without those of batches that are under way.
    package var depth: Int { notifications.depth + rejections.depth }

    /// Commits until `drain` was called and everything that was taken is committed.
    package func run() async {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await notifications.run() }
                group.addTask { await rejections.run() }
            }
        } onGracefulShutdown: {
            drain()
        }
    }

    /// Refuses new notifications; `run` returns when everything that was accepted is committed.
    package func drain() {
        notifications.drain()
        rejections.drain()
    }
}

/// A verified notification that waits to be committed.
struct WaitingNotification: CommitQueueItem {
    let delivery: NotificationDelivery
    let start: MonotonicTime
    let reply: NotificationReply

    func hasLeft(at now: MonotonicTime) -> Bool { reply.hasLeft(now.duration(since: start)) }

    /// Counts an answer and sends it.
    fileprivate func answer(_ answer: NotificationAnswer, _ metrics: NotificationMetrics) {
        metrics.count(answer.outcome, delivery.notification.version)
        metrics.duration.record(from: start, to: .now)
        reply.answer(answer.json, isVerified: answer.isVerified)
    }
}

/// A refused body that waits to be put into the quarantine.
struct WaitingRefusal: CommitQueueItem {
    let rejected: RejectedNotification
    let start: MonotonicTime
    let reply: NotificationReply

    func hasLeft(at now: MonotonicTime) -> Bool { reply.hasLeft(now.duration(since: start)) }

    /// Counts an answer and sends it.
    fileprivate func answer(_ answer: NotificationAnswer, _ metrics: NotificationMetrics) {
        metrics.count(answer.outcome, nil)
        metrics.duration.record(from: start, to: .now)
        reply.answer(answer.json)
    }
}
