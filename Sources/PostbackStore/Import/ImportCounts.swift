/// What became of the lines of an archive.
public struct ImportCounts: Sendable, Equatable {
    /// Counted as new postbacks.
    public var accepted: Int64 = 0
    /// Raised the value of a postback that was there.
    public var raised: Int64 = 0
    /// Known postbacks, with nothing new or with a value that was ignored.
    public var duplicates: Int64 = 0
    /// No postback, not ours, not genuine, or refused by the database.
    public var refused: Int64 = 0

    /// None yet.
    public init() {}

    /// All of them.
    public var total: Int64 { accepted + raised + duplicates + refused }

    /// Counts one outcome.
    mutating func count(_ outcome: DeliveryOutcome) {
        switch outcome {
        case .accepted: accepted += 1
        case .raised: raised += 1
        case .duplicate, .conflict: duplicates += 1
        }
    }

    /// Adds up.
    public static func + (left: ImportCounts, right: ImportCounts) -> ImportCounts {
        var sum = left
        sum.accepted += right.accepted
        sum.raised += right.raised
        sum.duplicates += right.duplicates
        sum.refused += right.refused
        return sum
    }

    /// The difference.
    public static func - (left: ImportCounts, right: ImportCounts) -> ImportCounts {
        var difference = left
        difference.accepted -= right.accepted
        difference.raised -= right.raised
        difference.duplicates -= right.duplicates
        difference.refused -= right.refused
        return difference
    }
}
