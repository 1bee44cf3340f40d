import Metrics

/// One series of a histogram: a recorder in its own unit, or a timer in seconds.
///
/// An observation changes one bucket and the sum. Cumulative counts are computed when the text is written. `_count` is
/// the last of them, so it always equals the `+Inf` bucket.
final class PrometheusHistogram: RecorderHandler, TimerHandler {
    private let bounds: [Double]
    /// One bucket for each bound, and one for values above the last bound.
    private let buckets: [AtomicCount]
    private let sum = AtomicDouble()

    /// Makes an empty histogram.
    /// - Parameter bounds: Upper bounds, inclusive, ascending and finite.
    init(bounds: [Double]) {
        self.bounds = bounds
        self.buckets = (0...bounds.count).map { _ in AtomicCount() }
    }

    /// Half a millisecond to ten seconds for families in seconds, one to a thousand for others.
    static func defaultBounds(_ family: String) -> [Double] {
        family.hasSuffix(MetricKind.timer.suffix)
            ? [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
            : [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000]
    }

    func record(_ value: Int64) { observe(Double(value)) }

    func record(_ value: Double) { observe(value) }

    /// Records a time in nanoseconds.
    ///
    /// A negative time, which a clock that was set back can give, counts as zero.
    func recordNanoseconds(_ duration: Int64) { observe(Double(max(0, duration)) / 1e9) }

    private func observe(_ value: Double) {
        // After one NaN or infinity the sum would never be a number again.
        guard value.isFinite else { return }
        var place = 0
        while place < bounds.count, bounds[place] < value { place += 1 }
        buckets[place].add(1)
        sum.add(value)
    }
}

extension PrometheusHistogram: PrometheusSeries {
    func write(to exposition: inout ExpositionWriter, name: String, labels: LabelSet) {
        var cumulative: Int64 = 0
        for (index, bucket) in buckets.enumerated() {
            cumulative += bucket.value
            let bound = index < bounds.count ? bounds[index] : .infinity
            exposition.sample(
                name + "_bucket", labels: labels, bound: ExpositionWriter.number(bound), value: String(cumulative))
        }
        exposition.sample(name + "_sum", labels: labels, value: ExpositionWriter.number(sum.value))
        exposition.sample(name + "_count", labels: labels, value: String(cumulative))
    }
}
