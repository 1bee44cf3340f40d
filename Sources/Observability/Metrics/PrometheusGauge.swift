import Metrics

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
