package import Logging
package import PostbackStore
import ServiceLifecycle

/// Folds the log into the daily tables, every few seconds.
///
/// Reports show the same before and after, but folding keeps them fast. One server at a time folds.
/// The more events are added at once the less each costs, and the more a report has to add up by itself meanwhile.
package struct LogFolder: Service {
    let store: PostbackStore
    let interval: Duration
    let logger: Logger

    package init(store: PostbackStore, interval: Duration = .seconds(5), logger: Logger) {
        self.store = store
        self.interval = interval
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown { await self.fold() }
    }

    /// Folds until its task is cancelled.
    package func fold() async {
        await Repetition.run(pausing: interval, warning: "daily tables wait for the database", to: logger) {
            try await store.fold()
            return Self.pause(interval, deadVersionsPerRow: try await store.deadVersionsPerDailyRow())
        }
    }

    /// How long to wait until the next fold: one interval, or twelve if dead row versions pile up.
    ///
    /// They pile up while somebody holds a snapshot open (a long report, `pg_dump`), and each fold reads through them.
    /// A fold updates a row once for all its events. So fewer folds leave fewer versions.
    static func pause(_ interval: Duration, deadVersionsPerRow: Double) -> Duration {
        deadVersionsPerRow > 3 ? interval * 12 : interval
    }
}
