import TestSupport
import Testing

@Suite("What values mean", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct ValueMeaningTests {
    private let keys =
        "environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id"

    @Test("A row by value says what the value means, if it means the same in all postbacks of its days")
    func meaning() async throws {
        let (_, database) = try await AnswerFixture().folded(seed: 36)
        // What each postback says, by its own time of arrival.
        try await database.run(
            """
            CREATE TABLE said AS
            SELECT \(keys), (received_at AT TIME ZONE 'UTC')::date AS day, sequence_index,
                   attribution.fine_value(value) AS conversion_value, attribution.coarse_value(value) AS coarse_value,
                   array_to_string(events, ', ') AS events, array_to_string(possible_events, ', ') AS possible_events,
                   revenue_low, revenue_high, currency
              FROM attribution.postback_answer JOIN attribution.line USING (line)
            """)
        func meaning(_ table: String) -> String {
            ["events", "possible_events", "revenue_low", "revenue_high", "currency"].map { "\(table).\($0)" }
                .joined(separator: ", ")
        }
        let joined = """
             FROM attribution.report_conversion_value_daily_all AS report
             JOIN said USING (\(keys), day, sequence_index)
            WHERE report.events IS NOT NULL
              AND (report.conversion_value, report.coarse_value)
                  IS NOT DISTINCT FROM (said.conversion_value, said.coarse_value)
            """
        #expect(try await database.value("SELECT count(*) > 100 \(joined)") == "true")
        #expect(
            try await database.column(
                """
                SELECT said::text \(joined)
                   AND ROW(\(meaning("report"))) IS DISTINCT FROM ROW(\(meaning("said")))
                """) == [])
        // The first scheme began on 1 September, the second on 20 October: a month in between has one of them.
        let all = "an_environment => NULL, copies => NULL"
        let range = "('2026-10-06', '2026-10-19', \(all))"
        #expect(
            try await database.value(
                """
                SELECT count(*) > 10 AND count(events) > 5 AND bool_and(currency = 'USD')
                  FROM attribution.report_conversion_value\(range)
                 WHERE advertised_app_id = \(AnswerFixture.apps[0]) AND conversion_value BETWEEN 1 AND 50
                   AND sequence_index = 0
                """) == "true")
        // With the second scheme the range has two.
        #expect(
            try await database.value(
                """
                SELECT count(events) FROM attribution.report_conversion_value('2026-10-06', '2026-10-25', \(all))
                 WHERE advertised_app_id = \(AnswerFixture.apps[0]) AND sequence_index = 0
                """) == "0")
    }
}
