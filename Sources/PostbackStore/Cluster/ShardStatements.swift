import PostgresClient

/// The statements that work on a lane of a Citus cluster: the coordinator sends them to the worker that has the lane.
///
/// Citus does so only if it knows the lane when it plans, so `begin` comes before each of them.
enum ShardStatements {
    /// Fails with `anotherTimeline` unless the coordinator has this timeline, and makes plans for the values of their
    /// parameters until the transaction ends.
    static let begin = PostgresStatement(
        "shard_begin",
        """
        SELECT set_config('plan_cache_mode', 'force_custom_plan', true),
               CASE WHEN \(Timeline.expression) = $1 THEN true ELSE attribution.refuse_timeline() END
        """)

    /// The code of the error of `attribution.refuse_timeline`.
    static let anotherTimeline = "AA001"

    /// Counts a round.
    ///
    /// Parameters: those of `DeliveryColumns`, the text of the counting statement, the log's partition of the day, and
    /// whether to wait for the lane.
    static let count = PostgresStatement(
        "shard_count",
        """
        SELECT ordinal, event, confirmed
          FROM attribution.count_in_shard(
               $1::smallint, $2::uuid[], $3::smallint[], $4::smallint[], $5::boolean[], $6::integer[], $7::integer[],
               $8::integer[], $9::smallint[], $10::timestamptz[], $11::inet[], $12::text[], $13::text[], $14::text,
               $15::text, $16::boolean)
        """)

    /// Moves a lane's day of writing forward, and returns the new one.
    ///
    /// Parameters: the lane, the day, and whether to wait for the lane.
    static let moveDay = PostgresStatement(
        "shard_move_day",
        "SELECT * FROM attribution.move_day_in_shard($1::smallint, $2::date, $3::boolean) AS moved (day)")

    /// The step that `begin` is.
    static func begin(on timeline: Timeline) -> PostgresPipelineStep {
        var bindings = PostgresBindings()
        bindings.append(timeline.text)
        return PostgresPipelineStep(begin, bindings)
    }

    /// The step that counts deliveries of a lane with a text of `CountingStatement`.
    static func count(
        _ deliveries: [CountedDelivery], of lane: Int16, on day: PostgresDate, text: String, waits: Bool
    ) -> PostgresPipelineStep {
        var bindings = DeliveryColumns.bindings(lane, deliveries)
        bindings.append(text)
        bindings.append(WritingDay.logPartition(day))
        bindings.append(waits)
        return PostgresPipelineStep(count, bindings)
    }
}

extension PostgresError {
    /// Whether a standby of the coordinator has taken over since the dimensions were read.
    var isOtherTimeline: Bool { sqlState?.code == ShardStatements.anotherTimeline }

    /// Whether the lane was being moved to another node: the next try finds it there.
    var isLaneMoved: Bool {
        sqlState?.code == "55000"
            && [ShardStatements.count, ShardStatements.moveDay].map(\.name).contains(statement)
    }
}
