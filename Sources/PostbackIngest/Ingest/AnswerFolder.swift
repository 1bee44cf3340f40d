package import Logging
package import PostbackStore
import ServiceLifecycle

/// Folds the log into the sums of answers, every few seconds.
///
/// One server at a time folds. It leaves the database to the counting of postbacks: after a fold it rests nine times as
/// long as the fold took. So it uses at most a tenth of one core of the database, and falls behind at a rate that is too
/// high for that. Reports of answers show what is folded; `attribution.answers_up_to()` says until when.
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
        while !Task.isCancelled {
            let begin = ContinuousClock.now
            do {
                try await store.foldAnswers()
            } catch is CancellationError {
                return
            } catch {
                logger.warning("answers wait for the database", metadata: ["error": "\(error)"])
            }
            try? await Task.sleep(for: Self.pause(interval, after: ContinuousClock.now - begin))
        }
    }

    /// How long to wait until the next fold.
    static func pause(_ interval: Duration, after fold: Duration) -> Duration {
        max(interval, fold * 9)
    }
}
