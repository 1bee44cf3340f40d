/// The labels of one series as text, with valid names in sorted order.
///
/// Equal sets have equal text.
struct LabelSet: Hashable, Comparable {
    /// `name="value",…` without braces; empty if there are no labels.
    let text: String

    /// The labels of the series for all label sets above the limit of a family.
    static let overflow = LabelSet([("overflow", "true")])

    /// Makes labels from the dimensions of a metric.
    ///
    /// If two have the same name, the first one is used.
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

    /// A valid label name: without a colon, not `le`, which is for buckets, and not beginning with two underscores,
    /// which are reserved.
    private static func validName(_ name: String) -> String {
        let valid = MetricName.sanitised(name, colons: false)
        if valid == "le" { return "exported_le" }
        return valid.hasPrefix("__") ? "_" + valid.drop { $0 == "_" } : valid
    }
}
