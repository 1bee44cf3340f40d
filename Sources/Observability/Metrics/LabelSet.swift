/// The labels of one series, names made valid, sorted and written out: equal sets have equal text.
struct LabelSet: Hashable, Comparable {
    /// `name="value",…` without braces; empty where there are none.
    let text: String

    /// The series that takes what the cap of a family keeps out.
    static let overflow = LabelSet([("overflow", "true")])

    /// Labels from the dimensions of a metric; of two with one name the first stays.
    init(_ dimensions: [(String, String)]) {
        var values: [String: String] = [:]
        for (name, value) in dimensions {
            let name = Self.validName(name)
            values[name] = values[name] ?? value
        }
        text = values.sorted { $0.key < $1.key }
            .map { "\($0.key)=\"\(ExpositionWriter.escaped($0.value, quotes: true))\"" }
            .joined(separator: ",")
    }

    static func < (one: LabelSet, other: LabelSet) -> Bool { one.text < other.text }

    /// A label name: no colon, and neither `le`, which buckets need, nor the reserved two underscores in front.
    private static func validName(_ name: String) -> String {
        let valid = MetricName.sanitised(name, colons: false)
        if valid == "le" { return "exported_le" }
        return valid.hasPrefix("__") ? "_" + valid.drop { $0 == "_" } : valid
    }
}
