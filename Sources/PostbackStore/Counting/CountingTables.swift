import PostgresClient

/// The tables that a counting statement names, and what must hold of the lane.
struct CountingTables: Sendable {
    let state: String
    let bodies: String
    let log: String
    /// The log's partition of the day of writing, whose last position is read.
    let partition: String
    let laneDay: String
    /// The position before the first one of the day.
    let firstPosition: Int64
    /// If this does not hold, nothing is written.
    let condition: String

    /// The tables themselves.
    static func plain(_ day: PostgresDate, _ timeline: Timeline) -> CountingTables {
        CountingTables(
            state: "attribution.postback_state", bodies: "attribution.postback_body", log: "attribution.postback_log",
            partition: "attribution.\(WritingDay.logPartition(day))", laneDay: "attribution.lane_day",
            firstPosition: WritingDay.firstPosition(day),
            condition: "day = date '\(day)' AND \(Timeline.expression) = '\(timeline.text)'")
    }

    /// The shards of a lane, whose names `attribution.count_in_shard` fills in.
    static func shards(_ day: PostgresDate) -> CountingTables {
        CountingTables(
            state: "%1$s", bodies: "%2$s", log: "%3$s", partition: "%4$s", laneDay: "%5$s",
            firstPosition: WritingDay.firstPosition(day), condition: "day = date '\(day)'")
    }
}
