/// The page that a server answers to `/metrics`.
struct MetricsPage: Sendable {
    let text: String

    /// The sum of all samples of a metric that have a label.
    func sum(of metric: String, with label: String) -> Double {
        text.split(separator: "\n").filter { $0.hasPrefix(metric + "{") && $0.contains(label) }
            .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }
            .reduce(0, +)
    }
}
