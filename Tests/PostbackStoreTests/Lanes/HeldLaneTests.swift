import PostgresClient
import TestSupport
import Testing

@testable import PostbackStore

@Suite("Lanes that somebody else holds", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason))
struct HeldLaneTests {
    private let database = TestDatabase.current

    /// Lends a session that holds some lanes.
    @discardableResult
    private func holding<T>(
        _ lanes: Range<Int>, of database: TestDatabase, _ body: (PostgresConnection) async throws -> T
    ) async throws -> T {
        var configuration = database.configuration
        configuration.statementTimeout = .seconds(600)
        let session = try await PostgresConnection.connect(configuration, logger: .silent)
        do {
            try await session.execute(
                script:
                    "SELECT pg_advisory_lock(742100164, lane) FROM generate_series(\(lanes.lowerBound), \(lanes.upperBound - 1)) AS lane"
            )
            let value = try await body(session)
            await session.close()
            return value
        } catch {
            await session.close()
            throw error
        }
    }

    @Test(
        "With fewer connections than lanes, batches of held lanes leave one to those of free lanes",
        .database(lanes: 6), arguments: [2, 3])
    func fewConnections(connections: Int) async throws {
        let deliveries = try Deliveries()
        let store = try database.store(size: connections)
        let lanes = try await store.lanes()
        // The dimensions are there before, and the days of the lanes are known.
        for lane in 0..<6 {
            #expect(try await store.record(deliveries.many(1, lane: lane, of: lanes), lane: lane).areAll(.accepted))
        }
        let batches = try (0..<6).map { try deliveries.many(3, lane: $0, of: lanes) }
        let held = try await holding(0..<5, of: database) { session in
            let waiting = (0..<5).map { lane in Task { await store.record(batches[lane], lane: lane) } }
            try await eventually("all connections but one wait") {
                let waiting = try await database.value(
                    """
                    SELECT count(*) FROM pg_locks
                     WHERE locktype = 'advisory' AND classid = 742100164 AND NOT granted
                       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                    """)
                return waiting == "\(connections - 1)" ? true : nil
            }
            // Several times, so that batches of held lanes come in between.
            for _ in 0..<5 {
                let free = try deliveries.many(2, lane: 5, of: lanes)
                #expect(try await store.record(free, lane: 5).areAll(.accepted))
            }
            try #require(
                try await database.value("SELECT count(*) FROM attribution.postback_state WHERE lane < 5")
                    == "5")
            try await session.execute(script: "SELECT pg_advisory_unlock_all()")
            return waiting
        }
        for batch in held { #expect(try await batch.value.areAll(.accepted)) }
        #expect(try await database.value("SELECT count(*) FROM attribution.postback_state") == "\(6 + 5 * 3 + 10)")
        #expect(try await database.recount() == [])
    }

    @Test("A lane that can't be waited for is refused at once, and the lock timeout is as before afterwards", .database)
    func tryLock() async throws {
        var bindings = PostgresBindings()
        bindings.append(Int32(0))
        let key = bindings
        try await database.withPool { pool in
            let timeout = try await pool.withTransaction("free") { connection in
                _ = try connection.query(LaneStatements.tryLock, key)
                return try connection.query(PostgresStatement("show", "SHOW lock_timeout"))[0]
                    .decode(String.self, at: 0)
            }
            #expect(timeout == "1min")
            try await holding(0..<1, of: database) { _ in
                await #expect {
                    try await pool.withTransaction("held") { _ = try $0.query(LaneStatements.tryLock, key) }
                } throws: { ($0 as? PostgresError)?.sqlState == .lockNotAvailable }
            }
        }
    }

    @Test("All but one connection may wait, and all of them if each lane has one")
    func patience() {
        let patience = LanePatience()
        #expect(patience.enter(lanes: 6, connections: 3))
        #expect(patience.enter(lanes: 6, connections: 3))
        #expect(!patience.enter(lanes: 6, connections: 3))
        patience.leave()
        #expect(patience.enter(lanes: 6, connections: 3))
        for _ in 0..<10 { #expect(patience.enter(lanes: 3, connections: 3)) }
    }
}
