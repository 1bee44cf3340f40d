/// The kind of a metric.
///
/// It decides the ending of the name and the type that is shown.
enum MetricKind: Hashable {
    case counter
    case gauge
    case histogram
    case timer

    /// The ending that the family's name must have.
    var suffix: String {
        switch self {
        case .counter: "_total"
        case .timer: "_seconds"
        case .gauge, .histogram: ""
        }
    }

    /// The word after `# TYPE`.
    var type: String {
        switch self {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram, .timer: "histogram"
        }
    }

    /// The names of the samples that a family of this kind writes.
    func sampleNames(_ family: String) -> [String] {
        switch self {
        case .counter, .gauge: [family]
        case .histogram, .timer: [family, family + "_bucket", family + "_sum", family + "_count"]
        }
    }
}
