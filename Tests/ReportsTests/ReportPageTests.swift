import AdAttribution
import PostgresClient
import Reports
import TestSupport
import Testing

@testable import PostbackStore
@testable import Reports

@Suite(
    "Pages of reports", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .onEachDatabase, .database)
struct ReportPageTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    @Test(
        "Pages give every row once, in the order of the whole, for each order and size",
        arguments: [
            "sort=day", "sort=-day", "sort=value_average", "sort=-value_average", "sort=installs,-campaign",
            "sort=-installs,value_average,-day", "installs.min=1",
        ])
    func walk(_ parameter: String) async throws {
        try await database.addCampaigns(lines: 12, days: 5)
        let whole = try await store.rows("campaign_daily", [parameter])
        #expect(whole.count > 40 && Set(whole).count == whole.count)
        for limit in [1, 7, 59, 60, 61] {
            #expect(try await store.rowsOfPages("campaign_daily", [parameter], limit: limit) == whole, "\(limit)")
        }
        let campaigns = try await store.rows("campaign")
        #expect(try await store.rowsOfPages("campaign", [], limit: 5) == campaigns)
    }

    @Test("A page continues behind its row, also if rows were added before it")
    func additions() async throws {
        try await database.addCampaigns(lines: 6, days: 1)
        let first = try await store.open(store.query("campaign_daily", ["limit=3"]))
        let rows = try #require(try await first.next())
        #expect(rows.map { $0[6] } == ["1", "2", "3"])
        try await database.run(
            """
            INSERT INTO attribution.line
            SELECT 40000, network, environment, protocol, ad_network_id, developer_copy, campaign_type, '0',
                   advertised_app_id FROM attribution.line WHERE campaign = '1';
            INSERT INTO attribution.campaign_daily (line, day, installs) VALUES (40000, '2026-09-30', 1)
            """)
        let page = try #require(first.nextPage)
        let rest = try await store.rows("campaign_daily", ["page=\(page)", "limit=10"])
        #expect(rest.map { $0[6] } == ["4", "5", "6"])
    }

    @Test("A token is refused by another query, and if a byte of it is missing or was changed")
    func refusals() async throws {
        try await database.addCampaigns(lines: 6, days: 2)
        let parameters = ["limit=3", "sort=-installs", "campaign=1", "campaign=2"]
        let page = try #require(try await store.open(store.query("campaign_daily", parameters)).nextPage)
        // The size of a page may change.
        _ = try await store.query("campaign_daily", ["page=\(page)", "limit=9"] + parameters.dropFirst())
        let others: [(String, [String])] = [
            ("source_app_daily", parameters), ("campaign_daily", Array(parameters.dropLast())),
            ("campaign_daily", ["limit=3", "sort=installs", "campaign=1", "campaign=2"]),
            ("campaign_daily", parameters + ["from=2026-09-29"]),
            ("campaign_daily", parameters + ["environment=test"]),
        ]
        for (report, other) in others {
            await #expect(throws: FieldError.self, "\(report) \(other)") {
                _ = try await store.query(report, other + ["page=\(page)"])
            }
        }
        for wrong in [String(page.dropLast(4)), "A" + page.dropFirst(), page + "AAAA", "", "=", "é"] {
            let error = await #expect(throws: FieldError.self, "\(wrong)") {
                _ = try await store.query("campaign_daily", parameters + ["page=\(wrong)"])
            }
            #expect(error?.field == "page")
        }
    }
}
