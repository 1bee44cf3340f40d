/// One series of a family, which can write its samples.
protocol PrometheusSeries: AnyObject, Sendable {
    /// Writes the samples of this series.
    func write(to exposition: inout ExpositionWriter, name: String, labels: LabelSet)
}
