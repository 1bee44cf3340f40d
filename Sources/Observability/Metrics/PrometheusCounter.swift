import Metrics

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
