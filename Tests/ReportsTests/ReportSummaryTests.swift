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
