import PostbackStore

/// What became of the bodies that were verified again.
package struct ReprocessingSummary: Sendable, Equatable, CustomStringConvertible {
    /// Counted as new postbacks.
    package internal(set) var accepted = 0
    /// Raised the value of a postback that was there.
    package internal(set) var raised = 0
    /// Known postbacks, with nothing new or with a value that was ignored.
    package internal(set) var duplicates = 0
    /// Still refused, and left where they are.
    package internal(set) var refused = 0
    /// Verified, but refused by the database; left where they are.
    package internal(set) var failed = 0

    mutating func count(_ outcome: DeliveryOutcome) {
        switch outcome {
        case .accepted: accepted += 1
        case .raised: raised += 1
        case .duplicate, .conflict: duplicates += 1
        }
    }

    /// The numbers in one line.
    package var description: String {
        "moved in: \(accepted) accepted, \(raised) raised, \(duplicates) duplicate; left: \(refused) still refused"
            + (failed > 0 ? ", \(failed) refused by the database" : "")
    }
}
