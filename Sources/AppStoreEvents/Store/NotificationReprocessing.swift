/// The quarantined notifications that were verified again, counted by outcome.
package struct NotificationReprocessing: Sendable, Equatable, CustomStringConvertible {
    /// New notifications.
    package internal(set) var accepted = 0
    /// Deliveries of known notifications.
    package internal(set) var duplicates = 0
    /// Bodies that are still refused, and stay in the quarantine.
    package internal(set) var refused = 0
    /// Bodies that verified but were refused by the database, and stay in the quarantine.
    package internal(set) var failed = 0

    /// Begins without any.
    package init() {}

    mutating func count(_ outcome: NotificationOutcome) {
        switch outcome {
        case .accepted: accepted += 1
        case .duplicate: duplicates += 1
        }
    }

    /// The numbers with their names.
    package var counts: [(name: String, count: Int64)] {
        [("accepted", accepted), ("duplicates", duplicates), ("refused", refused), ("failed", failed)]
            .map { ($0.0, Int64($0.1)) }
    }

    /// The numbers in one line.
    package var description: String {
        "notifications moved in: \(accepted) accepted, \(duplicates) duplicate; left: \(refused) still refused"
            + (failed > 0 ? ", \(failed) refused by the database" : "")
    }
}
