import AdAttribution
import ConnectionTransport
import HTTPLimits
import Metrics
import PostbackStore
import PostgresClient
import Synchronization

/// The service's own metrics.
///
/// Each is made once and shared.
final class ServiceMetrics: Sendable {
    let conflicts = Counter(label: "postback_conflicts_total")
    let unreplicatedCommits = Counter(label: "commits_not_replicated_total")
    let postbackDuration = Timer(label: "postback_duration_seconds")
    let verifyDuration = Timer(label: "postback_verify_seconds")
    let commitDuration = Timer(label: "commit_duration_seconds")
    let commitBatchSize = Recorder(label: "commit_batch_size")
    let queueDepth = Gauge(label: "ingest_queue_depth")
    let quarantineRows = Gauge(label: "quarantine_rows")

    private struct PostbackSeries: Hashable {
        let outcome: PostbackOutcome
        let labels: PostbackLabels
    }

    private struct HTTPSeries: Hashable {
        let listener: Listener
        let label: String
    }

    /// A listener, as it is named in the metrics and the log.
    enum Listener: String, CaseIterable {
        case postbacks
        case admin
        case adminSocket = "admin_socket"
    }

    /// A counter is made when it is first needed.
    ///
    /// So a scrape shows only what has happened.
    private let postbacks = Mutex<[PostbackSeries: Counter]>([:])
    private let impressions: [SKAdNetworkVersion?: Counter]
    private let connections: [String: Gauge]
    private let openingFailures: [OpeningFailure: Counter]
    private let httpConnections: [HTTPSeries: Gauge]
    private let closedConnections: [HTTPSeries: Counter]
    private let refusedTokens: [TokenCheck.Way: Counter]
    private let droppedReaders = Counter(label: "log_readers_dropped_total")
    private let droppedDays: [DayPart: Counter]
    private let heldDays: [DayPart: Gauge]
    private let oldestDays: [DayPart: Gauge]
    private let logProblems: [LogProblem: Gauge]
    private let logChecked = Gauge(label: "log_checked_seconds")
    private let logReaderLags = Mutex<[String: Gauge]>([:])
    private let unavailableLanes = Mutex<[String: Gauge]>([:])
    private let clusterBatches = Mutex<[ClusterBatches: (counter: Counter, count: Int)]>([:])

    init() {
        // AdAttributionKit has no version. Its label is `none`.
        impressions = Dictionary(
            uniqueKeysWithValues: (Impression.versions + [nil]).map {
                ($0, Counter(label: "impressions_signed_total", dimensions: [("version", $0?.description ?? "none")]))
            })
        openingFailures = Dictionary(
            uniqueKeysWithValues: OpeningFailure.allCases.map {
                ($0, Counter(label: $0.metric, dimensions: [("reason", $0.reason)]))
            })
        refusedTokens = Dictionary(
            uniqueKeysWithValues: TokenCheck.Way.allCases.map {
                ($0, Counter(label: "admin_tokens_refused_total", dimensions: [("way", $0.rawValue)]))
            })
        func ofParts<Metric>(_ metric: ([(String, String)]) -> Metric) -> [DayPart: Metric] {
            Dictionary(uniqueKeysWithValues: DayPart.allCases.map { ($0, metric([("part", $0.rawValue)])) })
        }
        droppedDays = ofParts { Counter(label: "days_dropped_total", dimensions: $0) }
        logProblems = Dictionary(
            uniqueKeysWithValues: LogProblem.allCases.map {
                ($0, Gauge(label: "log_problems", dimensions: [("problem", $0.rawValue)]))
            })
        heldDays = ofParts { Gauge(label: "days_held", dimensions: $0) }
        oldestDays = ofParts { Gauge(label: "oldest_day_seconds", dimensions: $0) }
        connections = Dictionary(
            uniqueKeysWithValues: ["idle", "busy", "connecting", "closed"].map {
                ($0, Gauge(label: "database_connections", dimensions: [("state", $0)]))
            })
        var httpConnections: [HTTPSeries: Gauge] = [:]
        var closedConnections: [HTTPSeries: Counter] = [:]
        for listener in Listener.allCases {
            for state in ["new", "verified"] {
                httpConnections[HTTPSeries(listener: listener, label: state)] = Gauge(
                    label: "http_connections", dimensions: [("listener", listener.rawValue), ("state", state)])
            }
            for end in ConnectionEnd.allCases {
                closedConnections[HTTPSeries(listener: listener, label: end.rawValue)] = Counter(
                    label: "http_connections_closed_total",
                    dimensions: [("listener", listener.rawValue), ("reason", end.rawValue)])
            }
        }
        self.httpConnections = httpConnections
        self.closedConnections = closedConnections
    }

