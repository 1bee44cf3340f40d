/// All series of one name.
struct MetricFamily {
    let name: String
    let help: String
    let type: String
    private let cap: Int
    private let make: @Sendable () -> any PrometheusSeries
    private var series: [LabelSet: any PrometheusSeries] = [:]
    private var overflow: (any PrometheusSeries)?

    /// A family without series.
    /// - Parameters:
    ///   - cap: The most series; more label sets share one that is labelled `overflow="true"`.
    ///   - make: Makes a series of this family's type.
    init(name: String, help: String, type: String, cap: Int, make: @escaping @Sendable () -> any PrometheusSeries) {
        self.name = name
        self.help = help
        self.type = type
        self.cap = cap
        self.make = make
    }

    /// The series of a label set, made where it is new; `isOwn` is false where the cap made it share one.
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

    /// Forgets a series, so that its label set counts from zero and its place is free again; the shared one stays.
    mutating func remove(_ handler: AnyObject) {
        series = series.filter { $0.value !== handler }
    }

    /// Writes head and series, in the order of their labels, the shared one last; nothing where there is none.
    func write(to exposition: inout ExpositionWriter) {
        guard !series.isEmpty || overflow != nil else { return }
        exposition.head(name, help: help, type: type)
        for (labels, handler) in series.sorted(by: { $0.key < $1.key }) where overflow == nil || labels != .overflow {
            handler.write(to: &exposition, name: name, labels: labels)
        }
        overflow?.write(to: &exposition, name: name, labels: .overflow)
    }
}
