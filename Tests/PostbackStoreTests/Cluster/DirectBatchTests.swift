import AdAttribution
import Foundation
import PostgresClient
import TestSupport
import Testing

@testable import PostbackStore

@Suite(
    "Batches on the worker that has the lane",
    .enabled(if: TestEnvironment.hasCluster, TestEnvironment.clusterReason))
struct DirectBatchTests {
    private let deliveries: Deliveries

    init() throws {
        deliveries = try Deliveries()
    }

    /// The number of batches by form, and the nodes that have lanes.
    private func batches(_ store: PostbackStore) throws -> (forms: [ClusterBatches.Form: Int], nodes: Set<String>) {
        let batches = try #require(store.cluster).batches
        return (batches.reduce(into: [:]) { $0[$1.key.form, default: 0] += $1.value }, Set(batches.keys.map(\.node)))
    }

    @Test("Batches go to both workers and not through the coordinator, also those of an import and of many rounds")
    func direct() async throws {
        let offers = try deliveries.offers([.fine(1), .coarse(.high), .coarse(.low), .coarse(.low), .fine(2)])
        let many = try deliveries.many(60)
        try await CitusCluster.withDistributedDatabase(lanes: 4) { database in
            try await database.withStore { store in
                #expect(try await store.record(many).areAll(.accepted))
                let outcomes = try await store.record(offers).map { try $0.get() }
                #expect(outcomes == [.accepted, .conflict, .conflict, .conflict, .raised])
                #expect(try await store.record(many).areAll(.duplicate))

                var progress = try await store.importProgress(
                    fingerprint: [1], file: "a", size: 10, time: Deliveries.time)
                let entries = try deliveries.many(20).map { ImportPart.Entry($0, end: 10) }
                try await store.record(
                    ImportPart(entries: entries, end: 10, lines: 20, refused: 0, time: Deliveries.time), &progress)
                #expect(progress.counts.accepted == 20)
                let (forms, nodes) = try batches(store)
                #expect(forms == [.direct: 13])
                #expect(nodes == Set(try (0...1).map { "\(try CitusCluster.folder(ofWorker: $0)):5432" }))
            }
            #expect(try await database.column("SELECT sum(accepted) FROM attribution.import_progress") == ["20"])
            #expect(try await database.counts() == "81 82 85")
            #expect(try await database.recount() == [])
        }
    }

    @Test("Rows of another shard, and a shard of another node, are refused, and nothing is stored")
    func otherShard() async throws {
        try await CitusCluster.withDistributedDatabase(lanes: 4) { database in
            let store = try database.store()
            #expect(try await store.record(try deliveries.many(40)).areAll(.accepted))
            let (lanes, day) = (try await store.lanes(), store.today)
            let cluster = try #require(store.cluster)
            var shards: [LaneShard] = []
            for lane in lanes.lanes {
                shards.append(try #require(await cluster.shard(of: lane.number, lanes).shard))
            }
            let counts = try await database.counts()
            for (index, shard) in shards.enumerated() {
                let lane = lanes.lanes[index].number
                let delivery = try deliveries.many(1, lane: index, of: lanes)
                let ids = try await store.dimensionIDs(of: delivery)[0].get()
                let transaction = BatchTransaction(BatchDeliveries(delivery, [ids]), of: lane)
                for (otherIndex, other) in shards.enumerated() where otherIndex != index {
                    // The tables and the numbers of another lane on its own node; the right ones on another node.
                    var chosen = [other]
                    if other.node !== shard.node { chosen.append(shard) }
                    for chosen in chosen {
                        let (lock, statements) = try await chosen.counting(
                            store.policy, on: day, at: LaneSite(chosen, readings: 0))
                        let steps = BatchSteps(
                            LaneLock(lane: lane, shards: lock.shards), statements, in: chosen.tables)
                        let obstacle = await #expect(throws: LaneObstacle.self) {
                            try await transaction.write(at: LaneSite(other, readings: 0), steps)
                        }
                        // If the tables are not on the node, the statement can't even be prepared.
                        #expect(obstacle?.reason == .otherNode)
                    }
                }
            }
            #expect(try await database.counts() == counts)
        }
    }

