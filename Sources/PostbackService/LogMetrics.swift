import EventLog
import Metrics
import PostgresClient
import Synchronization

/// The metrics of the log: its readers, the days that are kept and dropped, and what the checks find.
final class LogMetrics: Sendable {
    private let droppedReaders = Counter(label: "adattribution_log_readers_dropped_total")
    private let droppedDays: [DayPart: Counter]
    private let heldDays: [DayPart: Gauge]
    private let oldestDays: [DayPart: Gauge]
    private let problems: [LogProblem: Gauge]
    private let checked = Gauge(label: "adattribution_log_checked_timestamp_seconds")
    private let readerLags = Mutex<[String: Gauge]>([:])

    init() {
        func ofParts<Metric>(_ metric: ([(String, String)]) -> Metric) -> [DayPart: Metric] {
            Dictionary(uniqueKeysWithValues: DayPart.allCases.map { ($0, metric([("part", $0.rawValue)])) })
        }
        droppedDays = ofParts { Counter(label: "adattribution_partitions_dropped_total", dimensions: $0) }
        problems = Dictionary(
            uniqueKeysWithValues: LogProblem.allCases.map {
                ($0, Gauge(label: "adattribution_log_problems", dimensions: [("problem", $0.rawValue)]))
            })
        heldDays = ofParts { Gauge(label: "adattribution_partitions_held", dimensions: $0) }
        oldestDays = ofParts { Gauge(label: "adattribution_oldest_day_timestamp_seconds", dimensions: $0) }
    }

    /// Counts what was dropped, and shows what readers keep.
    func record(_ report: RetentionReport) {
        droppedReaders.increment(by: report.droppedReaders.count)
        for part in DayPart.allCases {
            droppedDays[part]?.increment(by: report.dropped.count { $0.part == part })
            if report.isComplete { heldDays[part]?.record(report.held.count { $0.day.part == part }) }
        }
    }

    /// Shows the days that are there.
    func record(oldestDays oldest: [DayPart: PostgresDate]) {
        for (part, day) in oldest { oldestDays[part]?.record(day.secondsSince1970) }
    }

    /// Shows how many postbacks have a problem in state, bodies or log, and when the last lane was compared.
    func record(_ problems: [LogProblemCount], checkedAt: PostgresTimestamp?) {
        if let checkedAt { checked.record(Double(checkedAt.millisecondsSince1970) / 1_000) }
        for (problem, gauge) in self.problems {
            gauge.record(problems.lazy.filter { $0.problem == problem }.reduce(0) { $0 + $1.postbacks })
        }
    }

    /// Shows how far each reader of the log is behind.
    ///
    /// A reader that was removed is not shown any more. The names are those of a table, and the store bounds their
    /// number.
    func record(_ lags: [LogReaderLag]) {
        readerLags.withLock { gauges in
            let names = Set(lags.map(\.reader))
            for (name, gauge) in gauges where !names.contains(name) {
                gauge.destroy()
                gauges[name] = nil
            }
            for lag in lags {
                let gauge =
                    gauges[lag.reader]
                    ?? Gauge(label: "adattribution_log_reader_lag_seconds", dimensions: [("reader", lag.reader)])
                gauge.record(lag.seconds)
                gauges[lag.reader] = gauge
            }
        }
    }
}

extension PostgresDate {
    /// The beginning of the day, UTC.
    fileprivate var secondsSince1970: Int64 { Int64(daysSince2000) * 86_400 + 946_684_800 }
}
