/// The lines of an archive, counted by outcome.
package struct ImportCounts: Sendable, Equatable {
    /// New postbacks.
    package var accepted: Int64 = 0
    /// Deliveries that raised the value of a known postback.
    package var raised: Int64 = 0
    /// Deliveries of known postbacks that changed no value, conflicts included.
    package var duplicates: Int64 = 0
    /// Lines that are not a postback, not ours, not genuine, or that the database refused.
    package var refused: Int64 = 0

    /// Starts with zeros.
    package init() {}

    /// The number of all lines.
    package var total: Int64 { accepted + raised + duplicates + refused }

    /// Counts one outcome.
    mutating func count(_ outcome: DeliveryOutcome) {
        switch outcome {
        case .accepted: accepted += 1
        case .raised: raised += 1
        case .duplicate, .conflict: duplicates += 1
        }
    }

    /// The sum.
    package static func + (left: ImportCounts, right: ImportCounts) -> ImportCounts {
        var sum = left
        sum.accepted += right.accepted
        sum.raised += right.raised
        sum.duplicates += right.duplicates
        sum.refused += right.refused
        return sum
    }

    /// The difference.
    package static func - (left: ImportCounts, right: ImportCounts) -> ImportCounts {
        var difference = left
        difference.accepted -= right.accepted
        difference.raised -= right.raised
        difference.duplicates -= right.duplicates
        difference.refused -= right.refused
        return difference
    }
}
