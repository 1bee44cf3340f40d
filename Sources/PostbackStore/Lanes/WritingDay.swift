package import PostgresClient

/// A day of writing in the schema: the name of its partition of the log, and its positions.
package enum WritingDay {
    /// 2000-01-01 to 9999-12-31, in days since 2000: a name of a partition has room for four digits of the year.
    package static let possible: ClosedRange<Int32> = 0...2_921_939

    /// The name of the day's partition of the log.
    package static func logPartition(_ day: PostgresDate) -> String {
        logPartitionPrefix + day.description.filter { $0 != "-" }
    }

    /// The day of a partition of the log; nil if the name is not that of one.
    package static func day(ofLogPartition name: String) -> PostgresDate? {
        guard name.hasPrefix(logPartitionPrefix) else { return nil }
        let digits = name.dropFirst(logPartitionPrefix.count)
        guard digits.count == 8 else { return nil }
        return PostgresDate("\(digits.prefix(4))-\(digits.dropFirst(4).prefix(2))-\(digits.suffix(2))")
    }

    /// The name of the day's partition of the bodies.
    package static func bodyPartition(_ day: PostgresDate) -> String {
        "postback_body_" + day.description.filter { $0 != "-" }
    }

    private static let logPartitionPrefix = "postback_log_"

    /// The position before the first one of the day: days since 2000-01-01 in the upper 32 bits.
    package static func firstPosition(_ day: PostgresDate) -> Int64 {
        Int64(day.daysSince2000) << 32
    }

    /// The day of a position.
    package static func day(of position: Int64) -> PostgresDate {
        PostgresDate(daysSince2000: Int32(truncatingIfNeeded: position >> 32))
    }
}
