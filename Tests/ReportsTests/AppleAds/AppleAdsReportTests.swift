import AdAttribution
import PostbackStore
import TestSupport
import Testing

@testable import Reports

@Suite("Reports of Apple Ads", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct AppleAdsReportTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    /// Attributions; the last one is what Apple says to a device in developer mode.
    private static let rows = """
        INSERT INTO attribution.apple_ads_attribution (
            digest, day, advertised_app_id, is_attributed, org_id, campaign_id, ad_group_id, country_or_region,
            conversion_type, claim_type)
        SELECT sha256(number::text::bytea), '2026-09-20', 525463029, campaign IS NOT NULL,
               CASE WHEN campaign = 1234567890 THEN campaign WHEN campaign IS NOT NULL THEN 7 END, campaign,
               campaign + 1, CASE WHEN campaign IS NOT NULL THEN 'US' END, type, claim
          FROM (VALUES
            (1, 54, 'Download', 'Click'), (2, 54, 'Download', 'Click'), (3, 54, 'Redownload', 'Click'),
            (4, 54, 'Download', 'Impression'), (5, 55, 'Preorder', 'Click'), (6, NULL, NULL, NULL),
            (7, NULL, NULL, NULL), (8, 1234567890, 'Download', 'Click')) AS made (number, campaign, type, claim)
        """

    @Test("Each token is in one row, by campaign, claim and type; made-up answers of Apple are in development")
    func tokens() async throws {
        try await database.run(Self.rows)
        try await database.expect(
            "SELECT * FROM attribution.report_apple_ads",
            """
            day         advertised_app_id  campaign_id  ad_group_id  country_or_region  claim_type  conversion_type  installs  redownloads  preorders  unattributed
            2026-09-20  525463029          54           55           US                 Click       Download         2         0            0          0
            2026-09-20  525463029          54           55           US                 Click       Redownload       0         1            0          0
            2026-09-20  525463029          54           55           US                 Impression  Download         1         0            0          0
            2026-09-20  525463029          55           56           US                 Click       Preorder         0         0            1          0
            2026-09-20  525463029          -            -            -                  -           -                0         0            0          2
            """)
        let days = ["from=2026-09-20", "to=2026-09-20"]
        let all = try await store.rows("apple_ads", days)
        #expect(all.count == 5)
        #expect(try await store.rowsOfPages("apple_ads", days, limit: 2) == all)
        #expect(try await store.rows("apple_ads", days + ["campaign_id=54", "claim_type=Click"]).count == 2)
        #expect(try await store.rows("apple_ads", days + ["environment=development"]).count == 1)
        #expect(try await store.rows("apple_ads", days + ["environment=test"]).isEmpty)
        #expect(try await store.rows("apple_ads", ["from=2026-09-21", "to=2026-09-30"]).isEmpty)
    }

    @Test("What another server than Apple's says of a token counts as test, whatever its ids are")
    func tests() async throws {
        try await database.run(Self.rows)
        try await database.run("UPDATE attribution.apple_ads_attribution SET is_test = true")
        let days = ["from=2026-09-20", "to=2026-09-20"]
        #expect(try await store.rows("apple_ads", days).isEmpty)
        #expect(try await store.rows("apple_ads", days + ["environment=development"]).isEmpty)
        #expect(try await store.rows("apple_ads", days + ["environment=test"]).count == 6)
    }

    @Test("Apple's own SKAdNetwork postbacks stand beside the tokens of the same installs, and are in no sum with them")
    func skadnetwork() async throws {
        try await database.run(Self.rows)
        let app = try #require(AppID(525_463_029))
        let keys = try TestKeys(developerApps: [app])
        let postbacks: [(inout TestPostback) -> Void] = [
            { _ in }, { _ in }, { $0.redownload = true }, { $0.adNetworkID = "example123.skadnetwork" },
        ]
        let deliveries = try postbacks.map { change in
            let postback = TestPostback { postback in
                postback.version = "3.0"
                postback.adNetworkID = "com.apple.ads"
                postback.campaignID = 10
                change(&postback)
            }
            return PostbackDelivery(
                try keys.verified(postback.body(keys.postbackKeyP256)), receivedAt: Deliveries.time)
        }
        for result in await store.record(deliveries) { _ = try result.get() }
        _ = try await store.foldAnswers(waits: true)
        try await database.run("UPDATE attribution.line SET environment = 'production'")
        #expect(
            try await database.column(
                """
                SELECT concat_ws(' ', advertised_app_id, sum(installs), sum(redownloads), sum(skadnetwork_installs),
                                 sum(skadnetwork_redownloads))
                  FROM attribution.report_apple_ads_skadnetwork GROUP BY advertised_app_id
                """) == ["525463029 3 1 2 1"])
        let one = try await store.rows("apple_ads_skadnetwork", ["from=2026-09-20", "to=2026-09-20"])
        #expect(one.map { $0.prefix(5) } == [["production", "2026-09-20", "525463029", "3", "1"]])
        // What tokens say is in no report of postbacks.
        #expect(
            try await database.value(
                "SELECT sum(installs) FROM attribution.report_campaign_all WHERE ad_network_id = 'com.apple.ads'")
                == "2")
    }
}
