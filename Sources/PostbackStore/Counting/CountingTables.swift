import PostgresClient

/// The names of the tables that have the rows of a lane.
struct LaneTables: Sendable {
    let state: String
    let bodies: String
    let log: String
    let laneDay: String
    let importProgress: String

    /// The tables themselves.
    static let plain = LaneTables(
        state: "attribution.postback_state", bodies: "attribution.postback_body", log: "attribution.postback_log",
        laneDay: "attribution.lane_day", importProgress: "attribution.import_progress")
}

/// The tables that a counting statement names, and what must hold of the lane.
struct CountingTables: Sendable {
    let lane: LaneTables
    /// The log's partition of the day of writing, whose last position is read.
    let partition: String
    /// The position before the first one of the day.
    let firstPosition: Int64
    /// If this does not hold, nothing is written.
    let condition: String

    private init(_ lane: LaneTables, partition: String, on day: PostgresDate, and condition: String = "true") {
        self.lane = lane
        self.partition = partition
        firstPosition = WritingDay.firstPosition(day)
        self.condition = "day = date '\(day)' AND \(condition)"
    }

    /// The tables themselves.
    static func plain(_ day: PostgresDate, _ timeline: Timeline) -> CountingTables {
        CountingTables(
            .plain, partition: "attribution.\(WritingDay.logPartition(day))", on: day,
            and: "\(Timeline.expression) = '\(timeline.text)'")
    }

    /// The shards of a lane, for a session with the node that has them.
    static func shards(_ tables: LaneTables, partition: String, _ day: PostgresDate) -> CountingTables {
        CountingTables(tables, partition: partition, on: day)
    }

    /// The shards of a lane, whose names `attribution.count_in_shard` fills in.
    static func namedInShard(_ day: PostgresDate) -> CountingTables {
        CountingTables(
            LaneTables(
                state: "%1$s", bodies: "%2$s", log: "%3$s", laneDay: "%5$s",
                importProgress: LaneTables.plain.importProgress),
            partition: "%4$s", on: day)
    }
}

/// The statements that count a batch with these tables.
struct CountingStatements: Sendable {
    private let tables: CountingTables
    /// Counts a round.
    let count: PostgresStatement

    init(_ policy: ConversionPolicy, _ tables: CountingTables) {
        self.tables = tables
        count = CountingStatement.statement(policy, tables)
    }

    /// Counts repeated conflicts of postbacks.
    var repeatedConflicts: PostgresStatement { CountingStatement.repeatedConflicts(tables) }
}
