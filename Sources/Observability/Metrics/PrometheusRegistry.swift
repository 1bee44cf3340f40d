package import Metrics
import Synchronization

/// Metrics for Prometheus: the backend of swift-metrics, and the text that a scrape reads.
///
/// The same label and dimensions, in whatever order, give the same handler. Incrementing takes no lock; making a metric
/// and writing the text do, for a moment. Names are made valid (dots become underscores), counters end in `_total`,
/// timers are histograms in seconds and end in `_seconds`.
///
/// A family holds a bounded number of series: further label sets share one labelled `overflow="true"`, so that nothing
/// counted is lost, and each request for one adds to `metrics_series_dropped_total`. So does a metric whose name another
/// family of another type holds already; it works, but is not shown.
package final class PrometheusRegistry: MetricsFactory {
    /// The media type of `exposition()`.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private struct State {
        /// What was asked for, as it was asked for: a look-up without making names valid, since frameworks make metrics
        /// for each request.
        var known: [MetricRequest: any PrometheusSeries] = [:]
        var families: [String: MetricFamily] = [:]
        /// Sample name to the family that writes it.
        var owners: [String: String] = [:]
        var collectors: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    private let dropped = PrometheusCounter()
    private let buckets: [String: [Double]]
    private let help: [String: String]
    private let maximumSeries: Int

    /// An empty registry.
    /// - Parameters:
    ///   - buckets: Upper bounds of a histogram's buckets by family, under its label or the name shown; by default
    ///     half a millisecond to ten seconds for timers and one to a thousand for recorders.
    ///   - help: The text behind `# HELP`, by family likewise; by default the label.
    ///   - maximumSeriesPerFamily: The most label sets of one family.
    package init(
        buckets: [String: [Double]] = [:], help: [String: String] = [:], maximumSeriesPerFamily: Int = 1_000
    ) {
        self.buckets = buckets.mapValues { Set($0.filter(\.isFinite)).sorted() }
        self.help = help
        self.maximumSeries = max(1, maximumSeriesPerFamily)
        let name = MetricName.family("metrics_series_dropped", kind: .counter)
        let dropped = dropped
        state.withLock { state in
            var family = MetricFamily(
                name: name, help: help[name] ?? "Requests for a metric that its family's cap or type refused.",
                type: MetricKind.counter.type, cap: 1, make: { dropped })
            _ = family.series(for: LabelSet([]))
            state.families[name] = family
            state.owners[name] = name
        }
    }

    /// Registers a closure that every scrape runs first, for gauges that are read rather than kept.
    package func onCollect(_ update: @escaping @Sendable () -> Void) {
        state.withLock { $0.collectors.append(update) }
    }

    /// The text of a scrape: families by name, series by labels, a newline at the end.
    package func exposition() -> String {
        // Outside the lock, since what they update asks the registry for its metrics.
        for update in state.withLock({ $0.collectors }) { update() }
        let families = state.withLock { Array($0.families.values) }
        var writer = ExpositionWriter()
        for family in families.sorted(by: { $0.name < $1.name }) {
            family.write(to: &writer)
        }
        return writer.text
    }

    /// The series for a request, made where it is new.
    private func series<Series: PrometheusSeries>(
        _ request: MetricRequest, make: @escaping @Sendable () -> Series
    ) -> Series {
        state.withLock { state in
            if let known = state.known[request] as? Series { return known }
            let name = MetricName.family(request.label, kind: request.kind)
            guard claim(name, for: request, make: make, in: &state) else {
                dropped.increment(by: Int64(1))
                return make()
            }
            guard let (found, isOwn) = state.families[name]?.series(for: LabelSet(request.dimensions)),
                let series = found as? Series
            else { return make() }
            if isOwn {
                state.known[request] = series
            } else {
                dropped.increment(by: Int64(1))
            }
            return series
        }
    }

    /// Makes a family where it is new; false where its name, or that of one of its samples, belongs to another.
    private func claim(
        _ name: String, for request: MetricRequest, make: @escaping @Sendable () -> any PrometheusSeries,
        in state: inout State
    ) -> Bool {
        if let family = state.families[name] { return family.type == request.kind.type }
        let samples = request.kind.sampleNames(name)
        guard samples.allSatisfy({ state.owners[$0] == nil }) else { return false }
        for sample in samples { state.owners[sample] = name }
        let help = help[name] ?? help[request.label] ?? request.label
        state.families[name] = MetricFamily(
            name: name, help: help, type: request.kind.type, cap: maximumSeries, make: make)
        return true
    }

    private func remove(_ handler: AnyObject) {
        state.withLock { state in
            state.known = state.known.filter { $0.value !== handler }
            for name in state.families.keys {
                state.families[name]?.remove(handler)
            }
        }
    }

    private func histogram(_ request: MetricRequest) -> PrometheusHistogram {
        // The names are worked out only where a series is new.
        series(request) { [buckets] in
            let name = MetricName.family(request.label, kind: request.kind)
            let bounds = buckets[name] ?? buckets[request.label] ?? PrometheusHistogram.defaultBounds(name)
            return PrometheusHistogram(bounds: bounds)
        }
    }
}

extension PrometheusRegistry {
    /// The counter of a label and its dimensions.
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(MetricRequest(kind: .counter, label: label, dimensions: dimensions)) { PrometheusCounter() }
    }

    /// The counter of a label and its dimensions, for fractions; the same as `makeCounter` gives.
    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(MetricRequest(kind: .counter, label: label, dimensions: dimensions)) { PrometheusCounter() }
    }

    /// The gauge of a label and its dimensions.
    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(MetricRequest(kind: .gauge, label: label, dimensions: dimensions)) { PrometheusGauge() }
    }

    /// A histogram, or a gauge where the recorder does not aggregate.
    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        guard aggregate else {
            return series(MetricRequest(kind: .gauge, label: label, dimensions: dimensions)) { PrometheusGauge() }
        }
        return histogram(MetricRequest(kind: .histogram, label: label, dimensions: dimensions))
    }

    /// A histogram in seconds.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        histogram(MetricRequest(kind: .timer, label: label, dimensions: dimensions))
    }

    /// Takes a counter out of the text.
    package func destroyCounter(_ handler: any CounterHandler) { remove(handler) }

    /// Takes a counter out of the text.
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { remove(handler) }

    /// Takes a gauge out of the text.
    package func destroyMeter(_ handler: any MeterHandler) { remove(handler) }

    /// Takes a recorder out of the text.
    package func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }

    /// Takes a timer out of the text.
    package func destroyTimer(_ handler: any TimerHandler) { remove(handler) }
}
