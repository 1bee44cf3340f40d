import TestSupport

@testable import AdAttribution
@testable import PostbackStore

/// The rules of `CountingModel` for values of both kinds, with all that a row keeps of them.
struct ValueKindModel {
    struct Row {
        let first: ReportedConversionValue
        var current: ReportedConversionValue
        var previous = ReportedConversionValue.none
        var raisedBy: Int?
        var conflicts = 0

        /// The row as `ValueKindTests` reads it out of the database.
        var text: String {
            "\(first.text) \(current.text) \(previous.text) \(raisedBy.map(String.init) ?? "-") \(conflicts)"
        }
    }

    let policy: ConversionPolicy
    private(set) var rows: [String: Row] = [:]

    init(_ policy: ConversionPolicy) {
        self.policy = policy
    }

    mutating func deliver(_ key: String, _ value: ReportedConversionValue, arrival: Int) -> DeliveryOutcome {
        guard var row = rows[key] else {
            rows[key] = Row(first: value, current: value)
            return .accepted
        }
        defer { rows[key] = row }
        let isHigher: Bool
        switch (row.current, value) {
        case (_, .none): return .duplicate
        case (.none, _): isHigher = true
        case (.fine(let old), .fine(let new)): isHigher = new > old
        case (.coarse(let old), .coarse(let new)): isHigher = new > old
        case (.fine, .coarse), (.coarse, .fine):
            row.conflicts += 1
            return .conflict
        }
        guard isHigher else { return .duplicate }
        guard policy == .monotonic else {
            row.conflicts += 1
            return .conflict
        }
        row.previous = row.current
        row.current = value
        row.raisedBy = arrival
        return .raised
    }
}
