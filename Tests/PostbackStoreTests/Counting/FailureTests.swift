import AdAttribution
import PostgresClient
import TestSupport
import Testing

@testable import PostbackStore

@Suite("When the database fails", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason))
struct FailureTests {
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

    @Test("one delivery that the database refuses fails alone")
    func poison() async throws {
        try await TestDatabase.with { database in
            try await database.run("ALTER TABLE attribution.postback ADD CHECK (campaign <> '7')")
            try await database.withPool { pool in
                let results = await PostbackStore(pool: pool).record(try deliveries(20))
                for (index, result) in results.enumerated() {
                    #expect((try? result.get()) == (index == 6 ? nil : .accepted))
                }
                #expect(try await database.value("SELECT count(*) FROM attribution.postback") == "19")
                #expect(try await database.recount() == [])
            }
        }
    }

    @Test("a statement that fails in the middle leaves no trace of the batch")
    func rollback() async throws {
        try await TestDatabase.with { database in
            try await database.run("ALTER TABLE attribution.postback_change RENAME TO elsewhere")
            try await database.withPool { pool in
                let store = PostbackStore(pool: pool)
                let batch = try deliveries(5)
                #expect(await store.record(batch).allSatisfy { (try? $0.get()) == nil })
                #expect(try await database.value("SELECT count(*) FROM attribution.postback") == "0")
                #expect(try await database.value("SELECT count(*) FROM attribution.campaign_daily") == "0")
                try await database.run("ALTER TABLE attribution.elsewhere RENAME TO postback_change")
                #expect(try await store.record(batch).map { try $0.get() } == Array(repeating: .accepted, count: 5))
                #expect(try await database.recount() == [])
            }
        }
    }

    @Test("a killed connection fails its batch, and the next works")
    func killedConnection() async throws {
        try await TestDatabase.with { database in
            try await database.withPool(size: 1) { pool in
                let store = PostbackStore(pool: pool)
                // Another session holds the row that the batch needs, until the batch's own session is ended.
                let batch = try deliveries(3)
                _ = await store.record(batch)
                async let blocked = database.withPool(size: 2) { other in
                    try await other.withTransaction("hold") { connection in
                        try connection.execute(script: "LOCK TABLE attribution.postback IN ACCESS EXCLUSIVE MODE")
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
        }
    }

    @Test("a recount finds a counter that is off, a row that is gone and one that is too many")
    func recountFinds() async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                let store = PostbackStore(pool: pool)
                _ = await store.record(try deliveries(3))
                #expect(try await store.foldAllChanges() == 3)
            }
            #expect(try await database.recount() == [])
            try await database.run(
                """
                UPDATE attribution.campaign_daily_base SET installs = installs + 1 WHERE campaign = '1';
                DELETE FROM attribution.source_app_daily_base WHERE campaign = '2';
                INSERT INTO attribution.conversion_value_daily_base (
                    day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign,
                    advertised_app_id, sequence_index, did_win, conversion_value, coarse_value, postbacks)
                SELECT day, environment, developer_copy, protocol, ad_network_id, campaign_type, '99',
                       advertised_app_id, 0, true, 5, '', 1
                  FROM attribution.conversion_value_daily LIMIT 1;
                """)
            let found = try await database.recount()
            #expect(found.count == 3)
            #expect(found.contains { $0.hasPrefix("(campaign_daily") })
            #expect(found.contains { $0.hasPrefix("(source_app_daily") })
            #expect(found.contains { $0.hasPrefix("(conversion_value_daily") })
        }
    }
}
