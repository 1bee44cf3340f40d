import AdAttribution
import PostgresClient
import TestSupport
import Testing

@testable import PostbackStore

@Suite("Reports", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .onEachDatabase, .database)
struct ReportTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    private static let keyColumns = "day protocol ad_network_id campaign_type campaign advertised_app_id"
    private static let figures =
        "installs redownloads reengagements assists fine coarse no_value value_average raised conflicts"
        + " later_windows"

    /// The views and their columns, as analysts hold on to them.
    static let views: [(String, String)] = [
        ("report_campaign_daily", "\(keyColumns) impressions \(figures)"),
        ("report_campaign", "\(keyColumns.dropFirst(4)) impressions \(figures) first_seen last_seen"),
        ("report_source_app_daily", "\(keyColumns) source_app \(figures)"),
        (
            "report_conversion_value_daily",
            "\(keyColumns) sequence_index conversion_value coarse_value postbacks events possible_events revenue_low"
                + " revenue_high currency"
        ),
    ]

    @Test(
        "Each view has its documented columns in their order, and its view with _all has the keys of all environments",
        arguments: views
    )
    func columns(_ view: String, _ columns: String) async throws {
        for (name, expected) in [(view, columns), (view + "_all", "environment developer_copy \(columns)")] {
            let actual = try await database.column(
                """
                SELECT attname FROM pg_attribute
                 WHERE attrelid = 'attribution.\(name)'::regclass AND attnum > 0 ORDER BY attnum
                """)
            #expect(actual.compactMap { $0 }.joined(separator: " ") == expected)
        }
    }

    @Test("Reports show impressions beside installs, and each without the other")
    func impressions() async throws {
        let keys = try TestKeys()
        let time = PostgresTimestamp(millisecondsSince1970: 1_790_000_000_000)
        _ = await store.record([.init(try keys.verified(TestKeys.apple()), receivedAt: time)])
        for campaign in [Int64(42), 43, 43] {
            var parameters = ImpressionParameters()
            parameters.version = SKAdNetworkVersion("2.0")
            parameters.adNetworkID = AdNetworkID("com.example")
            parameters.campaignID = CampaignID(campaign)
            parameters.itunesItemID = AppID(525_463_029)
            parameters.sourceAppID = AppID(1)
            parameters.nonce = Nonce("b7c9da2b-15c7-4f3b-9326-135f9630033d")
            parameters.timestamp = MillisecondTimestamp(1_790_000_000_000)
            try await store.add([ImpressionKey(try Impression(parameters), signedAt: time): 5])
        }
        #expect(
            try await database.column(
                """
                SELECT concat_ws(' ', campaign, impressions, redownloads, fine, value_average)
                  FROM attribution.report_campaign_daily ORDER BY campaign
                """) == ["42 5 1 1 20.0000", "43 10 0 0"])
        let rows = try await store.rows(
            "campaign_daily", ["from=2026-09-21", "to=2026-09-21", "ad_network_id=com.example"])
        #expect(rows.count == 2)
        #expect(
            rows.first?.prefix(9) == [
                "production", "false", "2026-09-21", "skadnetwork", "com.example", "campaign-id", "42",
                "525463029", "5",
            ])
        for other in [
            ["from=2026-09-20", "to=2026-09-20"], ["from=2026-09-21", "environment=test"],
            ["from=2026-09-21", "ad_network_id=com.other"],
        ] {
            #expect(try await store.rows("campaign_daily", other) == [])
        }
    }

    @Test("A developer copy of another network's postback is marked")
    func developerCopies() async throws {
        let keys = try TestKeys(developerApps: [#require(AppID(525_463_029))], otherNetworks: false)
        let time = PostgresTimestamp(millisecondsSince1970: 1_790_000_000_000)
        let copy = try keys.verified(TestKeys.apple())
        #expect(copy.isDeveloperCopy)
        _ = await store.record([.init(copy, receivedAt: time)])
        for (view, _) in Self.views {
            #expect(try await database.value("SELECT count(*) FROM attribution.\(view)") == "0")
            #expect(
                try await database.value("SELECT count(*) FROM attribution.\(view)_all WHERE developer_copy")
                    == "1")
        }
        #expect(try await database.recount() == [])
    }

    @Test("The outcome of a commit that was cut off can be asked for")
    func transactionStatus() async throws {
        let pool = store.pool
        let identify = PostgresStatement("test_xid", "SELECT pg_current_xact_id()::text")
        let committed = try await pool.withTransaction("commit") { connection in
            try connection.query(identify).first?.decode(String.self, at: 0) ?? ""
        }
        let undone: String = try await pool.withConnection { connection in
            try connection.execute(script: "BEGIN")
            let identifier = try connection.query(identify).first?.decode(String.self, at: 0) ?? ""
            try connection.execute(script: "ROLLBACK")
            return identifier
        }
        #expect(try await store.wasCommitted(transaction: committed) == true)
        #expect(try await store.wasCommitted(transaction: undone) == false)
        #expect(try await store.wasCommitted(transaction: "4294967295000") == false)
    }
}