    /// Moves so many shards to the other worker.
    private func move(_ count: Int, shardsOf database: TestDatabase, _ mode: String) async throws {
        let folders = try (0...1).map { try CitusCluster.folder(ofWorker: $0) }
        let shards = try await database.column(
            """
            SELECT concat_ws(' ', shardid, nodename)
              FROM pg_dist_placement
              JOIN pg_dist_node USING (groupid)
              JOIN pg_dist_shard USING (shardid)
             WHERE logicalrelid = 'attribution.postback_state'::regclass
             ORDER BY random()
             LIMIT \(count)
            """
        ).compactMap { $0?.split(separator: " ").map(String.init) }
        try #require(shards.count == count)
        for shard in shards {
            let target = try #require(folders.first { $0 != shard[1] })
            try await database.run(
                """
                SELECT citus_move_shard_placement(
                    \(shard[0]), '\(shard[1])', 5432, '\(target)', 5432, shard_transfer_mode := '\(mode)')
                """)
        }
    }

    @Test("While lanes move between the workers, each batch is counted once")
    func moves() async throws {
        try await CitusCluster.withDistributedDatabase(lanes: 4) { database in
            try await database.withStore { store in
                // The dimensions are there.
                #expect(try await store.record(try deliveries.many(20)).areAll(.accepted))
                let moving = Task<(any Error)?, Never> {
                    do {
                        for mode in ["block_writes", "force_logical", "block_writes"] {
                            try await move(2, shardsOf: database, mode)
                        }
                        return nil
                    } catch {
                        return error
                    }
                }
                var recorded = 20
                var batches = 0
                while true {
                    let isLast = await moving.value(within: .zero) != nil
                    let many = try deliveries.many(24)
                    #expect(try await store.record(many).areAll(.accepted))
                    if batches % 5 == 0 { #expect(try await store.record(many).areAll(.duplicate)) }
                    recorded += many.count
                    batches += 1
                    if isLast { break }
                }
                if let error = await moving.value { throw error }
                #expect(try await database.value("SELECT count(*) FROM attribution.postback_state") == "\(recorded)")
                #expect(try await database.value("SELECT count(*) FROM attribution.postback_log") == "\(recorded)")
                let forms = try self.batches(store).forms
                #expect(forms[.direct, default: 0] > forms[.coordinator, default: 0])
                #expect(try #require(store.cluster).readings > 1)
            }
            #expect(try await database.recount() == [])
        }
    }

    @Test("A worker is reached at the address that is given, and through the coordinator if it is not there")
    func addresses() async throws {
        try await CitusCluster.withDistributedDatabase(lanes: 4) { database in
            let folders = try (0...1).map { try CitusCluster.folder(ofWorker: $0) }
            let nodes = folders.map { "\($0):5432" }
            let link = FileManager.default.temporaryDirectory.appending(path: "worker-\(UUID().uuidString)").path()
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folders[0])
            defer { try? FileManager.default.removeItem(atPath: link) }
            var batch = try deliveries.many(40)
            for (addresses, forms) in [
                ("\(nodes[0])=\(link):5432", [ClusterBatches.Form.direct, .direct]),
                // Nobody answers; another node answers; nobody can be reached.
                ("\(nodes[0])=\(link):5433", [.coordinator, .direct]),
                ("\(nodes[0])=\(nodes[1])", [.coordinator, .direct]),
                ("\(nodes[0])=/nowhere:1,\(nodes[1])=/nowhere:1", [.coordinator, .coordinator]),
            ] {
                try await database.withStore(workers: try WorkerAddresses(addresses)) { store in
                    #expect(try await store.record(batch).areAll(.accepted))
                    let batches = try #require(store.cluster).batches
                    #expect(Set(batches.keys) == Set(zip(nodes, forms).map { ClusterBatches(node: $0, form: $1) }))
                }
                batch = try deliveries.many(40)
            }
            #expect(try await database.value("SELECT count(*) FROM attribution.postback_state") == "160")
            #expect(try await database.recount() == [])
        }
    }

