import CampaignData
import TestSupport
import Testing

@Suite("One row a campaign", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct CampaignSummaryTests {
    private let database = TestDatabase.current

    typealias Row = AnswerRows.Row

    private func load(_ rows: [Row], spend: [[String: String]] = [], rates: String? = nil) async throws {
        try await AnswerRows.store(rows, in: database)
        try await database.withStore { store in
            let named = [
                MappingFiles.group("39", "autumn", ["campaign_name": "Autumn"]), MappingFiles.group("5239", "spring"),
                ["campaign_type": "campaign-id", "identifier": "39", "campaign_id": "autumn"],
            ]
            _ = try await store.load(MappingFiles.read(MappingFiles.csv(named)))
            _ = try await SpendFiles(spend.map { SpendFiles.row(["campaign_id": "autumn"].merging($0) { $1 }) })
                .load(into: store)
            if let rates { _ = try await store.load(SpendFiles.rates(rates)) }
        }
    }

    private let summary = "SELECT * FROM attribution.report_campaign_summary('2026-07-06', '2026-07-12', 7)"

    @Test("Protocols, versions and windows of a mapped campaign are one row, with cost, returns and missing values")
    func oneRow() async throws {
        try await load(
            [
                Row { ($0.line, $0.mapped, $0.withheld, $0.middle) = (2, 40, 10, 400) },
                Row { ($0.line, $0.window, $0.mapped, $0.middle) = (2, 1, 5, 50) },
                // SKAdNetwork up to 3.0, and AdAttributionKit.
                Row { ($0.line, $0.mapped, $0.low, $0.middle, $0.high, $0.open) = (4, 30, 30, 60, 90, 1) },
                Row { ($0.line, $0.withheld) = (5, 20) },
            ], spend: [["day": "2026-07-06", "spend": "200"]])
        try await database.expect(
            summary,
            """
            campaign_id  campaign_name  currency  cost  installs  no_value_share  mapped  withheld  revenue_low  revenue_middle  revenue_high
            autumn       Autumn         USD       200   100       0.3000          75      30        480          510             540
            """)
        // Ten values are worth 10 each. There is no mapped value of AdAttributionKit, so no model of its 20.
        try await database.expect(
            summary,
            """
            modelled_missing  modelled_revenue_low  modelled_revenue_middle  modelled_revenue_high  modelled_roas_middle
            20                580                   610                      640                    3.05
            """)
        try await database.expect(
            summary,
            """
            cost_per_install  roas_0_middle  roas_1_middle  roas_2_middle  roas_middle  revenue_open
            2                 2.3            0.25           -              2.55         1
            """)
    }

    @Test("The withheld values of a level are worth the same in each of its campaigns, at the rates of their days")
    func shared() async throws {
        try await load(
            [
                Row { ($0.mapped, $0.middle) = (40, 400) },
                Row { ($0.day, $0.withheld) = ("2026-07-07", 6) },
                Row { ($0.line, $0.withheld) = (2, 4) },
                Row { ($0.line, $0.day, $0.withheld) = (2, "2026-07-08", 2) },
            ],
            spend: [["day": "2026-07-06", "spend": "100", "currency": "EUR"]],
            rates: "day,currency,units_per_usd\n2026-07-06,EUR,0.5\n2026-07-08,EUR,0.8\n")
        // 400 · 0.5, and 6 · 10 · 0.5; 4 · 10 · 0.5 + 2 · 10 · 0.8.
        try await database.expect(
            summary,
            """
            campaign_id  currency  revenue_middle  modelled_revenue_middle  modelled_missing  modelled_roas_middle
            spring       EUR       200             230                      0                 -
            autumn       EUR       -               36                       0                 0.36
            """)
        // Without a rate nobody knows the amount.
        try await database.run("DELETE FROM attribution.currency_rate WHERE day = '2026-07-06'")
        try await database.expect(
            summary,
            """
            campaign_id  currency  revenue_middle  modelled_revenue_middle
            spring       EUR       -               -
            autumn       EUR       -               -
            """)
    }

    @Test("Where no value is mapped and nothing is modelled, revenue and modelled revenue are NULL")
    func nothingMapped() async throws {
        try await load(
            [Row { ($0.line, $0.withheld) = (2, 10) }], spend: [["day": "2026-07-06", "spend": "100"]])
        try await database.expect(
            summary,
            """
            installs  withheld  modelled_missing  no_value_share  revenue_low  roas_middle  modelled_revenue_low  modelled_roas_high
            10        10        10                1.0000          -            -            -                     -
            """)
    }
}
