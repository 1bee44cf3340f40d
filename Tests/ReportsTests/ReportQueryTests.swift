import AdAttribution
import PostgresClient
import Reports
import TestSupport
import Testing

@testable import PostbackStore
@testable import Reports

@Suite("Queries of reports", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct ReportQueryTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    @Test("A wrong parameter is refused with its name and its rule")
    func refusals() async throws {
        for (report, parameters, field, rule) in [
            ("campaign_daily", ["from=yesterday"], "from", PostgresDate.rule),
            ("campaign_daily", ["to=2026-02-30"], "to", PostgresDate.rule),
            ("campaign_daily", ["from=2026-10-01", "to=2026-09-01"], "from", "not be after to"),
            ("campaign_daily", ["from=2026-09-01", "from=2026-09-02"], "from", "there once"),
            ("campaign_daily", ["color=red"], "color", "it has from, to, sort"),
            ("campaign_daily", ["sort=installs,color"], "sort", "names of columns"),
            ("campaign_daily", ["sort=installs,-installs"], "sort", "a column once"),
            ("campaign_daily", ["sort=-color"], "sort", "; color is none of "),
            ("campaign_daily", ["sort="], "sort", "names of columns"),
            ("campaign_daily", ["limit=0"], "limit", "from 1 to 1000000"),
            ("campaign_daily", ["limit=1000001"], "limit", "from 1 to 1000000"),
            ("campaign_daily", ["limit=many"], "limit", "from 1 to 1000000"),
            ("campaign_daily", ["page=x"], "page", "the token of a page"),
            ("campaign_daily", ["installs=many"], "installs", "an integer"),
            ("campaign_daily", ["installs.min=many"], "installs.min", "an integer"),
            ("campaign_daily", ["installs.least=1"], "installs.least", "installs.min or installs.max"),
            ("campaign_daily", ["campaign.min=1"], "campaign.min", "only numbers and days"),
            ("campaign_daily", ["value_average=1e3"], "value_average", "a decimal number"),
            ("campaign_daily", ["day=today"], "day", PostgresDate.rule),
            ("campaign_daily", ["developer_copy=1"], "developer_copy", "true or false"),
            ("campaign_daily", ["environment=live"], "environment", "production, development or test"),
            ("campaign_daily", ["campaign=a\u{0}b"], "campaign", "bytes of text"),
            ("campaign_daily", Array(repeating: "campaign=1", count: 101), "campaign", "at most 100 times"),
            ("campaign", ["from=2026-09-01"], "from", "is no parameter"),
            ("cost", ["in_currency=DEM"], "in_currency", "ISO 4217"),
            ("cost", ["advertised_app_id=-1"], "advertised_app_id", AppID.rule),
            ("modelled_revenue", ["minimum=0"], "minimum", "an integer from 1"),
        ] {
            let error = await #expect(throws: FieldError.self, "\(report) \(parameters)") {
                _ = try await store.query(report, parameters)
            }
            #expect(error?.field == field)
            #expect(error?.rule.contains(rule) == true, "\(error?.rule ?? "")")
        }
    }

    @Test("Filters are values, ranges and NULL; a name or a value that looks like SQL is nothing but a name or a value")
    func filters() async throws {
        try await database.addCampaigns(lines: 9, days: 3)
        try await database.run("UPDATE attribution.line SET campaign = '1'' OR 1=1 --' WHERE campaign = '9'")
        func count(_ parameters: String...) async throws -> Int {
            try await store.rows("campaign_daily", parameters).count
        }
        let all = try await count()
        #expect(all == 27)
        #expect(try await count("campaign=1") == 3)
        #expect(try await count("campaign=1", "campaign=2") == 6)
        #expect(try await count("campaign=") == 0)
        #expect(try await count("value_average=") == 9)
        #expect(try await count("value_average=", "value_average.min=1") == 0)
        #expect(try await count("value_average=", "value_average=1") > 9)
        #expect(try await count("installs.min=1", "installs.max=3") < 27)
        #expect(try await count("day.min=2026-09-29") == 18)
        #expect(try await count("from=2026-09-30") == 9)
        #expect(try await count("to=2026-09-28") == 9)
        #expect(try await count("environment=test") == 0)
        #expect(try await count("environment=test", "environment=production") == 27)
        #expect(try await count("developer_copy=true") == 0)
        #expect(try await count("campaign=1' OR 1=1 --") == 3)
        #expect(try await count("campaign=1' OR '1'='1") == 0)
        for name in ["campaign_daily; DROP TABLE x", "campaign_daily\"", "../campaign", "pg_class", ""] {
            #expect(try await store.reportCatalog()[name] == nil)
        }
        for parameter in [
            "from=2026-09-01'--", "to=now()", "sort=installs;--", "sort=installs DESC", "sort=(SELECT 1)",
            "limit=1;DROP TABLE attribution.line", "page=' OR 1=1", "installs=1 OR 1=1", "installs.min=1)--",
            "day=2026-09-30' OR '1'='1", "value_average=1::int", "developer_copy=true OR true",
            "campaign\" = '1' OR \"campaign=1", "row.campaign=1", "1=1",
        ] {
            await #expect(throws: FieldError.self, "\(parameter)") {
                _ = try await store.query("campaign_daily", [parameter])
            }
        }
        #expect(try await count() == all)
    }
}
