import CampaignData
import TestSupport
import Testing

@Suite("Cohorts", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct CohortTests {
    private let database = TestDatabase.current

    typealias Row = AnswerRows.Row

    @Test("The windows of a week and a day stand side by side, each with its postbacks and its revenue")
    func windows() async throws {
        let rows = [
            Row { ($0.mapped, $0.withheld, $0.low, $0.middle, $0.high, $0.open) = (4, 1, 1, 2.5, 4, 1) },
            Row { ($0.day, $0.mapped, $0.middle) = ("2026-07-12", 3, 3) },
            Row { ($0.window, $0.mapped, $0.middle) = (1, 2, 8) },
            // Another currency is not known of these: they stand beside the only one there is.
            Row { ($0.window, $0.currency, $0.ambiguous) = (2, "", 6) },
            Row { ($0.didWin, $0.postbacks) = (false, 9) },
            Row { ($0.day, $0.mapped, $0.middle) = ("2026-07-13", 1, 1) },
        ]
        try await AnswerRows.store(rows, in: database)
        let weeks = "SELECT * FROM attribution.report_cohort"
        try await database.expect(
            weeks,
            """
            week        campaign  currency  postbacks_0  mapped_0  revenue_0_low  revenue_0_middle  revenue_0_high  revenue_0_open
            2026-07-06  5239      USD       8            7         4              5.5               7               1
            2026-07-13  5239      USD       1            1         1              1                 1               0
            """)
        try await database.expect(
            weeks,
            """
            week        postbacks_1  mapped_1  revenue_1_middle  postbacks_2  mapped_2  revenue_2_middle
            2026-07-06  2            2         8                 6            0         -
            2026-07-13  0            0         -                 0            0         -
            """)
        let days = "SELECT * FROM attribution.report_cohort_daily('2026-07-06', '2026-07-12', 7)"
        try await database.expect(
            days,
            """
            day         currency  postbacks_0  mapped_0  revenue_0_low  revenue_0_middle  revenue_0_high  revenue_0_open
            2026-07-06  USD       5            4         1              2.5               4               1
            2026-07-12  USD       3            3         3              3                 3               0
            """)
        try await database.expect(
            days,
            """
            day         postbacks_1  mapped_1  revenue_1_middle  postbacks_2  mapped_2  revenue_2_middle
            2026-07-06  2            2         8                 6            0         -
            2026-07-12  0            0         -                 0            0         -
            """)
        #expect(
            try await database.column("SELECT day FROM attribution.report_cohort_daily('2026-07-07', '2026-07-11')")
                == [])
    }

    @Test("Beside two currencies, postbacks without one have a row of their own")
    func currencies() async throws {
        let rows = [
            Row { ($0.mapped, $0.middle) = (1, 1) }, Row { ($0.currency, $0.mapped, $0.middle) = ("EUR", 2, 2) },
            Row { ($0.currency, $0.withheld) = ("", 3) },
        ]
        try await AnswerRows.store(rows, in: database)
        try await database.expect(
            "SELECT * FROM attribution.report_cohort_all",
            """
            currency  postbacks_0
            USD       1
            EUR       2
            -         3
            """)
    }

    @Test("Cohorts by mapped name have all versions, protocols and digits of a campaign in one row")
    func mapped() async throws {
        let rows = [
            Row { ($0.line, $0.mapped, $0.withheld, $0.middle) = (2, 4, 1, 8) },
            Row { ($0.line, $0.window, $0.currency, $0.ambiguous) = (2, 1, "", 6) },
            Row { ($0.line, $0.day, $0.mapped, $0.middle) = (4, "2026-07-12", 3, 3) },
            Row { ($0.line, $0.window, $0.mapped, $0.middle) = (5, 2, 2, 5) },
            Row { ($0.line, $0.mapped, $0.middle) = (6, 1, 1) },
            Row { ($0.line, $0.mapped, $0.middle) = (3, 1, 2) },
            Row { ($0.line, $0.mapped, $0.middle) = (9, 2, 2) },
        ]
        try await AnswerRows.store(rows, in: database)
        try await database.withStore { store in
            let named = [
                MappingFiles.group("39", "autumn", ["campaign_name": "Autumn"]),
                ["campaign_type": "campaign-id", "identifier": "39", "campaign_id": "autumn"],
            ]
            _ = try await store.load(MappingFiles.read(MappingFiles.csv(named)))
        }
        try await database.expect(
            """
            SELECT * FROM attribution.report_cohort_mapping('2026-07-06', '2026-07-12')
             ORDER BY network_name, advertised_app_id
            """,
            """
            network_name  advertised_app_id  campaign_id  campaign_name  currency  postbacks_0  mapped_0  postbacks_1  ambiguous_1  mapped_2
            com.example   7                  autumn       Autumn         USD       8            7         6            6            2
            com.example   8                  autumn       Autumn         USD       1            1         0            0            0
            com.other     7                  -            -              USD       3            3         0            0            0
            """)
        try await database.expect(
            "SELECT * FROM attribution.report_cohort_mapping_daily('2026-07-07', '2026-07-12', 7)",
            """
            day         campaign_id  currency  postbacks_0  revenue_0_middle
            2026-07-12  autumn       USD       3            3
            """)
    }

    @Test("A window of a cohort is complete when no more of its postbacks can arrive")
    func complete() async throws {
        try await AnswerRows.store([], in: database, days: [4, 5, 13, 14, 41, 42])
        try await database.expect(
            "SELECT *, (now() AT TIME ZONE 'UTC')::date - day AS days_ago FROM attribution.report_cohort_daily",
            """
            days_ago  complete_0  complete_1  complete_2
            4         false       false       false
            5         true        false       false
            13        true        false       false
            14        true        true        false
            41        true        true        false
            42        true        true        true
            """)
        // A week is as complete as its last day.
        #expect(
            try await database.value(
                """
                SELECT bool_and(complete_2 = ((now() AT TIME ZONE 'UTC')::date - week >= 48))
                  FROM attribution.report_cohort
                """) == "true")
    }
}
