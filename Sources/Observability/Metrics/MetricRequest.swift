/// What a caller asked for, byte for byte.
///
/// A known series is found quickly with this key.
struct MetricRequest: Hashable {
    let kind: MetricKind
    let label: String
    let dimensions: [(String, String)]

    static func == (one: MetricRequest, other: MetricRequest) -> Bool {
        one.kind == other.kind && one.label == other.label
            && one.dimensions.elementsEqual(other.dimensions) { $0 == $1 }
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(label)
        for (name, value) in dimensions {
            hasher.combine(name)
            hasher.combine(value)
        }
    }
}
