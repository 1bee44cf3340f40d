/// All series with one name.
struct MetricFamily {
    let name: String
    let help: String
    let type: String
    private let cap: Int
    private let make: @Sendable () -> any PrometheusSeries
    private var series: [LabelSet: any PrometheusSeries] = [:]
    private var overflow: (any PrometheusSeries)?

    /// Makes a family without series.
    /// - Parameters:
    ///   - cap: The greatest number of series. Further label sets share one with the label `overflow="true"`.
    ///   - make: Makes a series of this family's type.
    init(name: String, help: String, type: String, cap: Int, make: @escaping @Sendable () -> any PrometheusSeries) {
        self.name = name
        self.help = help
        self.type = type
        self.cap = cap
        self.make = make
    }

    /// The series of a label set, which is made if it is new.
    ///
    /// `isOwn` is false if it is the shared one.
    mutating func series(for labels: LabelSet) -> (series: any PrometheusSeries, isOwn: Bool) {
        if let known = series[labels] { return (known, true) }
        guard series.count < cap else {
            let shared = overflow ?? make()
            overflow = shared
            return (shared, false)
        }
        let new = make()
        series[labels] = new
        return (new, true)
    }

    /// Removes a series.
    ///
    /// Its label set then counts from zero again. The shared series is not removed.
    mutating func remove(_ handler: AnyObject) {
        series = series.filter { $0.value !== handler }
    }

    /// Writes the header and the series in the order of their labels, the shared one last.
    ///
    /// Without series it writes nothing.
    func write(to exposition: inout ExpositionWriter) {
        guard !series.isEmpty || overflow != nil else { return }
        exposition.head(name, help: help, type: type)
        for (labels, handler) in series.sorted(by: { $0.key < $1.key }) where overflow == nil || labels != .overflow {
            handler.write(to: &exposition, name: name, labels: labels)
        }
        overflow?.write(to: &exposition, name: name, labels: .overflow)
    }
}
