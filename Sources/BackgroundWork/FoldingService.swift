package import Logging
package import PostbackStore
import ServiceLifecycle

/// Folds the log into the daily tables of a reader, every few seconds.
///
/// One server at a time folds.
///
/// **Figures.** Reports show the same before and after, but folding keeps them fast. The more events are added at once
/// the less each costs, and the more a report has to add up by itself meanwhile.
///
/// **Answers.** They leave the database to the counting of postbacks: while many arrive, the service rests after a
/// transaction nine times as long as that took. So it uses at most a tenth of one core of the database then, and falls
/// behind. If it is an hour behind, it does not rest; else it would never catch up at a rate that stays high. Reports
/// of answers show what is folded; `attribution.answers_up_to()` says until when.
package struct FoldingService: Service {
    let reader: FoldingReader
    let store: PostbackStore
    let interval: Duration
    let logger: Logger

    /// Makes a service.
    ///
    /// - Parameter interval: The pause after a fold, about; by default 5 seconds for figures and 10 for answers.
    package init(_ reader: FoldingReader, store: PostbackStore, interval: Duration? = nil, logger: Logger) {
        self.reader = reader
        self.store = store
        self.logger = logger
        self.interval =
            interval
            ?? {
                switch reader {
                case .figures: .seconds(5)
                case .answers: .seconds(10)
                }
            }()
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown { await self.fold() }
    }

    /// Folds until its task is cancelled.
    package func fold() async {
        switch reader {
        case .figures:
            await Repetition.run(pausing: interval, warning: "daily tables wait for the database", to: logger) {
                try await store.fold()
                return Self.pause(interval, deadVersionsPerRow: try await store.deadVersionsPerDailyRow())
            }
        case .answers:
            await Repetition.run(pausing: interval, warning: "answers wait for the database", to: logger) {
                let begin = ContinuousClock.now
                guard let isDone = try await store.foldPartOfAnswers() else { return min(interval, Self.retry) }
                return Self.pause(
                    interval, after: ContinuousClock.now - begin, isDone: isDone,
                    mayWait: try await store.answersMayWait())
            }
        }
    }

    /// How long to wait until the next fold of figures: one interval, or twelve if dead row versions pile up.
    ///
    /// They pile up while somebody holds a snapshot open (a long report, `pg_dump`), and each fold reads through them.
    /// A fold updates a row once for all its events. So fewer folds leave fewer versions.
    static func pause(_ interval: Duration, deadVersionsPerRow: Double) -> Duration {
        deadVersionsPerRow > 3 ? interval * 12 : interval
    }

    /// How long to wait if another server folds answers: it may end before it has folded all.
    private static let retry = Duration.seconds(2)

    /// How long to wait until the next fold of answers: not at all if more events wait and may not.
    static func pause(_ interval: Duration, after fold: Duration, isDone: Bool, mayWait: Bool) -> Duration {
        if mayWait { return max(interval, fold * 9) }
        return isDone ? interval : .zero
    }
}
