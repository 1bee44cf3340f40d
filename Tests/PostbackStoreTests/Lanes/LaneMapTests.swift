import Foundation
import PostgresClient
import TestSupport
import Testing

@testable import DatabaseSchema
@testable import PostbackStore

@Suite("Lanes")
struct LaneMapTests {
    @Test("Equal shares cover each hash once, and differ by one hash at most")
    func equalShares() throws {
        for count in 1...1_024 {
            let lanes = LaneMap.equalShares(count)
            #expect(lanes.map(\.number) == Array(0..<Int16(count)))
            #expect(try LaneMap(lanes).count == count)
            let sizes = Set(lanes.map(\.hashes.count))
            #expect(try #require(sizes.max()) - #require(sizes.min()) <= 1)
        }
    }

    @Test("Shares with gaps, overlaps or missing ends are refused")
    func holes() {
        let shares: [[ClosedRange<UInt32>]] = [
            [], [0...9], [1 ... .max], [0...9, 11 ... .max], [0...9, 9 ... .max], [0 ... .max, 0 ... .max],
            [0 ... .max, 5...6], [0...9, 10...(.max - 1)], [0...9, 20...29, 30 ... .max],
        ]
        for hashes in shares {
            let lanes = hashes.enumerated().map { LaneMap.Lane(number: Int16($0.offset), hashes: $0.element) }
            #expect(throws: SchemaError.lanes) { try LaneMap(lanes) }
        }
    }

    @Test("A transaction id belongs to the lane that holds its hash, whatever the order of the rows")
    func index() throws {
        for count in [1, 2, 3, 7, 64, 1_024] {
            let map = try LaneMap(LaneMap.equalShares(count).shuffled())
            for _ in 0..<500 {
                let transaction = UUID()
                let lane = map.lanes[map.index(of: transaction)]
                #expect(lane.hashes.contains(TransactionHash(transaction).value))
            }
        }
    }

    @Test("A lane's number need not be its place")
    func numbers() throws {
        let map = try LaneMap([
            LaneMap.Lane(number: 7, hashes: 0...0x7FFF_FFFF), LaneMap.Lane(number: 3, hashes: 0x8000_0000 ... .max),
        ])
        #expect(map.lanes.map(\.number) == [7, 3])
        #expect(map.index(of: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))) == 0)
    }
}

@Suite("Lanes in the database", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason))
struct StoredLaneTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current
    private let deliveries: Deliveries

    init() throws {
        deliveries = try Deliveries()
    }

    @Test("The hash of a transaction id is the same in the database", .database)
    func hash() async throws {
        var transactions = (0..<500).map { _ in UUID() }
        for text in [
            "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
            "80000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000001",
            "ffffffff-0000-0000-0000-000000000000", "01234567-89ab-cdef-fedc-ba9876543210",
            "7fffffff-ffff-ffff-8000-000000000000", "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28",
        ] {
            transactions.append(try #require(UUID(uuidString: text)))
        }
        let list = transactions.map { "'\($0)'" }.joined(separator: ",")
        let stored = try await database.column(
            """
            SELECT attribution.transaction_hash(id)
              FROM unnest(ARRAY[\(list)]::uuid[]) WITH ORDINALITY AS ids (id, place) ORDER BY place
            """)
        #expect(stored == transactions.map { "\(TransactionHash($0).value)" })
    }

    @Test("State, body and log of a postback are in the lane of its hash", arguments: [1, 2, 5, 64])
    func rows(_ lanes: Int) async throws {
        let batch = try deliveries.many(200)
        try await TestDatabase.with(lanes: lanes) { database in
            try await database.withStore { store in
                for result in await store.record(batch) { _ = try result.get() }
            }
            #expect(try await database.counts() == "200 200 200")
            for table in ["postback_state", "postback_body", "postback_log"] {
                let elsewhere = try await database.value(
                    """
                    SELECT count(*) FROM attribution.\(table) AS stored
                      JOIN attribution.lane ON attribution.transaction_hash(stored.transaction_id)
                                               BETWEEN lane.first_hash AND lane.last_hash
                     WHERE stored.lane <> lane.lane
                    """)
                #expect(elsewhere == "0")
            }
            let used = try await database.value("SELECT count(DISTINCT lane) > 1 FROM attribution.postback_state")
            #expect(used == (lanes > 1 ? "true" : "false"))
            #expect(try await database.recount() == [])
        }
    }

    @Test("Rows of lanes that leave a gap are refused, and nothing is recorded", .database)
    func gap() async throws {
        let batch = try deliveries.many(3)
        try await database.run("UPDATE attribution.lane SET last_hash = last_hash - 1 WHERE lane = 0")
        try await database.withStore { store in
            await #expect(throws: SchemaError.lanes) { try await store.lanes() }
            for result in await store.record(batch) {
                #expect(throws: SchemaError.lanes) { try result.get() }
            }
        }
        #expect(try await database.counts() == "0 0 0")
    }

    @Test("A lane that another session has locked does not block another lane", .database(lanes: 2))
    func heldLane() async throws {
        let lanes = try await store.lanes()
        let held = try deliveries.many(3, lane: 0, of: lanes)
        let free = try deliveries.many(3, lane: 1, of: lanes)
        let gate = Gate()
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await database.withPool(size: 1) { pool in
                    try await Self.hold(lane: 0, pool, gate)
                }
            }
            try await gate.waitUntilHeld()
            let waiting = Task { await store.record(held, lane: 0) }
            #expect(try await store.record(free, lane: 1).map { try $0.get() } == [.accepted, .accepted, .accepted])
            #expect(try await database.counts() == "3 3 3")
            gate.release()
            try await group.waitForAll()
            #expect(try await waiting.value.map { try $0.get() } == [.accepted, .accepted, .accepted])
        }
        #expect(try await database.counts() == "6 6 6")
    }

    private static func hold(lane: Int32, _ pool: PostgresPool, _ gate: Gate) async throws {
        try await pool.withTransaction("hold") { connection in
            try connection.execute(script: "SELECT pg_advisory_xact_lock(742100164, \(lane))")
            gate.held()
            gate.waitForRelease()
        }
    }

    @Test(
        "Batches that wait for a lane see what was written meanwhile, whatever the database's default isolation is",
        .database(lanes: 1))
    func isolation() async throws {
        let offers = try deliveries.offers([.fine(5), .fine(5), .fine(5)])
        let first = try deliveries.one()
        try await database.run(
            """
            DO $$ BEGIN
                EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = ''repeatable read''',
                               current_database());
            END $$
            """)
        try await database.withStore { store in
            _ = try await store.record([first])[0].get()
            let gate = Gate()
            let outcomes: [DeliveryOutcome] = try await withThrowingTaskGroup(of: DeliveryOutcome?.self) { group in
                group.addTask {
                    try await database.withPool(size: 1) { try await Self.hold(lane: 0, $0, gate) }
                    return nil
                }
                try await gate.waitUntilHeld()
                for offer in offers { group.addTask { try await store.record([offer], lane: 0)[0].get() } }
                try await database.waitForWaiters(offers.count)
                gate.release()
                return try await group.reduce(into: []) { if let outcome = $1 { $0.append(outcome) } }
            }
            #expect(outcomes.count { $0 == .accepted } == 1)
            #expect(outcomes.count { $0 == .duplicate } == 2)
        }
        #expect(try await database.counts() == "2 2 2")
        #expect(try await database.recount() == [])
    }
}
