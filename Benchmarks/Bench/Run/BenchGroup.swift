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
    case cardinality

    /// Whether it is measured if nothing else is asked for.
    ///
    /// The others take long.
    var isUsual: Bool {
        switch self {
        case .sign, .verify, .parse, .store, .cpu, .http, .import, .impressions: true
        case .lanes, .growth, .snapshot, .export, .cluster, .cardinality: false
        }
    }

    /// Whether some of its figures are measured beside the baseline commit.
    var needsBaselineCommit: Bool {
        switch self {
        case .verify, .store, .cpu, .http, .import, .lanes, .growth: true
        case .sign, .parse, .impressions, .snapshot, .export, .cluster, .cardinality: false
        }
    }

    /// Reads a list such as `sign,verify`.
    ///
    /// - Returns: The groups in their usual order, or nil if one does not exist.
    static func list(_ text: String) -> [BenchGroup]? {
        let groups = text.split(separator: ",").map { BenchGroup(rawValue: String($0)) }
        guard !groups.isEmpty, !groups.contains(nil) else { return nil }
        return allCases.filter { groups.contains($0) }
    }
}
