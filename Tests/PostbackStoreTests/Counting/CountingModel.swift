@testable import PostbackStore

/// The rules of counting once, in memory and as plainly as can be: what the store is held against.
struct CountingModel {
    struct Row: Equatable {
        var first: Int?
        var current: Int?
        var conflicts = 0
    }

    let policy: ConversionPolicy
    private(set) var rows: [String: Row] = [:]

    init(_ policy: ConversionPolicy) {
        self.policy = policy
    }

    mutating func deliver(_ key: String, _ value: Int?) -> DeliveryOutcome {
        guard var row = rows[key] else {
            rows[key] = Row(first: value, current: value)
            return .accepted
        }
        guard (value ?? -1) > (row.current ?? -1) else { return .duplicate }
        switch policy {
        case .monotonic:
            row.current = value
            rows[key] = row
            return .raised
        case .first:
            row.conflicts += 1
            rows[key] = row
            return .conflict
        }
    }
}
