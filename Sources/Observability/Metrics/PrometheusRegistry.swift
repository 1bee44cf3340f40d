package import Metrics
import Synchronization

/// Metrics for Prometheus: the backend of swift-metrics, and the text that a scrape reads.
///
/// The same label and dimensions, in any order, give the same handler. Increments take no lock. Making a metric and
/// writing the text take one for a short time. Names are made valid (dots become underscores). Counters end with
/// `_total`. Timers are histograms in seconds and end with `_seconds`.
///
/// A family has a bounded number of series. Further label sets share one with the label `overflow="true"`, so no count
/// is lost, and each request for one is counted in `adattribution_metrics_series_dropped_total`. If another family of
/// another type has the name of a metric, the metric works but is not shown, and is counted there too.
package final class PrometheusRegistry: MetricsFactory {
    /// The media type of `exposition()`.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private struct State {
        /// The series by what was asked for.
        ///
        /// The look-up needs no valid names, because libraries make metrics for each request.
        var known: [MetricRequest: any PrometheusSeries] = [:]
        var families: [String: MetricFamily] = [:]
        /// The family that writes a sample name.
        var owners: [String: String] = [:]
        var collectors: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    private let dropped = PrometheusCounter()
    private let buckets: [String: [Double]]
    private let help: [String: String]
    private let maximumSeries: Int

    /// Makes an empty registry.
    /// - Parameters:
    ///   - buckets: Upper bounds of a histogram's buckets, by the family's label or shown name. The default is half a
    ///     millisecond to ten seconds for timers and one to a thousand for recorders.
    ///   - help: The text after `# HELP`, by the family's label or shown name. The default is the label.
    ///   - maximumSeriesPerFamily: The greatest number of label sets of one family.
    package init(
        buckets: [String: [Double]] = [:], help: [String: String] = [:], maximumSeriesPerFamily: Int = 1_000
    ) {
        self.buckets = buckets.mapValues { Set($0.filter(\.isFinite)).sorted() }
        self.help = help
        self.maximumSeries = max(1, maximumSeriesPerFamily)
        let name = MetricName.family("adattribution_metrics_series_dropped", kind: .counter)
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

    /// Registers a closure that runs before each scrape, for gauges whose values are read then.
    package func onCollect(_ update: @escaping @Sendable () -> Void) {
        state.withLock { $0.collectors.append(update) }
    }

    /// The text of a scrape: families in the order of their names, series in the order of their labels.
    package func exposition() -> String {
        // Outside the lock, because the closures ask the registry for metrics.
        for update in state.withLock({ $0.collectors }) { update() }
        let families = state.withLock { Array($0.families.values) }
        var writer = ExpositionWriter()
        for family in families.sorted(by: { $0.name < $1.name }) {
            family.write(to: &writer)
        }
        return writer.text
    }

    /// The series for a request, which is made if it is new.
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

    /// Makes a family if it is new; false if its name, or that of one of its samples, belongs to another family.
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
        // The names are computed only if a series is new.
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

    /// A histogram, or a gauge if the recorder does not aggregate.
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

    /// Removes a counter.
    package func destroyCounter(_ handler: any CounterHandler) { remove(handler) }

    /// Removes a counter.
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { remove(handler) }

    /// Removes a gauge.
    package func destroyMeter(_ handler: any MeterHandler) { remove(handler) }

    /// Removes a recorder.
    package func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }

    /// Removes a timer.
    package func destroyTimer(_ handler: any TimerHandler) { remove(handler) }
}

/// What a caller asked for, byte for byte.
///
/// A known series is found quickly with this key.
private struct MetricRequest: Hashable {
    let kind: MetricKind
    let label: String
    let dimensions: [(String, String)]

    static func == (one: MetricRequest, other: MetricRequest) -> Bool {
        one.kind == other.kind && one.label == other.label
            && one.dimensions.elementsEqual(other.dimensions) { $0 == $1 }
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(label)
        for (name, value) in dimensions {
            hasher.combine(name)
            hasher.combine(value)
        }
    }
}
