import ArgumentParser

/// A group of figures that is measured together.
enum BenchGroup: String, CaseIterable, ExpressibleByArgument, Sendable {
    case sign
    case verify
    case parse
    case store
    case cpu
    case http
    case `import`
    case impressions
    case lanes
    case growth
    case snapshot
    case export
    case cluster
    case forward
    case appStore = "app-store"
    case cardinalityHTTP = "cardinality-http"
    case cardinalityStore = "cardinality-store"
    case cardinalityGrowth = "cardinality-growth"

    /// The groups that compare many sources with few.
    private static let cardinality: [Self] = [.cardinalityHTTP, .cardinalityStore, .cardinalityGrowth]

    /// Whether it is measured if nothing else is asked for.
    ///
    /// The others take long.
    var isUsual: Bool {
        switch self {
        case .sign, .verify, .parse, .store, .cpu, .http, .import, .impressions: true
        case .lanes, .growth, .snapshot, .export, .cluster, .forward, .appStore: false
        case .cardinalityHTTP, .cardinalityStore, .cardinalityGrowth: false
        }
    }

    /// Whether some of its figures are measured beside the baseline commit.
    var needsBaselineCommit: Bool {
        switch self {
        case .verify, .store, .cpu, .http, .import, .lanes, .growth: true
        case .sign, .parse, .impressions, .snapshot, .export, .cluster, .forward, .appStore: false
        case .cardinalityHTTP, .cardinalityStore, .cardinalityGrowth: false
        }
    }

    /// What a list may name: each group, and `cardinality` for its three.
    static let names = allCases.map(\.rawValue) + ["cardinality"]

    /// Reads a list such as `sign,verify`.
    ///
    /// - Returns: The groups in their usual order, or nil if one does not exist.
    static func list(_ text: String) -> [BenchGroup]? {
        var listed: Set<BenchGroup> = []
        for name in text.split(separator: ",") {
            if name == "cardinality" {
                listed.formUnion(cardinality)
            } else if let group = BenchGroup(rawValue: String(name)) {
                listed.insert(group)
            } else {
                return nil
            }
        }
        return listed.isEmpty ? nil : allCases.filter(listed.contains)
    }
}
