import BackgroundWork
import EventLog
import Logging
import PostbackStore
import PostgresClient
import ServiceLifecycle
import Synchronization

/// Drops days of bodies and of the log that are past their retention.
///
/// Every server tries, and one at a time does it. So if one dies, the next one goes on within an interval.
struct DayExpiry: Service {
    let store: PostbackStore
    let rules: RetentionRules
    let metrics: LogMetrics
    let logger: Logger
    var interval: Duration = .seconds(10)

    func run() async throws {
        let told = Mutex<Set<RetentionReport.Held>>([])
        await Repetition.run(every: interval, warning: "days past their retention were not dropped", to: logger) {
            let report = try await store.dropExpiredDays(rules)
            // A day that readers keep is told when it begins to be kept, and when the readers change.
            let held = Set(report.held)
            let new = told.withLock { told in
                defer { if report.isComplete { told = held } }
                return report.held.filter { !told.contains($0) }
            }
            tell(report, newlyHeld: new)
            metrics.record(report)
            if let failure = report.failure { throw failure }
            metrics.record(oldestDays: try await store.oldestDays())
        }
    }

    private func tell(_ report: RetentionReport, newlyHeld: [RetentionReport.Held]) {
        for (reader, day) in report.droppedReaders {
            logger.error(
                "a reader of the log was dropped: it had not read a day that is past READER_RETENTION_DAYS",
                metadata: ["reader": "\(reader)", "day": "\(day.day)"])
        }
        for day in report.dropped {
            logger.notice("day dropped", metadata: ["part": "\(day.part.rawValue)", "day": "\(day.day)"])
        }
        for held in newlyHeld {
            logger.warning(
                "a day stays beyond its retention: readers of the log need it",
                metadata: [
                    "part": "\(held.day.part.rawValue)", "day": "\(held.day.day)",
                    "readers": "\(held.readers.joined(separator: " "))",
                ])
        }
        if let day = report.busy {
            logger.info(
                "a day past its retention waits: its lock is not free",
                metadata: ["part": "\(day.part.rawValue)", "day": "\(day.day)"])
        }
    }
}