    /// Counts one answered postback.
    func count(_ outcome: PostbackOutcome, _ labels: PostbackLabels) {
        counter(outcome, labels).increment()
    }

    /// The counter of an outcome and labels.
    func counter(_ outcome: PostbackOutcome, _ labels: PostbackLabels) -> Counter {
        let series = PostbackSeries(outcome: outcome, labels: labels)
        return postbacks.withLock { counters in
            if let counter = counters[series] { return counter }
            let counter = Counter(
                label: "postbacks_total",
                dimensions: [
                    ("protocol", labels.attributionProtocol), ("version", labels.version),
                    ("environment", labels.environment), ("outcome", outcome.rawValue),
                ])
            counters[series] = counter
            return counter
        }
    }

    /// Counts one signed impression; the version is nil for AdAttributionKit.
    func countImpression(_ version: SKAdNetworkVersion?) {
        impressions[version]?.increment()
    }

    /// Counts one connection that did not come to its first request.
    func count(_ failure: OpeningFailure) {
        openingFailures[failure]?.increment()
    }

    /// Counts one wrong admin token.
    func countRefusedToken(_ way: TokenCheck.Way) {
        refusedTokens[way]?.increment()
    }

    /// The connections of a listener, which are counted as they end.
    func connectionTable(of listener: Listener, limit: Int) -> ConnectionTable {
        ConnectionTable(limit: limit) { [closedConnections] end in
            closedConnections[HTTPSeries(listener: listener, label: end.rawValue)]?.increment()
        }
    }

    /// Shows the connections of a listener.
    func record(_ listener: Listener, _ table: ConnectionTable) {
        let counts = table.counts
        httpConnections[HTTPSeries(listener: listener, label: "new")]?.record(counts.new)
        httpConnections[HTTPSeries(listener: listener, label: "verified")]?.record(counts.verified)
    }

    /// Shows the state of the connections to the database.
    func record(connections state: (idle: Int, busy: Int, connecting: Int, closed: Int)) {
        connections["idle"]?.record(state.idle)
        connections["busy"]?.record(state.busy)
        connections["connecting"]?.record(state.connecting)
        connections["closed"]?.record(state.closed)
    }

    /// Shows the batches that were written on a cluster since the start.
    func record(clusterBatches batches: [ClusterBatches: Int]) {
        clusterBatches.withLock { known in
            for (kind, count) in batches {
                let (counter, before) =
                    known[kind]
                    ?? (
                        Counter(
                            label: "cluster_batches_total",
                            dimensions: [("node", kind.node), ("form", kind.form.rawValue)]), 0
                    )
                // Two scrapes may come in either order.
                guard count > before || before == 0 else { continue }
                counter.increment(by: count - before)
                known[kind] = (counter, count)
            }
        }
    }

    /// Shows how many lanes of each node of a cluster can't be counted.
    func record(_ outages: ClusterOutages) {
        unavailableLanes.withLock { gauges in
            for node in Set(outages.nodes).union(gauges.keys) {
                let gauge = gauges[node] ?? Gauge(label: "lanes_unavailable", dimensions: [("node", node)])
                gauge.record(outages.list.first { $0.node == node }?.lanes.count ?? 0)
                gauges[node] = gauge
            }
        }
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
        if let checkedAt { logChecked.record(Double(checkedAt.millisecondsSince1970) / 1_000) }
        for (problem, gauge) in logProblems {
            gauge.record(problems.lazy.filter { $0.problem == problem }.reduce(0) { $0 + $1.postbacks })
        }
    }

    /// Shows how far each reader of the log is behind.
    ///
    /// A reader that was removed is not shown any more. The names are those of a table, and the store bounds their
    /// number.
    func record(_ lags: [LogReaderLag]) {
        logReaderLags.withLock { gauges in
            let names = Set(lags.map(\.reader))
            for (name, gauge) in gauges where !names.contains(name) {
                gauge.destroy()
                gauges[name] = nil
            }
            for lag in lags {
                let gauge =
                    gauges[lag.reader] ?? Gauge(label: "log_reader_lag_seconds", dimensions: [("reader", lag.reader)])
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

extension OpeningFailure {
    fileprivate var metric: String {
        switch self {
        case .untrustedProxy, .malformedProxyHeader, .slowProxyHeader: "proxy_headers_refused_total"
        case .refusedHandshake, .abandonedHandshake, .slowHandshake: "tls_handshakes_failed_total"
        }
    }

    fileprivate var reason: String {
        switch self {
        case .untrustedProxy: "untrusted"
        case .malformedProxyHeader: "malformed"
        case .refusedHandshake: "refused"
        case .abandonedHandshake: "abandoned"
        case .slowProxyHeader, .slowHandshake: "too_slow"
        }
    }
}
