package import AdAttribution
package import HTTPListener
package import Metrics
package import PostbackStore
import Synchronization

/// The service's own metrics.
///
/// Each is made once and shared.
package final class ServiceMetrics: Sendable {
    /// Those of postbacks.
    package let postbacks = PostbackMetrics()
    package let queueDepth = Gauge(label: "adattribution_ingest_queue_postbacks")
    package let quarantineRows = Gauge(label: "adattribution_quarantine_rows")

    private struct HTTPSeries: Hashable {
        let listener: Listener
        let label: String
    }

    /// A listener, as it is named in the metrics and the log.
    package enum Listener: String, CaseIterable {
        case postbacks
        case admin
        case adminSocket = "admin_socket"
    }

    private let impressions: [SKAdNetworkVersion?: Counter]
    private let connections: [String: Gauge]
    private let openingFailures: [OpeningFailure: Counter]
    private let httpConnections: [HTTPSeries: Gauge]
    private let closedConnections: [HTTPSeries: Counter]
    private let unavailableLanes = Mutex<[String: Gauge]>([:])
    private let refusedFiles = Mutex<[String: Gauge]>([:])
    private let clusterBatches = Mutex<[ClusterBatches: (counter: Counter, count: Int)]>([:])

    package init() {
        // AdAttributionKit has no version. Its label is `none`.
        impressions = Dictionary(
            uniqueKeysWithValues: (Impression.versions + [nil]).map {
                (
                    $0,
                    Counter(
                        label: "adattribution_impressions_signed_total",
                        dimensions: [("version", $0?.description ?? "none")])
                )
            })
        openingFailures = Dictionary(
            uniqueKeysWithValues: OpeningFailure.allCases.map {
                ($0, Counter(label: $0.metric, dimensions: [("reason", $0.reason)]))
            })
        connections = Dictionary(
            uniqueKeysWithValues: ["idle", "busy", "connecting", "closed"].map {
                ($0, Gauge(label: "adattribution_database_connections", dimensions: [("state", $0)]))
            })
        var httpConnections: [HTTPSeries: Gauge] = [:]
        var closedConnections: [HTTPSeries: Counter] = [:]
        for listener in Listener.allCases {
            for state in ["new", "verified"] {
                httpConnections[HTTPSeries(listener: listener, label: state)] = Gauge(
                    label: "adattribution_http_connections",
                    dimensions: [("listener", listener.rawValue), ("state", state)])
            }
            for end in ConnectionEnd.allCases {
                closedConnections[HTTPSeries(listener: listener, label: end.rawValue)] = Counter(
                    label: "adattribution_http_connections_closed_total",
                    dimensions: [("listener", listener.rawValue), ("reason", end.rawValue)])
            }
        }
        self.httpConnections = httpConnections
        self.closedConnections = closedConnections
    }

    /// Counts one signed impression; the version is nil for AdAttributionKit.
    package func countImpression(_ version: SKAdNetworkVersion?) {
        impressions[version]?.increment()
    }

    /// Counts one connection that did not come to its first request.
    package func count(_ failure: OpeningFailure) {
        openingFailures[failure]?.increment()
    }

    /// The connections of a listener, which are counted as they end.
    package func connectionTable(of listener: Listener, limit: Int) -> ConnectionTable {
        ConnectionTable(limit: limit) { [closedConnections] end in
            closedConnections[HTTPSeries(listener: listener, label: end.rawValue)]?.increment()
        }
    }

    /// Shows the connections of a listener.
    package func record(_ listener: Listener, _ table: ConnectionTable) {
        let counts = table.counts
        httpConnections[HTTPSeries(listener: listener, label: "new")]?.record(counts.new)
        httpConnections[HTTPSeries(listener: listener, label: "verified")]?.record(counts.verified)
    }

    /// Shows the state of the connections to the database.
    package func record(connections state: (idle: Int, busy: Int, connecting: Int, closed: Int)) {
        connections["idle"]?.record(state.idle)
        connections["busy"]?.record(state.busy)
        connections["connecting"]?.record(state.connecting)
        connections["closed"]?.record(state.closed)
    }

    /// Shows the batches that were written on a cluster since the start.
    package func record(clusterBatches batches: [ClusterBatches: Int]) {
        clusterBatches.withLock { known in
            for (kind, count) in batches {
                let (counter, before) =
                    known[kind]
                    ?? (
                        Counter(
                            label: "adattribution_cluster_batches_total",
                            dimensions: [("node", kind.node), ("form", kind.form.rawValue)]), 0
                    )
                // Two scrapes may come in either order.
                guard count > before || before == 0 else { continue }
                counter.increment(by: count - before)
                known[kind] = (counter, count)
            }
        }
    }

    /// Shows whether changed files of a part can't be used.
    package func record(_ part: String, isRefused: Bool) {
        refusedFiles.withLock { gauges in
            let gauge = gauges[part] ?? Gauge(label: "adattribution_files_refused", dimensions: [("part", part)])
            gauge.record(isRefused ? 1 : 0)
            gauges[part] = gauge
        }
    }

    /// Shows how many lanes of each node of a cluster can't be counted.
    package func record(_ outages: ClusterOutages) {
        unavailableLanes.withLock { gauges in
            for node in Set(outages.nodes).union(gauges.keys) {
                let gauge =
                    gauges[node] ?? Gauge(label: "adattribution_lanes_unavailable", dimensions: [("node", node)])
                gauge.record(outages.list.first { $0.node == node }?.lanes.count ?? 0)
                gauges[node] = gauge
            }
        }
    }
}

extension OpeningFailure {
    fileprivate var metric: String {
        switch self {
        case .untrustedProxy, .malformedProxyHeader, .slowProxyHeader: "adattribution_proxy_headers_refused_total"
        case .refusedHandshake, .abandonedHandshake, .slowHandshake: "adattribution_tls_handshakes_failed_total"
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
