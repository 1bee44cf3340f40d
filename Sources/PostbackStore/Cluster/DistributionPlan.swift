/// What distributing a database over a Citus cluster would do, and what speaks against it.
package struct DistributionPlan: Sendable, Equatable {
    /// The nodes that can have shards, as `name:port`.
    package internal(set) var workers: [String] = []
    /// Whether the tables are distributed already.
    package internal(set) var isDistributed = false
    /// The number of lanes that the database has.
    package internal(set) var presentLanes = 0
    /// The number of lanes, and of shards, that it will have.
    package internal(set) var lanes = 0
    /// Whether postbacks move to new lanes, because the number changes or two lanes would share a shard.
    package internal(set) var changesLanes = false
    /// The number of postbacks, as the daily figures have it.
    package internal(set) var postbacks: Int64 = 0
    /// Why it can't be done, in words.
    package internal(set) var refusals: [String] = []
    /// What would be better, in words.
    package internal(set) var advice: [String] = []

    /// The lanes for each worker, unless a number is asked for.
    package static let lanesPerWorker = 8

    init() {}

    /// Throws what speaks against it.
    package func check() throws(DistributionError) {
        guard refusals.isEmpty else { throw DistributionError(reasons: refusals) }
    }
}

/// Why a database can't be distributed, or put back.
package struct DistributionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// All reasons in words.
    package let reasons: [String]

    /// The reasons, one after the other.
    package var description: String { reasons.joined(separator: "; ") }
}

/// What distributing, or putting back, came to.
package struct DistributionResult: Sendable, Equatable {
    /// The rows of figures that differ from the postbacks, and did so before: 0 if all are right.
    package let differences: Int64
}

/// Distributing, or putting back, would have changed what the recount finds; nothing was changed.
package struct DistributionDifference: Error, Sendable, Equatable, CustomStringConvertible {
    /// The rows of figures that differed from the postbacks before.
    package let before: Int64
    /// Those that would have differed afterwards.
    package let after: Int64

    /// What happened.
    package var description: String {
        "the recount found \(before) rows that differ before, and others afterwards (\(after)); nothing was changed"
    }
}
