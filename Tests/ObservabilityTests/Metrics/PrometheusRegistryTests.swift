import Metrics
import Testing

@testable import Observability

@Suite("The Prometheus registry")
struct PrometheusRegistryTests {
    /// The samples and comments of a registry, without the warning counter that is always there.
    private func lines(_ registry: PrometheusRegistry) -> [String] {
        registry.exposition().split(separator: "\n").map(String.init)
            .filter { !$0.contains("adattribution_metrics_series_dropped_total") }
    }

    @Test("The warning counter exists from the start, and the text ends with a newline")
    func empty() {
        let text = PrometheusRegistry().exposition()
        #expect(
            text.contains(
                "# TYPE adattribution_metrics_series_dropped_total counter\n"
                    + "adattribution_metrics_series_dropped_total 0\n"))
        #expect(text.hasSuffix("\n"))
        #expect(PrometheusRegistry.contentType == "text/plain; version=0.0.4; charset=utf-8")
    }

    @Test("A family has one header, and shows all its label sets in order")
    func family() {
        let registry = PrometheusRegistry(help: ["postbacks": "Postbacks received."])
        registry.makeCounter(label: "postbacks", dimensions: [("outcome", "raised")]).increment(by: 1)
        registry.makeCounter(label: "postbacks", dimensions: [("outcome", "accepted")]).increment(by: 2)
        #expect(
            lines(registry) == [
                "# HELP postbacks_total Postbacks received.",
                "# TYPE postbacks_total counter",
                "postbacks_total{outcome=\"accepted\"} 2",
                "postbacks_total{outcome=\"raised\"} 1",
            ])
    }

    @Test(
        "Counters get a valid name that ends with _total once",
        arguments: [
            ("hb.requests", "hb_requests_total"),
            ("postbacks_total", "postbacks_total"),
            ("9 lives", "_9_lives_total"),
            ("", "__total"),
            ("größe", "gr__e_total"),
        ])
    func counterNames(label: String, name: String) {
        let registry = PrometheusRegistry()
        registry.makeCounter(label: label, dimensions: []).increment(by: 1)
        #expect(lines(registry).last == "\(name) 1")
    }

    @Test(
        "Timers are histograms in seconds, and their name says so once",
        arguments: ["http.server.request.duration", "http_server_request_duration_seconds"])
    func timerNames(label: String) {
        let registry = PrometheusRegistry(buckets: [label: [0.5, 0.1]])
        let timer = registry.makeTimer(label: label, dimensions: [])
        timer.recordNanoseconds(100_000_000)
        timer.recordNanoseconds(400_000_000)
        timer.recordNanoseconds(2_000_000_000)
        timer.recordNanoseconds(-5)
        let name = "http_server_request_duration_seconds"
        #expect(
            Array(lines(registry).dropFirst()) == [
                "# TYPE \(name) histogram",
                "\(name)_bucket{le=\"0.1\"} 2",
                "\(name)_bucket{le=\"0.5\"} 3",
                "\(name)_bucket{le=\"+Inf\"} 4",
                "\(name)_sum 2.5",
                "\(name)_count 4",
            ])
    }

    @Test("The default buckets suit times and sizes")
    func buckets() {
        let registry = PrometheusRegistry()
        registry.makeTimer(label: "commit.duration", dimensions: []).recordNanoseconds(1)
        registry.makeRecorder(label: "commit.batch.size", dimensions: [], aggregate: true).record(Int64(1_001))
        let text = registry.exposition()
        #expect(text.contains("commit_duration_seconds_bucket{le=\"0.0005\"} 1\n"))
        #expect(text.contains("commit_duration_seconds_bucket{le=\"10\"} 1\n"))
        #expect(text.contains("commit_batch_size_bucket{le=\"1000\"} 0\n"))
        #expect(text.contains("commit_batch_size_bucket{le=\"+Inf\"} 1\n"))
    }

    @Test("Meters, and recorders that do not aggregate, are gauges")
    func gauges() {
        let registry = PrometheusRegistry()
        let meter = registry.makeMeter(label: "active", dimensions: [])
        meter.set(Int64(5))
        meter.increment(by: 1.5)
        meter.decrement(by: 3)
        registry.makeRecorder(label: "depth", dimensions: [], aggregate: false).record(-7.25)
        #expect(
            lines(registry).filter { !$0.hasPrefix("# HELP") } == [
                "# TYPE active gauge", "active 3.5", "# TYPE depth gauge", "depth -7.25",
            ])
    }

    @Test("Whole and fractional increments of one counter are added, and none decreases it")
    func mixedIncrements() {
        let registry = PrometheusRegistry()
        registry.makeCounter(label: "n", dimensions: []).increment(by: 2)
        let floating = registry.makeFloatingPointCounter(label: "n", dimensions: [])
        floating.increment(by: 0.5)
        floating.increment(by: -9)
        floating.increment(by: .nan)
        registry.makeCounter(label: "n", dimensions: []).increment(by: -4)
        #expect(lines(registry).last == "n_total 2.5")
        floating.reset()
        #expect(lines(registry).last == "n_total 0")
    }

    @Test("Whole counts stay exact beyond the precision of a Double")
    func exactCounts() {
        let registry = PrometheusRegistry()
        registry.makeCounter(label: "n", dimensions: []).increment(by: 9_007_199_254_740_993)
        #expect(lines(registry).last == "n_total 9007199254740993")
    }

    @Test("Label values are escaped, and label names are made valid")
    func labels() {
        let registry = PrometheusRegistry()
        registry.makeMeter(label: "m", dimensions: [("http.route", "a\"b\\c\nd"), ("__x", "1"), ("0", "2")]).set(1.0)
        #expect(lines(registry).last == #"m{_0="2",_x="1",http_route="a\"b\\c\nd"} 1"#)
    }

    @Test("Labels with the same name show once, and a label with the name of a bucket's bound is renamed")
    func labelNames() {
        let registry = PrometheusRegistry(buckets: ["r": []])
        registry.makeRecorder(label: "r", dimensions: [("a.b", "1"), ("a_b", "2"), ("le", "3")], aggregate: true)
            .record(1.0)
        #expect(lines(registry).contains(#"r_bucket{a_b="1",exported_le="3",le="+Inf"} 1"#))
    }

    @Test("The same dimensions in any order give the same handler")
    func sameHandler() {
        let registry = PrometheusRegistry()
        let one = registry.makeCounter(label: "c", dimensions: [("a", "1"), ("b", "2")])
        let other = registry.makeCounter(label: "c", dimensions: [("b", "2"), ("a", "1")])
        #expect(one === other)
        #expect(one !== registry.makeCounter(label: "c", dimensions: [("a", "1")]))
    }

    @Test("Label sets above the limit share one series, and no count is lost")
    func cap() {
        let registry = PrometheusRegistry(maximumSeriesPerFamily: 2)
        for value in ["a", "b", "c", "d", "c"] {
            registry.makeCounter(label: "c", dimensions: [("k", value)]).increment(by: 1)
        }
        #expect(
            Array(lines(registry).suffix(3)) == [
                "c_total{k=\"a\"} 1", "c_total{k=\"b\"} 1", "c_total{overflow=\"true\"} 3",
            ])
        #expect(registry.exposition().contains("\nadattribution_metrics_series_dropped_total 3\n"))
    }

    @Test("A metric of another type with a used name works but is not shown")
    func takenName() {
        let registry = PrometheusRegistry()
        registry.makeCounter(label: "x", dimensions: []).increment(by: 1)
        registry.makeMeter(label: "x_total", dimensions: [("a", "b")]).set(5.0)
        registry.makeRecorder(label: "h", dimensions: [], aggregate: true).record(1.0)
        registry.makeMeter(label: "h_count", dimensions: []).set(5.0)
        registry.makeMeter(label: "t_seconds_sum", dimensions: []).set(5.0)
        registry.makeTimer(label: "t", dimensions: []).recordNanoseconds(1)
        let lines = lines(registry)
        #expect(
            lines.filter { $0.hasPrefix("# TYPE") } == [
                "# TYPE h histogram", "# TYPE t_seconds_sum gauge", "# TYPE x_total counter",
            ])
        #expect(!lines.contains { $0.contains("a=\"b\"") })
        #expect(registry.exposition().contains("\nadattribution_metrics_series_dropped_total 3\n"))
    }

    @Test("A destroyed metric is not shown, and counts from zero if it is made again")
    func destroyed() {
        let registry = PrometheusRegistry()
        let counter = registry.makeCounter(label: "c", dimensions: [])
        counter.increment(by: 3)
        registry.destroyCounter(counter)
        #expect(lines(registry).isEmpty)
        registry.makeCounter(label: "c", dimensions: []).increment(by: 1)
        #expect(lines(registry).last == "c_total 1")
    }

    @Test("Callbacks run before each scrape and may make metrics")
    func callbacks() {
        let registry = PrometheusRegistry()
        registry.onCollect { [unowned registry] in
            registry.makeMeter(label: "depth", dimensions: []).increment(by: 1)
        }
        #expect(lines(registry).last == "depth 1")
        #expect(lines(registry).last == "depth 2")
    }

    @Test("Infinity and NaN are written as Prometheus reads them, and do not change a sum")
    func notNumbers() {
        let registry = PrometheusRegistry(buckets: ["h": [1]])
        registry.makeMeter(label: "a", dimensions: []).set(Double.nan)
        registry.makeMeter(label: "b", dimensions: []).set(-Double.infinity)
        let histogram = registry.makeRecorder(label: "h", dimensions: [], aggregate: true)
        histogram.record(Double.nan)
        histogram.record(1.0)
        let lines = lines(registry)
        #expect(lines.contains("a NaN"))
        #expect(lines.contains("b -Inf"))
        #expect(lines.suffix(2) == ["h_sum 1", "h_count 1"])
    }

    @Test("The increments of many threads are all counted")
    func threads() async {
        let registry = PrometheusRegistry(buckets: ["r": [10]])
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<16 {
                group.addTask {
                    for round in 0..<1_000 {
                        let dimensions = [("task", "\(round % 4)")]
                        registry.makeCounter(label: "c", dimensions: dimensions).increment(by: 1)
                        registry.makeFloatingPointCounter(label: "f", dimensions: []).increment(by: 0.5)
                        registry.makeMeter(label: "g", dimensions: []).increment(by: 1)
                        registry.makeRecorder(label: "r", dimensions: [], aggregate: true).record(Int64(task))
                        if round % 250 == 0 { _ = registry.exposition() }
                    }
                }
            }
        }
        let lines = lines(registry)
        for task in 0..<4 { #expect(lines.contains("c_total{task=\"\(task)\"} 4000")) }
        #expect(lines.contains("f_total 8000"))
        #expect(lines.contains("g 16000"))
        #expect(lines.contains("r_bucket{le=\"10\"} 11000"))
        #expect(lines.contains("r_count 16000"))
        #expect(lines.contains("r_sum 120000"))
    }

    @Test("The registry works as the backend of swift-metrics")
    func backend() {
        let registry = PrometheusRegistry()
        Counter(label: "made", dimensions: [("by", "swift-metrics")], factory: registry).increment(by: 3)
        Timer(label: "took", dimensions: [], preferredDisplayUnit: .seconds, factory: registry).recordSeconds(2)
        Gauge(label: "level", dimensions: [], factory: registry).record(4)
        let lines = lines(registry)
        #expect(lines.contains("made_total{by=\"swift-metrics\"} 3"))
        #expect(lines.contains("took_seconds_sum 2"))
        #expect(lines.contains("level 4"))
    }
}
