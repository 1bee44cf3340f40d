/// A metric handler that can show itself: one label set of one family.
protocol PrometheusSeries: AnyObject, Sendable {
    /// Writes the samples of this series.
    func write(to exposition: inout ExpositionWriter, name: String, labels: LabelSet)
}
