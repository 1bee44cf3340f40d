package import Logging
package import PostbackStore
import ServiceLifecycle

/// Folds the log into the sums of answers, every few seconds.
///
/// One server at a time folds. It leaves the database to the counting of postbacks: while many arrive, it rests after a
/// transaction nine times as long as that took. So it uses at most a tenth of one core of the database then, and falls
/// behind. If it is an hour behind, it does not rest; else it would never catch up at a rate that stays high. Reports
/// of answers show what is folded; `attribution.answers_up_to()` says until when.
package struct AnswerFolder: Service {
    let store: PostbackStore
    let interval: Duration
    let logger: Logger

    package init(store: PostbackStore, interval: Duration = .seconds(10), logger: Logger) {
        self.store = store
        self.interval = interval
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown { await self.fold() }
    }

    private func fold() async {
        await Repetition.run(pausing: interval, warning: "answers wait for the database", to: logger) {
            let begin = ContinuousClock.now
            guard let isDone = try await store.foldPartOfAnswers() else { return min(interval, Self.retry) }
            return Self.pause(
                interval, after: ContinuousClock.now - begin, isDone: isDone, mayWait: try await store.answersMayWait())
        }
    }

    /// How long to wait if another server folds: it may end before it has folded all.
    private static let retry = Duration.seconds(2)

    /// How long to wait until the next transaction: not at all if more events wait and may not.
    static func pause(_ interval: Duration, after fold: Duration, isDone: Bool, mayWait: Bool) -> Duration {
        if mayWait { return max(interval, fold * 9) }
        return isDone ? interval : .zero
    }
}
