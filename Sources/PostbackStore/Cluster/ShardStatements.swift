import PostgresClient

/// The statements that work on a lane of a Citus cluster: on the worker that has it, or through the coordinator.
enum ShardStatements {
    /// Holds a lane and its shards on the node until the transaction ends.
    ///
    /// Each shard must have the lane and be on the node, else it fails with 55000. If somebody holds the lane and the
    /// statement must not wait, it fails with 55P03. Parameters: the lane, the shards, and whether to wait.
    static let hold = PostgresStatement(
        "shard_hold", "SELECT attribution.hold_shards($1::smallint, $2::bigint[], $3::boolean)")

    /// The log's partition of a day in a lane's shard, on any node: number and name; 42P01 if there is none.
    ///
    /// Parameters: the lane, and the name of the partition.
    static let partition = PostgresStatement(
        "shard_partition", "SELECT numbers[1], names[1] FROM attribution.lane_shards($1::smallint, ARRAY[$2::text])")

    /// The node and the shards of each lane, on any node.
    ///
    /// It reads the catalog in one snapshot, so the shards of a lane are of one moment. Parameter: the lanes.
    static let topology = PostgresStatement(
        "shard_topology",
        """
        SELECT lane, nodename, nodeport, numbers[1], numbers[2], numbers[3], numbers[4], numbers[5],
               names[1], names[2], names[3], names[4], names[5]
          FROM unnest($1::smallint[]) AS lane
         CROSS JOIN attribution.lane_shards(
                   lane, ARRAY['postback_state', 'postback_body', 'postback_log', 'lane_day', 'import_progress'])
          JOIN pg_dist_placement ON shardid = numbers[1]
          JOIN pg_dist_node USING (groupid)
         WHERE shardstate = 1 AND noderole = 'primary'
        """)

    /// Whether the node of this session is known to the cluster under this name.
    ///
    /// Parameters: its host and its port.
    static let isNode = PostgresStatement(
        "shard_node",
        """
        SELECT EXISTS (SELECT
                         FROM pg_dist_node
                         JOIN pg_dist_local_group USING (groupid)
                        WHERE nodename = $1 AND nodeport = $2)
        """)

    /// Whether a session allows writing; its commit is written to disk, and waits for a synchronous standby.
    static let checkWriting = PostgresStatement(
        "shard_check_writing",
        """
        SELECT current_setting('transaction_read_only') = 'off',
               pg_logical_emit_message(true, 'adattribution', ''::text)
        """)

    /// Whether the coordinator reaches the node that has a lane, in a session that allows writing; no batch waits for it.
    ///
    /// Parameter: the lane.
    static let checkLane = PostgresStatement(
        "shard_check_lane", "SELECT lane FROM attribution.lane_day WHERE lane = $1::smallint FOR KEY SHARE")

    /// The step that `hold` is.
    static func hold(_ lane: Int16, in shards: [Int64], waits: Bool) -> PostgresPipelineStep {
        var bindings = PostgresBindings()
        bindings.append(lane)
        bindings.append(shards)
        bindings.append(waits)
        return PostgresPipelineStep(hold, bindings)
    }
}

/// Those that the coordinator sends to the worker that has the lane.
///
/// Citus does so only if it knows the lane when it plans, so `begin` comes before each of them.
extension ShardStatements {
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
               $1::smallint, $2::uuid[], $3::smallint[], $4::smallint[], $5::boolean[], $6::integer[], $7::bigint[],
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

    /// The step that counts deliveries with a text of `CountingStatement`.
    ///
    /// - Parameter deliveries: The parameters of `DeliveryColumns`.
    static func count(
        _ deliveries: PostgresBindings, on day: PostgresDate, text: String, waits: Bool
    ) -> PostgresPipelineStep {
        var bindings = deliveries
        bindings.append(text)
        bindings.append(WritingDay.logPartition(day))
        bindings.append(waits)
        return PostgresPipelineStep(count, bindings)
    }
}

extension PostgresError {
    /// Whether a standby of the coordinator has taken over since the dimensions were read.
    var isOtherTimeline: Bool { sqlState?.code == ShardStatements.anotherTimeline }

    /// Whether the lane was being moved to another node: the next try through the coordinator finds it there.
    var isLaneMoved: Bool {
        sqlState?.code == "55000"
            && [ShardStatements.count, ShardStatements.moveDay].map(\.name).contains(statement)
    }

    /// Whether the node is not the one that has the lane, or has it in other tables, so that nothing was written.
    var isOtherTopology: Bool {
        switch sqlState?.code {
        // Citus has no code of its own for a shard that it does not know any more.
        case "55000", "XX000": statement == ShardStatements.hold.name
        case "42P01": statement != ShardStatements.partition.name
        default: isReadOnlySession
        }
    }
}