    @Test(
        "A delivery that a constraint of the operator refuses fails alone, on a worker and through the coordinator",
        arguments: ["postback_state", "postback_log"])
    func refused(_ table: String) async throws {
        let batches = try (0...1).map { _ in try deliveries.many(40) }
        let refused = batches.map { "'\($0[6].transactionID)'" }.joined(separator: ",")
        try await CitusCluster.withDistributedDatabase(lanes: 2) { database in
            try await database.run(
                "ALTER TABLE attribution.\(table) ADD CONSTRAINT refusal CHECK (transaction_id NOT IN (\(refused)))")
            let nodes = try (0...1).map { "\(try CitusCluster.folder(ofWorker: $0)):5432" }
            // At these addresses nobody can be reached.
            let nowhere = try WorkerAddresses(nodes.map { "\($0)=/nowhere:1" }.joined(separator: ","))
            let expected: [DeliveryOutcome?] = (0..<40).map { $0 == 6 ? nil : .accepted }
            for (batch, workers, form) in [
                (batches[0], WorkerAddresses(), ClusterBatches.Form.direct), (batches[1], nowhere, .coordinator),
            ] {
                try await database.withStore(workers: workers) { store in
                    let outcomes = await store.record(batch).map { try? $0.get() }
                    #expect(outcomes == expected)
                    let forms = try self.batches(store).forms
                    #expect(Set(forms.keys) == [form])
                }
            }
            #expect(try await database.value("SELECT count(*) FROM attribution.postback_state") == "78")
            #expect(try await database.recount() == [])
        }
    }

    @Test("If the coordinator has another timeline, numbers of dimensions are forgotten, although no batch asks for it")
    func timeline() async throws {
        let first = try deliveries.many(40)
        try await CitusCluster.withDistributedDatabase(lanes: 4) { database in
            let store = try database.store()
            #expect(try await store.record(first).areAll(.accepted))
            let keys = first.map { DimensionKeys($0.verified, store.versions.traitColumns) }
            let known = store.dimensions.known(of: DimensionRows(of: keys))
            let (present, former) = (store.dimensions.timeline, Timeline(text: "FFFFFFFF"))
            store.dimensions.begin(former)
            store.dimensions.add(known, on: former)
            let deadline = ContinuousClock.now + .seconds(600)
            while store.dimensions.timeline == former, ContinuousClock.now < deadline {
                #expect(try await store.record(try deliveries.many(8)).areAll(.accepted))
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(store.dimensions.timeline == present)
        }
    }

    /// Records a batch, and cancels each wait of it for the standby.
    private func recordWithoutStandby(
        _ batch: [PostbackDelivery], to store: PostbackStore, _ worker: TestDatabase
    ) async throws -> [Result<DeliveryOutcome, any Error>] {
        let recording = Task { await store.record(batch) }
        while true {
            if let results = await recording.value(within: .milliseconds(20)) { return results }
            try await worker.run(
                """
                SELECT pg_cancel_backend(pid) FROM pg_stat_activity
                 WHERE wait_event = 'SyncRep' AND query LIKE '-- postback_count%' AND datname = current_database()
                """)
        }
    }

    private func expectNotReplicated(_ results: [Result<DeliveryOutcome, any Error>]) {
        for result in results {
            let error = #expect(throws: PostgresError.self) { try result.get() }
            #expect(error?.code == .notReplicated)
        }
    }

    @Test("A commit of a worker whose wait for the standby was cancelled is not acknowledged")
    func notReplicated() async throws {
        try await OwnCitusCluster.with { _ in
            try await CitusCluster.withDistributedDatabase(lanes: 2) { database in
                let store = try database.store()
                #expect(try await store.record(try deliveries.many(20)).areAll(.accepted))
                let (lanes, worker) = (try await store.lanes(), try CitusCluster.worker(0, of: database))
                let name = "\(try CitusCluster.folder(ofWorker: 0)):5432"
                var places: [Int] = []
                for (index, lane) in lanes.lanes.enumerated() {
                    let shard = await store.cluster?.shard(of: lane.number, lanes).shard
                    if shard?.node.name.description == name { places.append(index) }
                }
                let place = try #require(places.first)
                try await worker.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
                try await worker.run("SELECT pg_reload_conf()")
                // PostgreSQL takes the setting over a moment later, perhaps behind the commit of a first batch.
                let batch = try await eventually("a commit waits for the standby") {
                    let batch = try deliveries.many(3, lane: place, of: lanes)
                    let results = try await recordWithoutStandby(batch, to: store, worker)
                    if (try? results.areAll(.accepted)) == true { return nil as [PostbackDelivery]? }
                    expectNotReplicated(results)
                    return batch
                }
                // These are duplicates, which the standby may lack.
                expectNotReplicated(try await recordWithoutStandby(batch, to: store, worker))
                try await worker.run("ALTER SYSTEM RESET synchronous_standby_names")
                try await worker.run("SELECT pg_reload_conf()")
                try await eventually("duplicates are acknowledged") {
                    (try? await store.record(batch).areAll(.duplicate)) == true ? true : nil
                }
            }
        }
    }
}
