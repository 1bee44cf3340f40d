import AdAttribution
import PostgresClient
import TestSupport
import Testing

@testable import PostbackStore

@Suite("When the database fails", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct FailureTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current
    private let keys: TestKeys
    private let time = PostgresTimestamp(millisecondsSince1970: 1_790_000_000_000)

    init() throws {
        keys = try TestKeys()
    }

    private func deliveries(_ count: Int) throws -> [PostbackDelivery] {
        try (1...count).map { campaign in
            let postback = TestPostback { $0.campaignID = campaign }
            return PostbackDelivery(try keys.verified(postback.body(keys.postbackKey)), receivedAt: time)
        }
    }

    @Test("One delivery that the database refuses fails alone")
    func poison() async throws {
        let deliveries = try deliveries(20)
        let refused = deliveries[6].verified.postback.transactionID.uuid
        try await database.run("ALTER TABLE attribution.postback_state ADD CHECK (transaction_id <> '\(refused)')")
        let results = await store.record(deliveries)
        for (index, result) in results.enumerated() {
            #expect((try? result.get()) == (index == 6 ? nil : .accepted))
        }
        let stored = try await database.value("SELECT count(*) FROM attribution.postback")
        #expect(stored == "19")
        #expect(try await database.recount() == [])
    }

    @Test("A statement that fails in the middle leaves no trace of the batch")
    func rollback() async throws {
        try await database.run("ALTER TABLE attribution.postback_body RENAME TO elsewhere")
        let batch = try deliveries(5)
        #expect(await store.record(batch).allSatisfy { (try? $0.get()) == nil })
        #expect(try await database.value("SELECT count(*) FROM attribution.postback_state") == "0")
        #expect(try await database.value("SELECT count(*) FROM attribution.postback_log") == "0")
        #expect(try await database.value("SELECT count(*) FROM attribution.campaign_figure") == "0")
        try await database.run("ALTER TABLE attribution.elsewhere RENAME TO postback_body")
        #expect(try await store.record(batch).map { try $0.get() } == Array(repeating: .accepted, count: 5))
        #expect(try await database.recount() == [])
    }

    @Test("A killed connection fails its batch, and the next works", .database(connections: 1))
    func killedConnection() async throws {
        // Another session holds the row that the batch needs, until the batch's own session is ended.
        let batch = try deliveries(3)
        _ = await store.record(batch)
        async let blocked = database.withPool(size: 2) { other in
            try await other.withTransaction("hold") { connection in
                try connection.execute(script: "LOCK TABLE attribution.postback_state IN ACCESS EXCLUSIVE MODE")
                // Wait until the batch waits, then end its session.
                try connection.execute(
                    script: """
                        DO $$ BEGIN
                            FOR i IN 1..3000 LOOP
                                PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
                                  WHERE datname = current_database() AND wait_event_type = 'Lock';
                                EXIT WHEN FOUND;
                                PERFORM pg_sleep(0.01);
                                PERFORM pg_stat_clear_snapshot();
                            END LOOP;
                        END $$
                        """)
            }
        }
        // The lock may not be held yet: go on until a batch met it.
        var failed = false
        for _ in 0..<3_000 where !failed {
            failed = await store.record(batch).contains { (try? $0.get()) == nil }
        }
        try await blocked
        #expect(failed)
        #expect(try await store.record(batch).map { try $0.get() } == Array(repeating: .duplicate, count: 3))
        #expect(try await database.recount() == [])
    }

    @Test(
        "A batch that PostgreSQL ends because of another transaction runs again, four times at most",
        .database(lanes: 1), arguments: [1, 4, 5])
    func collisions(_ collisions: Int) async throws {
        try await database.run(
            """
            CREATE SEQUENCE attribution.attempt;
            CREATE FUNCTION attribution.collide() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF nextval('attribution.attempt') <= \(collisions) THEN
                    RAISE EXCEPTION 'a collision' USING ERRCODE = '40001';
                END IF;
                RETURN NULL;
            END $$;
            CREATE TRIGGER collide BEFORE INSERT ON attribution.postback_state
                FOR EACH STATEMENT EXECUTE FUNCTION attribution.collide();
            """)
        let batch = try deliveries(3)
        if collisions > 4 {
            for result in await store.record(batch) {
                let error = #expect(throws: PostgresError.self) { try result.get() }
                #expect(error?.sqlState == .serializationFailure)
            }
            #expect(try await database.value("SELECT count(*) FROM attribution.postback_state") == "0")
        }
        #expect(try await store.record(batch).map { try $0.get() } == Array(repeating: .accepted, count: 3))
        #expect(try await database.value("SELECT last_value FROM attribution.attempt") == "\(collisions + 1)")
        #expect(try await database.recount() == [])
    }

    @Test("A recount finds a wrong counter, a missing row and a row too many")
    func recountFinds() async throws {
        try await database.withStore { store in
            _ = await store.record(try deliveries(3))
            #expect(try await store.fold() == 3)
        }
        #expect(try await database.recount() == [])
        try await database.run(
            """
            UPDATE attribution.campaign_daily SET installs = coalesce(installs, 0) + 1 WHERE line = 1;
            DELETE FROM attribution.source_app_daily WHERE line = 2;
            INSERT INTO attribution.conversion_value_daily (line, day, sequence_index, value, postbacks)
            SELECT 99, day, 0, 5, 1 FROM attribution.conversion_value_daily LIMIT 1;
            UPDATE attribution.campaign_daily SET coarse_low_1 = coalesce(coarse_low_1, 0) + 1 WHERE line = 3;
            """)
        let found = try await database.recount()
        #expect(found.count == 4)
        #expect(found.count { $0.hasPrefix("(campaign_daily") } == 2)
        #expect(found.contains { $0.hasPrefix("(source_app_daily") })
        #expect(found.contains { $0.hasPrefix("(conversion_value_daily") })
    }
}
