import Metrics
import Synchronization

/// Gauges of one family whose label sets come and go: one that is not set any more is not shown any more.
final class GaugeSet: Sendable {
    private let label: String
    private let names: [String]
    private let gauges = Mutex<[[String]: Gauge]>([:])

    /// No gauges yet.
    /// - Parameters:
    ///   - label: The family.
    ///   - names: The names of the labels.
    init(_ label: String, by names: String...) {
        (self.label, self.names) = (label, names)
    }

    /// Shows these and no others.
    ///
    /// - Parameter values: The values of the labels, in the order of their names, and what to show.
    func record(_ values: [([String], Double)]) {
        gauges.withLock { gauges in
            let known = Set(values.map { $0.0 })
            for (labels, gauge) in gauges where !known.contains(labels) {
                gauge.destroy()
                gauges[labels] = nil
            }
            for (labels, value) in values {
                let gauge = gauges[labels] ?? Gauge(label: label, dimensions: Array(zip(names, labels)))
                gauge.record(value)
                gauges[labels] = gauge
            }
        }
    }
}
