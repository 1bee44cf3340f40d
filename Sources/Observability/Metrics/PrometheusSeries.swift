import Metrics
import Synchronization

/// One series of a family, which can write its samples.
protocol PrometheusSeries: AnyObject, Sendable {
    /// Writes the samples of this series.
    func write(to exposition: inout ExpositionWriter, name: String, labels: LabelSet)
}

/// One series of a counter.
///
/// Whole increments stay exact beyond 2^53.
final class PrometheusCounter: CounterHandler, FloatingPointCounterHandler {
    private let whole = AtomicCount()
    private let fraction = AtomicDouble()

    /// Adds a whole amount.
    ///
    /// A negative one is ignored, because a counter never decreases.
    func increment(by amount: Int64) {
        guard amount > 0 else { return }
        whole.add(amount)
    }

    /// Adds an amount.
    ///
    /// One that is negative or not finite is ignored.
    func increment(by amount: Double) {
        guard amount > 0, amount.isFinite else { return }
        fraction.add(amount)
    }

    /// Sets the counter to zero.
    ///
    /// Prometheus treats this as a restart.
    func reset() {
        whole.reset()
        fraction.set(0)
    }
}

extension PrometheusCounter: PrometheusSeries {
    func write(to exposition: inout ExpositionWriter, name: String, labels: LabelSet) {
        let added = fraction.value
        let text = added == 0 ? String(whole.value) : ExpositionWriter.number(Double(whole.value) + added)
        exposition.sample(name, labels: labels, value: text)
    }
}

/// One series of a gauge: a meter, or a recorder that does not aggregate.
final class PrometheusGauge: MeterHandler, RecorderHandler {
    private let current = AtomicDouble()

    func set(_ value: Int64) { current.set(Double(value)) }

    func set(_ value: Double) { current.set(value) }

    func increment(by amount: Double) { current.add(amount) }

    func decrement(by amount: Double) { current.add(-amount) }

    func record(_ value: Int64) { current.set(Double(value)) }

    func record(_ value: Double) { current.set(value) }
}

extension PrometheusGauge: PrometheusSeries {
    func write(to exposition: inout ExpositionWriter, name: String, labels: LabelSet) {
        exposition.sample(name, labels: labels, value: ExpositionWriter.number(current.value))
    }
}

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

/// A count that many threads add to without a lock.
///
/// It is a class, because an `Atomic` can't be an element of an array.
final class AtomicCount: Sendable {
    private let count = Atomic<Int64>(0)

    /// The count at this moment.
    var value: Int64 { count.load(ordering: .relaxed) }

    /// Adds to the count.
    ///
    /// It wraps at overflow and does not trap.
    func add(_ amount: Int64) {
        count.wrappingAdd(amount, ordering: .relaxed)
    }

    /// Sets the count to zero.
    func reset() {
        count.store(0, ordering: .relaxed)
    }
}

/// A floating-point number that many threads add to without a lock.
final class AtomicDouble: Sendable {
    private let bits = Atomic<UInt64>(0)

    /// The value at this moment.
    var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    /// Replaces the value.
    func set(_ value: Double) {
        bits.store(value.bitPattern, ordering: .relaxed)
    }

    /// Adds to the value.
    func add(_ amount: Double) {
        var old = bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + amount).bitPattern
            let (exchanged, current) = bits.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
            if exchanged { return }
            old = current
        }
    }
}
