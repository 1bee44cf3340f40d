import AdAttribution
import PostgresClient
import TestSupport
import Testing

@testable import PostbackStore

/// Commits that take long, through a deferred trigger, and whose session is ended meanwhile.
@Suite("A commit that is cut off", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct CutCommitTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current
    private let time = PostgresTimestamp(millisecondsSince1970: 1_790_000_000_000)

    private func slowDownCommits(of table: String, _ database: TestDatabase) async throws {
        try await database.run(
            """
            CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql
            AS $$ BEGIN PERFORM pg_sleep(60); RETURN NULL; END $$;
            CREATE CONSTRAINT TRIGGER dawdle AFTER INSERT ON attribution.\(table)
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION dawdle()
            """)
    }

    /// The transaction that is asleep in its commit.
    private func sleeper(_ database: TestDatabase) async throws -> String {
        try await eventually("a transaction is in its commit") {
            try await database.value(
                """
                SELECT backend_xid FROM pg_stat_activity
                 WHERE datname = current_database() AND wait_event = 'PgSleep'
                   AND (query LIKE '%COMMIT%' OR query LIKE '-- postback_count%')
                """)
        }
    }

    private func endSleeper(_ database: TestDatabase) async throws {
        _ = try await database.value(
            """
            SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event = 'PgSleep'
            """)
    }

    @Test("Counts of impressions are not lost, and not added twice")
    func impressions() async throws {
        var parameters = ImpressionParameters()
        parameters.version = SKAdNetworkVersion("2.0")
        parameters.adNetworkID = AdNetworkID("com.example")
        parameters.campaignID = CampaignID(42)
        parameters.itunesItemID = AppID(525_463_029)
        parameters.sourceAppID = AppID(1)
        parameters.nonce = Nonce("b7c9da2b-15c7-4f3b-9326-135f9630033d")
        parameters.timestamp = MillisecondTimestamp(1_790_000_000_000)
        let counts = [ImpressionKey(try Impression(parameters), signedAt: time): Int64(5)]
        try await slowDownCommits(of: "campaign_daily", database)
        let adding = Task { try await store.add(counts) }
        let transaction = try await sleeper(database)
        #expect(try await store.wasCommitted(transaction: transaction) == nil)
        try await endSleeper(database)
        let unknown = ImpressionFlushError.outcomeUnknown(transaction: transaction)
        await #expect(throws: unknown) { try await adding.value }
        #expect(try await store.wasCommitted(transaction: transaction) == false)
        try await database.run("DROP TRIGGER dawdle ON attribution.campaign_daily")
        try await store.add(counts)
        #expect(try await database.value("SELECT impressions FROM attribution.report_campaign") == "5")
    }

    @Test("The batch fails, and is counted once if it is delivered again")
    func postbacks() async throws {
        let keys = try TestKeys()
        let batch = [PostbackDelivery(try keys.verified(TestKeys.apple()), receivedAt: time)]
        try await slowDownCommits(of: "postback_state", database)
        async let recording = store.record(batch)
        _ = try await sleeper(database)
        try await endSleeper(database)
        let cutOff = await recording[0]
        let error = #expect(throws: PostgresError.self) { try cutOff.get() }
        #expect(error?.isOutcomeUnknown == true)
        try await database.run("DROP TRIGGER dawdle ON attribution.postback_state")
        #expect(try await store.record(batch)[0].get() == .accepted)
        #expect(try await database.recount() == [])
    }

    @Test(
        "A refused delivery between others of one postback does not change their order or outcome", .database(lanes: 1))
    func poisonBetween() async throws {
        let keys = try TestKeys()
        let postback = try LaterPostback(keys)
        let refused = try LaterPostback(keys) { $0.campaignID = 7 }
        var batch = try [5, 9, 7, 9].map { value in
            try postback.delivery(.fine(value), verifier: keys.verifier, at: time)
        }
        batch.insert(try refused.delivery(.none, verifier: keys.verifier, at: time), at: 1)
        let deliveries = batch
        try await database.run(
            "ALTER TABLE attribution.postback_state ADD CHECK (transaction_id <> '\(refused.transactionID)')")
        let outcomes = await store.record(deliveries).map { try? $0.get() }
        #expect(outcomes == [.accepted, nil, .raised, .duplicate, .duplicate])
        let differences = try await database.recount()
        #expect(differences == [])
    }
}
