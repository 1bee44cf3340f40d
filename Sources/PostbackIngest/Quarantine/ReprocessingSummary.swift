import PostbackStore

/// The bodies that were verified again, counted by outcome.
package struct ReprocessingSummary: Sendable, Equatable, CustomStringConvertible {
    /// New postbacks.
    package internal(set) var accepted = 0
    /// Deliveries that raised the value of a known postback.
    package internal(set) var raised = 0
    /// Deliveries of known postbacks that changed no value, conflicts included.
    package internal(set) var duplicates = 0
    /// Bodies that are still refused, and stay in the quarantine.
    package internal(set) var refused = 0
    /// Bodies that verified but were refused by the database, and stay in the quarantine.
    package internal(set) var failed = 0

    mutating func count(_ outcome: DeliveryOutcome) {
        switch outcome {
        case .accepted: accepted += 1
        case .raised: raised += 1
        case .duplicate, .conflict: duplicates += 1
        }
    }

    /// The numbers with their names.
    package var counts: [(name: String, count: Int64)] {
        [
            ("accepted", accepted), ("raised", raised), ("duplicates", duplicates), ("refused", refused),
            ("failed", failed),
        ].map { ($0.0, Int64($0.1)) }
    }

    /// The numbers in one line.
    package var description: String {
        "moved in: \(accepted) accepted, \(raised) raised, \(duplicates) duplicate; left: \(refused) still refused"
            + (failed > 0 ? ", \(failed) refused by the database" : "")
    }
}
