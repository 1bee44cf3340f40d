import BackgroundWork
import EventLog
import Logging
import Metrics
import PostbackStore
import PostgresClient
import ServiceLifecycle
import Synchronization

/// Recounts all figures on a schedule, and shows what the last recount found, by whichever server or command.
///
/// Servers that share a database share the schedule: see `PostbackStore.recountIfDue`. What differs is logged by the
/// server that found it. Nothing is mended.
struct FigureRecount: Service {
    private let store: PostbackStore
    private let interval: Duration?
    private let logger: Logger
    private let differences = Gauge(label: "adattribution_recount_differences")
    private let beganAt = Gauge(label: "adattribution_recount_timestamp_seconds")
    private let duration = Gauge(label: "adattribution_recount_duration_seconds")

    /// The greatest number of differences that are logged one by one.
    private static let maximumLines = 20

    /// - Parameter interval: The time from one recount to the next; nil if this server makes none.
    init(store: PostbackStore, interval: Duration?, logger: Logger) {
        self.store = store
        self.interval = interval
        self.logger = logger
    }

    func run() async throws {
        await Repetition.run(every: .seconds(60), warning: "figures were not recounted", to: logger) {
            if let interval { try await recount(every: interval) }
            guard let last = try await store.lastRecount() else { return }
            differences.record(last.differences)
            beganAt.record(Double(last.beganAt.millisecondsSince1970) / 1_000)
            duration.record(last.seconds)
        }
    }

    private func recount(every interval: Duration) async throws {
        let lines = Mutex(0)
        let found = try await store.recountIfDue(every: interval) { difference in
            let isShown = lines.withLock { lines in
                lines += 1
                return lines <= Self.maximumLines
            }
            if isShown { logger.error("a figure is wrong", metadata: ["figure": "\(difference)"]) }
        }
        guard let found else { return }
        if found.differences > 0 {
            logger.error(
                "figures differ from the postbacks; run PostbackServer recount",
                metadata: ["differences": "\(found.differences)", "lines": "\(found.lines.count)"])
        } else {
            logger.info("all figures are right")
        }
    }
}
