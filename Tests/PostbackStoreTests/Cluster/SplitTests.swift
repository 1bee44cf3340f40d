import AdAttribution
import PostgresClient
import TestSupport
import Testing

@testable import PostbackStore

/// A split gives each table of a lane a new shard, in one transaction.
///
/// The old ones stay for some seconds. Then Citus drops them, with all that is in them.
@Suite(
    "Lanes whose shards are split",
    .enabled(if: TestEnvironment.hasCluster, TestEnvironment.clusterReason))
struct SplitTests {
    private let deliveries: Deliveries

    init() throws {
        deliveries = try Deliveries()
    }

    /// Splits the shard of a lane in the middle, on the worker that has it.
    private func split(_ lane: Int16, of database: TestDatabase) async throws {
        try await database.run(
            """
            SELECT citus_split_shard_by_split_points(
                       shardid, ARRAY[((shardminvalue::bigint + shardmaxvalue::bigint) / 2)::text],
                       ARRAY[nodeid, nodeid], 'block_writes')
              FROM attribution.lane_shards(\(lane)::smallint, ARRAY['postback_state'])
              JOIN pg_dist_shard ON shardid = numbers[1]
              JOIN pg_dist_placement USING (shardid)
              JOIN pg_dist_node USING (groupid)
            """)
    }

    /// The shards of the lanes of a store, as a session reads them.
    private func shards(_ store: PostbackStore, _ lanes: LaneMap) async throws -> [[Int64]] {
        let numbers = lanes.lanes.map(\.number)
        let places = try await store.pool.withConnection { try ClusterTopology.read(of: numbers, over: $0) }.places
        return try numbers.map { try #require(places[$0]?.shards) }
    }

    @Test("The places of a lane that a session reads are of one moment, also while a split is being committed")
    func oneMoment() async throws {
        try await CitusCluster.withDistributedDatabase(lanes: 2) { database in
            try await database.withStore { store in
                let lanes = try await store.lanes()
                let splitting = Task<Result<Set<[Int64]>, any Error>, Never> {
                    do {
                        var moments = Set(try await shards(store, lanes))
                        for number in 0..<12 {
                            try await split(lanes.lanes[number % 2].number, of: database)
                            moments.formUnion(try await shards(store, lanes))
                        }
                        return .success(moments)
                    } catch {
                        return .failure(error)
                    }
                }
                // Citus reads again about one table only, as in a session that has not used this table before.
                let forgetting = Task {
                    while !Task.isCancelled {
                        try await store.pool.withConnection {
                            _ = try $0.query(
                                PostgresStatement(
                                    "forget_table",
                                    """
                                    UPDATE pg_dist_partition SET colocationid = colocationid
                                     WHERE logicalrelid = 'attribution.postback_state'::regclass
                                    """))
                        }
                    }
                }
                let read = try await withThrowingTaskGroup(of: Set<[Int64]>.self) { group in
                    for _ in 0..<2 {
                        group.addTask {
                            var read: Set<[Int64]> = []
                            while await splitting.value(within: .zero) == nil {
                                read.formUnion(try await shards(store, lanes))
                            }
                            return read
                        }
                    }
                    return try await group.reduce(into: Set<[Int64]>()) { $0.formUnion($1) }
                }
                forgetting.cancel()
                let moments = try await splitting.value.get()
                #expect(moments.count == 14)
                #expect(read.subtracting(moments) == [])
                #expect(read.count > 2)
            }
        }
    }

    @Test("A batch is refused, and nothing is stored, if one of its tables is the one from before a split")
    func olderTable() async throws {
        try await CitusCluster.withDistributedDatabase(lanes: 2) { database in
            try await database.withStore { store in
                #expect(try await store.record(try deliveries.many(20)).areAll(.accepted))
                let (lanes, cluster) = (try await store.lanes(), try #require(store.cluster))
                let lane = lanes.lanes[0].number
                let day = try #require(store.shared.days.day(of: lane, today: store.today))
                let old = try #require(await cluster.shard(of: lane, lanes).shard)
                let oldPartition = try await old.logPartition(of: day, at: LaneSite(old, readings: 0))
                try await split(lane, of: database)
                await cluster.read(lanes, after: cluster.readings)
                let new = try #require(await cluster.shard(of: lane, lanes).shard)
                let newPartition = try await new.logPartition(of: day, at: LaneSite(new, readings: 0))
                let (newShards, oldShards) = (try #require(new.lock.shards), try #require(old.lock.shards))
                #expect(Set(oldShards).isDisjoint(with: newShards))

                let delivery = try deliveries.many(1, lane: 0, of: lanes)
                let ids = try await store.dimensionIDs(of: delivery)[0].get()
                let transaction = BatchTransaction(BatchDeliveries(delivery, [ids]), of: lane)
                let counts = try await database.counts()
                /// Writes into the new tables, but for those of these indices. The last one is the log's partition.
                func write(older: Set<Int>) async throws -> [DeliveryOutcome]? {
                    func choose<Value>(_ index: Int, _ new: Value, _ old: Value) -> Value {
                        older.contains(index) ? old : new
                    }
                    let (before, now) = (old.tables, new.tables)
                    let tables = LaneTables(
                        state: choose(0, now.state, before.state),
                        bodies: choose(1, now.bodies, before.bodies),
                        log: choose(2, now.log, before.log),
                        laneDay: choose(3, now.laneDay, before.laneDay),
                        importProgress: choose(4, now.importProgress, before.importProgress))
                    let shards = zip(newShards, oldShards).enumerated()
                        .map { choose($0.offset, $0.element.0, $0.element.1) }
                    let partition = choose(5, newPartition, oldPartition)
                    let lock = LaneLock(lane: lane, shards: shards + [partition.shard])
                    let statements = CountingStatements(
                        store.policy, .shards(tables, partition: partition.name, day))
                    return try await transaction.write(
                        at: LaneSite(new, readings: 0), BatchSteps(lock, statements, in: tables))
                }
                for index in 0...5 {
                    let obstacle = await #expect(throws: LaneObstacle.self) { try await write(older: [index]) }
                    #expect(obstacle?.reason == .otherNode, "table \(index)")
                }
                #expect(try await database.counts() == counts)
                #expect(try await write(older: []) == [.accepted])
                #expect(try await store.record(try deliveries.many(20)).areAll(.accepted))
            }
            #expect(try await database.recount() == [])
        }
    }
}
