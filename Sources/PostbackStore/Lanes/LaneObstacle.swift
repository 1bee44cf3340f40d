import PostgresClient

/// A transaction of a lane did not do its work, for a reason that `LaneRetries` knows.
struct LaneObstacle: Error {
    let reason: LaneRetries.Reason
    /// What is thrown if the transaction does not run again.
    let error: any Error
}

extension LaneObstacle {
    /// The reason in an error of a site's connections; nil if the transaction does not run again after it.
    ///
    /// - Parameter form: The form of the site.
    init?(_ error: PostgresError, at form: LaneSite.Form) {
        guard let reason = Self.reason(in: error, at: form) else { return nil }
        self.init(reason: reason, error: error)
    }

    /// The lane's day of writing is another one.
    static let otherDay = LaneObstacle(reason: .otherDay, error: LaneError.noDay)
    /// Another timeline of the database has begun.
    static let otherTimeline = LaneObstacle(reason: .otherTimeline, error: OtherTimeline())

    private static func reason(in error: PostgresError, at form: LaneSite.Form) -> LaneRetries.Reason? {
        if error.isRetryableTransaction { return .collision }
        if error.isLaneHeld || error.isLaneMoved { return .laneHeld }
        switch form {
        case .plain: break
        case .worker(let shard, _):
            if shard.node.isUnreachable(after: error) { return .lostNode }
            if error.isOtherTopology { return .otherNode }
            if error.isConnectionLoss { return .cutOff }
        case .coordinator:
            if error.isOtherTimeline { return .otherTimeline }
        }
        return error.isMissingPartition ? .missingPartition : nil
    }
}

/// Why a lane can't be written to.
package enum LaneError: Error, CustomStringConvertible {
    /// The lane moved to another day again and again.
    case noDay
    /// The database answered for a delivery that was not in the batch.
    case unknownOrdinal

    /// The reason in words.
    package var description: String {
        switch self {
        case .noDay: "the lane is being moved to another day"
        case .unknownOrdinal: "the database answered for a delivery that was not in the batch"
        }
    }
}

extension PostgresError {
    /// Whether somebody else holds the lane, and the transaction must not wait for it on its connection.
    fileprivate var isLaneHeld: Bool {
        sqlState == .lockNotAvailable
            && [LaneStatements.tryLock, ShardStatements.hold, ShardStatements.count, ShardStatements.moveDay].contains {
                statement == $0.name
            }
    }

    /// Whether the partition of a day is missing: no such table, or no partition for a row.
    fileprivate var isMissingPartition: Bool {
        sqlState == .undefinedTable || (sqlState == .checkViolation && constraint == nil)
    }
}
