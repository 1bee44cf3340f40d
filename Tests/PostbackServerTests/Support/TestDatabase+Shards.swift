import PostgresClient
import TestSupport
import Testing

extension TestDatabase {
    /// The lanes of a distributed database, in order.
    func openLanes() async throws -> [String] {
        try await column("SELECT lane FROM attribution.lane WHERE NOT is_closed ORDER BY lane").compactMap { $0 }
    }

    /// Whether a worker sends what is written meanwhile in a shard that is being moved.
    func isMovingShard() async throws -> Bool {
        try await value(
            """
            SELECT bool_or(result <> '0')
              FROM run_command_on_workers(
                  'SELECT count(*) FROM pg_replication_slots WHERE active AND database = current_database()')
            """) == "true"
    }

    /// Moves the shard that has a lane to the other worker of the cluster, while it is written.
    func moveShard(ofLane lane: String) async throws {
        let move = try #require(
            try await value(
                """
                SELECT format('SELECT citus_move_shard_placement(%s, %L, %s, %L, %s, ''force_logical'')', shardid,
                              source.nodename, source.nodeport, target.nodename, target.nodeport)
                  FROM pg_dist_placement
                  JOIN pg_dist_node AS source USING (groupid)
                  JOIN pg_dist_node AS target ON target.groupid NOT IN (0, source.groupid)
                 WHERE shardid = get_shard_id_for_distribution_column('attribution.postback_state', \(lane)::smallint)
                """))
        // It waits for all transactions of the worker, also those of other tests.
        try await withSession { session in
            try await session.execute(script: "SET statement_timeout = '20min'")
            try await session.execute(script: move)
        }
    }
}
