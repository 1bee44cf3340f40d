import AdAttribution
import PostgresClient
import TestSupport
import Testing

@testable import PostbackStore
@testable import Reports

@Suite("Summaries of reports", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct ReportSummaryTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    @Test("Figures are the sums of the report's rows, by columns, with conditions, in the order asked for")
    func sums() async throws {
        try await database.addCampaigns(lines: 6, days: 5)
        let query = try await store.query(
            "campaign_daily", ["from=2026-09-28", "campaign=1", "campaign=2", "campaign=3"])
        let summary = try ReportSummary(
            query, by: ["campaign"],
            [
                .init("installs", .sum(["installs", "redownloads"])),
                .init("last", .sum(["installs"]), where: ["day": "2026-09-30"]),
                .init("share", .ratio(["fine"], ["installs"])), .init("most", .greatest("installs")),
            ], sort: "-installs", limit: 2)
        let rows = try await store.read([FigureQuestion(summary)])[0]
        let expected = try await database.column(
            """
            SELECT concat_ws(' ', campaign, sum(installs), sum(installs) FILTER (WHERE day = '2026-09-30'),
                             round(sum(fine) / nullif(sum(installs), 0), 6), max(installs))
              FROM attribution.report_campaign_daily
             WHERE day BETWEEN '2026-09-28' AND '2026-09-30' AND campaign IN ('1', '2', '3')
             GROUP BY campaign ORDER BY sum(installs) DESC, campaign LIMIT 2
            """)
        #expect(rows.count == 2)
        #expect(rows.map { $0.compactMap(\.self).joined(separator: " ") } == expected.compactMap(\.self))
    }

    @Test(
        "A cut table has the first rows of the summary, one row for all others, and one for all, as the report sums them"
    )
    func cut() async throws {
        try await database.addCampaigns(lines: 9, days: 5)
        let query = try await store.query("campaign_daily", ["from=2026-09-28"])
        let summary = try ReportSummary(
            query, by: ["campaign"],
            [
                .init("installs", .sum(["installs"])), .init("share", .ratio(["fine"], ["installs"])),
                .init("most", .greatest("installs")),
            ], sort: "-installs")
        let question = FigureQuestion(summary, cutAfter: 3)
        #expect(question.names == ["campaign", "installs", "share", "most", "table_place", "table_groups"])
        let answers = try await store.read([FigureQuestion(summary), question])
        let (all, cut) = (answers[0], answers[1])
        #expect(all.count == 9 && cut.count == 5)
        #expect(cut.prefix(3).map { Array($0.prefix(4)) } == Array(all.prefix(3)))
        #expect(cut.map { $0[4] } == ["1", "2", "3", "4", nil] && cut.map { $0[5] } == ["1", "1", "1", "6", "9"])
        func sums(_ condition: String) async throws -> String? {
            try await database.value(
                """
                SELECT concat_ws(' ', sum(installs), round(sum(fine) / sum(installs), 6))
                  FROM attribution.report_campaign_daily WHERE day >= '2026-09-28' AND \(condition)
                """)
        }
        let first = all.prefix(3).map { "'\($0[0] ?? "")'" }.joined(separator: ", ")
        for (row, condition) in [(cut[3], "campaign NOT IN (\(first))"), (cut[4], "true")] {
            #expect(row[1...2].compactMap(\.self).joined(separator: " ") == (try await sums(condition)))
            // The greatest of several campaigns is of none.
            #expect(row[0] == nil && row[3] == nil)
        }
    }

    @Test("A cut table that is short has no row for others, and money is not known if that of one campaign is not")
    func cutMoney() async throws {
        try await database.run(
            """
            INSERT INTO attribution.spend_daily
                   (day, ad_network_id, advertised_app_id, campaign_id, currency, spend, source_file, loaded_at)
            VALUES ('2026-09-30', 'com.example', 525463029, 'a', 'USD', 10, 'test', now()),
                   ('2026-09-30', 'com.example', 525463029, 'b', 'USD', 4, 'test', now()),
                   ('2026-09-30', 'com.example', 525463029, 'c', 'EUR', 1, 'test', now())
            """)
        for (campaigns, total) in [(["a", "b"], "14.000000"), (["a", "b", "c"], nil)] as [([String], String?)] {
            let query = try await store.query(
                "cost", ["from=2026-09-30", "to=2026-09-30", "in_currency=USD"] + campaigns.map { "campaign_id=\($0)" })
            let summary = try ReportSummary(
                query, by: ["campaign_id"], [.init("cost", .priced("cost", without: "cost_without_rate"))],
                sort: "-cost")
            let rows = try await store.read([FigureQuestion(summary, cutAfter: 3)])[0]
            let costs = ["10.000000", "4.000000", nil].prefix(campaigns.count)
            #expect(rows.map { $0[0] } == campaigns + [nil] && rows.map { $0[1] } == Array(costs) + [total], "\(rows)")
        }
    }

    @Test("A search finds the groups with a column that contains the text, in any case, and apps by their names")
    func search() async throws {
        try await database.addCampaigns(lines: 12, days: 1)
        try await database.run(
            """
            UPDATE attribution.line SET advertised_app_id = 7 WHERE campaign = '5';
            INSERT INTO attribution.app_name VALUES (7, 'Puzzle % Land', now())
            """)
        let query = try await store.query("campaign_daily")
        for (text, found) in [
            ("1", ["1", "10", "11", "12"]), ("puzzle %", ["5"]), ("COM.EXAMPLE", (1...12).map { "\($0)" }),
            ("%", ["5"]), ("_", []), ("'; DROP", []),
        ] as [(String, [String])] {
            let summary = try ReportSummary(
                query, by: ["campaign", "ad_network_id"] + (text == "1" ? [] : ["advertised_app_id"]),
                [.init("installs", .sum(["installs"]))], search: text)
            let rows = try await store.read([FigureQuestion(summary)])[0]
            #expect(Set(rows.map { $0[0] ?? "" }) == Set(found), "\(text)")
        }
    }

    @Test("The SQL for people gives the same rows, whatever is in the values, and runs nothing else")
    func literals() async throws {
        try await database.addCampaigns(lines: 3, days: 2)
        let hostile = "x'); DROP TABLE attribution.line; -- \\' \n :name $1 \"é"
        try await database.run("UPDATE attribution.line SET campaign = $text$\(hostile)$text$ WHERE campaign = '2'")
        let query = try await store.query("campaign_daily", ["campaign=\(hostile)"])
        let summary = try ReportSummary(query, by: ["day", "campaign"], [.init("installs", .sum(["installs"]))])
        let question = FigureQuestion(summary)
        let rows = try await store.read([question])[0]
        #expect(rows.count == 2 && rows.allSatisfy { $0[1] == hostile })
        let pasted = try await database.column(
            "SELECT concat_ws(' ', day, installs) FROM (\(question.sql.dropLast())) AS pasted")
        #expect(pasted == rows.map { "\($0[0] ?? "") \($0[2] ?? "")" })
        #expect(try await database.value("SELECT count(*) FROM attribution.line") == "3")
    }

    @Test("A column that the report does not have, or an order that the summary does not have, is refused")
    func refusals() async throws {
        let query = try await store.query("campaign_daily")
        #expect(throws: FieldError.self) { try ReportSummary(query, by: ["color"], []) }
        #expect(throws: FieldError.self) {
            try ReportSummary(query, by: ["day"], [.init("x", .sum(["color"]))])
        }
        #expect(throws: FieldError.self) {
            try ReportSummary(query, by: ["day"], [.init("x", .sum(["installs"]))], sort: "installs")
        }
        #expect(throws: FieldError.self) {
            try ReportSummary(query, by: ["day"], [.init("x", .sum(["installs"]), where: ["day": "soon"])])
        }
    }
}
