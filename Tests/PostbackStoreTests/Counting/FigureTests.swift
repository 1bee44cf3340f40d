import PostgresClient
import TestSupport
import Testing

@testable import AdAttribution
@testable import PostbackStore

@Suite(
    "What each figure counts", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .onEachDatabase,
    .database)
struct FigureTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current
    private let keys: TestKeys
    private let time = PostgresTimestamp(millisecondsSince1970: 1_790_000_000_000)

    init() throws {
        keys = try TestKeys()
    }

    private func figures(_ database: TestDatabase) async throws -> String? {
        try await database.value(
            """
            SELECT concat_ws(' ', installs, redownloads, assists, fine, coarse, no_value, value_average,
                             raised, later_windows)
              FROM attribution.report_campaign_daily_all
            """)
    }

    @Test("Installs and values count only winning first windows, and the table of values has every postback")
    func windowsAndLosses() async throws {
        var batch: [PostbackDelivery] = []
        var losing: LaterPostback?
        for didWin in [true, false] {
            for index in Int64(0)...2 {
                for value in [ReportedConversionValue.none, .fine(10), .coarse(.medium)] {
                    let postback = try LaterPostback(keys, didWin: didWin, sequenceIndex: index) {
                        $0.redownload = value == .none
                    }
                    batch.append(try postback.delivery(value, verifier: keys.verifier, at: time))
                    if !didWin && index == 2 && value == .fine(10) { losing = postback }
                }
            }
        }
        #expect(try await store.record(batch).map { try $0.get() } == Array(repeating: .accepted, count: 18))
        #expect(try await figures(database) == "2 1 9 1 1 1 10.0000 0 12")
        // Raised twice: a change of the values' table, once in `raised`, and nothing else.
        for value in [Int64(20), 30] {
            let raise = try #require(losing).delivery(.fine(value), verifier: keys.verifier, at: time)
            #expect(try await store.record([raise])[0].get() == .raised)
        }
        #expect(try await figures(database) == "2 1 9 1 1 1 10.0000 1 12")
        #expect(
            try await database.column(
                """
                SELECT concat_ws(' ', sequence_index, coalesce(conversion_value::text, coarse_value, '-'),
                                 postbacks)
                  FROM attribution.report_conversion_value_daily_all
                 ORDER BY sequence_index, conversion_value, coarse_value
                """) == [
                    "0 10 2", "0 medium 2", "0 - 2", "1 10 2", "1 medium 2", "1 - 2", "2 10 1", "2 30 1",
                    "2 medium 2", "2 - 2",
                ])
        #expect(try await database.recount() == [])
    }

    @Test("A recount uses the conversion type, or redownload if there is none")
    func conversionTypes() async throws {
        try await database.run(
            """
            INSERT INTO attribution.network VALUES (1, 'production', 'adattributionkit', 'n');
            INSERT INTO attribution.line VALUES (
                1, 1, 'production', 'adattributionkit', 'n', false, 'source-identifier', '0001', 1);
            INSERT INTO attribution.signing_key VALUES (1, 'k');
            INSERT INTO attribution.traits (traits, signing_key, version, redownload, conversion_type,
                                            relay_normalised)
            SELECT row_number() OVER (), 1, 'none', redownload, conversion_type, false
              FROM (VALUES (NULL, 'download'), (true, 'download'), (NULL, NULL), (false, NULL), (true, NULL),
                           (false, 'redownload'), (true, 're-engagement'))
                   AS kind (redownload, conversion_type);
            INSERT INTO attribution.postback_state (
                transaction_id, received_at, position, line, source, traits, conflicts, lane, network,
                sequence_index, value, first_value, previous_value, ordinal, did_win)
            SELECT gen_random_uuid(), '2026-09-21 23:59:59.999999+00', 1, 1, 0, traits, 0, 0, 1, 0, -1, -1, -1,
                   traits, true
              FROM attribution.traits
            """)
        let found = try await database.recount()
        #expect(found.count == 3)
        let figures = "4,2,1,0,0,0,7" + String(repeating: ",0", count: 15)
        #expect(found.contains("(campaign_daily,\"(1,2026-09-21)\",,\"{\(figures)}\")"))
    }

    @Test("One postback under a development key, a test key and Apple's counts once in each environment")
    func environments() async throws {
        let development = try TestKeys()
        let ring = try KeyRing(
            networks: keys.keyRing.networks,
            postbackKeys: [
                PostbackKey(name: "a", environment: .test, key: keys.postbackKey.publicKey),
                PostbackKey(name: "b", environment: .development, key: development.postbackKey.publicKey),
            ])
        let postback = TestPostback {
            $0.adNetworkID = "com.example"
            $0.transactionID = "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"
            $0.redownload = true
        }
        let bodies = try [TestKeys.apple(), postback.body(keys.postbackKey), postback.body(development.postbackKey)]
        let batch = try bodies.map { body in
            let verified = try PostbackVerifier(keyRing: ring).verify(Postback(parsing: body))
            return PostbackDelivery(verified, receivedAt: time)
        }
        let outcomes = await store.record(batch + batch)
        #expect(
            try outcomes.map { try $0.get() }
                == Array(repeating: .accepted, count: 3) + Array(repeating: .duplicate, count: 3))
        #expect(
            try await database.column("SELECT environment FROM attribution.report_campaign_all ORDER BY environment")
                == ["development", "production", "test"])
        #expect(try await database.value("SELECT redownloads FROM attribution.report_campaign") == "1")
        #expect(try await database.recount() == [])
    }
}
