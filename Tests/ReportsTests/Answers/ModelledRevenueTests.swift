import TestSupport
import Testing

@Suite("Modelled revenue", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct ModelledRevenueTests {
    private let database = TestDatabase.current

    typealias Row = AnswerRows.Row

    /// One level of 40 known and 10 withheld values, and one of 10 and 5, which rests on the app.
    private static let twoLevels = [
        Row { ($0.line, $0.mapped, $0.middle, $0.square) = (1, 20, 20, 20) },
        Row {
            ($0.line, $0.day, $0.mapped, $0.middle, $0.square, $0.withheld) = (2, "2026-07-12", 20, 60, 180, 10)
        },
        Row { ($0.line, $0.mapped, $0.middle, $0.square, $0.withheld) = (3, 10, 50, 300, 5) },
    ]

    private func expectLevels(
        of arguments: String = "'2026-07-01', '2026-07-31'", where condition: String = "true", _ table: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await database.expect(
            """
            SELECT week, ad_network_id AS network, campaign, currency, mapped, withheld, modelled_from, modelled_known,
                   modelled_below_minimum AS too_few, modelled_withheld AS filled, modelled_missing AS missing,
                   modelled_revenue_middle AS revenue, round(modelled_half_width, 4) AS half_width
              FROM attribution.report_modelled_revenue(\(arguments)) WHERE \(condition)
            """, table, sourceLocation: sourceLocation)
    }

    @Test("A level is the last two digits of a network, app, version class, window and week")
    func level() async throws {
        let rows =
            Self.twoLevels + [
                Row { ($0.line, $0.day, $0.mapped, $0.middle) = (2, "2026-07-13", 30, 30) },
                Row { ($0.line, $0.mapped, $0.middle) = (4, 31, 31) },
                Row { ($0.line, $0.mapped, $0.middle) = (5, 32, 32) },
                Row { ($0.line, $0.mapped, $0.middle) = (6, 33, 33) },
                Row { ($0.line, $0.window, $0.mapped, $0.middle) = (1, 1, 34, 34) },
                Row { ($0.line, $0.mapped, $0.middle) = (7, 35, 35) },
                Row { ($0.line, $0.mapped, $0.middle) = (8, 36, 36) },
                Row { ($0.line, $0.didWin, $0.postbacks) = (1, false, 37) },
            ]
        try await AnswerRows.store(rows, in: database)
        try await database.expect(
            """
            SELECT *, campaign_type AS type, advertised_app_id AS app, sequence_index AS number
              FROM attribution.report_modelled_revenue_all
            """,
            """
            environment  developer_copy  week        protocol          type               campaign  app  number  postbacks  mapped  revenue_middle
            production   false           2026-07-06  skadnetwork       source-identifier  17        7    0       15         10      50
            production   false           2026-07-13  skadnetwork       source-identifier  39        7    0       30         30      30
            production   false           2026-07-06  skadnetwork       campaign-id        39        7    0       31         31      31
            production   false           2026-07-06  adattributionkit  source-identifier  39        7    0       32         32      32
            production   false           2026-07-06  skadnetwork       source-identifier  39        8    0       33         33      33
            production   false           2026-07-06  skadnetwork       source-identifier  39        7    1       34         34      34
            test         false           2026-07-06  skadnetwork       source-identifier  39        7    0       35         35      35
            production   true            2026-07-06  skadnetwork       source-identifier  39        7    0       36         36      36
            production   false           2026-07-06  skadnetwork       source-identifier  39        7    0       50         40      80
            """)
        let production = "SELECT count(*) FROM attribution.report_modelled_revenue"
        #expect(try await database.value(production) == "7")
    }

    // 80 · 50 ÷ 40 = 100; s² = (200 − 80² ÷ 40) ÷ 39 and 1.96 · √(s² · (10² ÷ 40 + 10)) = 7.0179.
    // The app has 50 known values, 130 in all, with the squares 500: 50 + 5 · 130 ÷ 50 = 63, and 8.3579.
    @Test("A withheld value is worth a known one of its level, or of the app if the level has fewer than the minimum")
    func fallback() async throws {
        try await AnswerRows.store(Self.twoLevels, in: database)
        try await expectLevels(
            """
            week        network      campaign  currency  mapped  withheld  modelled_from  modelled_known  too_few  filled  missing  revenue  half_width
            2026-07-06  com.example  39        USD       40      10        campaign       40              false    10      0        100      7.0179
            2026-07-06  com.other    17        USD       10      5         app            50              true     5       0        63       8.3579
            """)
        try await expectLevels(
            of: "'2026-07-01', '2026-07-31', 7, 41",
            """
            week        network      campaign  currency  mapped  withheld  modelled_from    modelled_known  too_few  filled  missing  revenue  half_width
            2026-07-06  com.example  39        USD       40      10        small_campaigns  50              true     10      0        106      12.3454
            2026-07-06  com.other    17        USD       10      5         small_campaigns  50              true     5       0        63       8.3579
            """)
        try await expectLevels(
            of: "'2026-07-01', '2026-07-31', 7, 10", where: "campaign = '17'",
            """
            week        network    campaign  currency  mapped  withheld  modelled_from  modelled_known  too_few  filled  missing  revenue  half_width
            2026-07-06  com.other  17        USD       10      5         campaign       10              false    5       0        75       12.6517
            """)
        try await expectLevels(
            of: "'2026-07-01', '2026-07-31', 9",
            """
            week  network  campaign  currency  mapped  withheld  modelled_from  modelled_known  too_few  filled  missing  revenue  half_width
            """)
        // A range cuts a week.
        try await expectLevels(
            of: "'2026-07-01', '2026-07-11'", where: "campaign = '39'",
            """
            week        network      campaign  currency  mapped  withheld  modelled_from  modelled_known  too_few  filled  missing  revenue  half_width
            2026-07-06  com.example  39        USD       20      0         -              -               false    0       0        20       0
            """)
    }

    // 20 and 15 known values of 80 and 65 in all: 4 · 145 ÷ 35 = 16.571429. The large campaign's mean is 1.
    @Test("If the app's small campaigns have enough known values together, they rest on these, not on its large ones")
    func smallCampaigns() async throws {
        let rows = [
            Row { ($0.line, $0.mapped, $0.middle, $0.square, $0.withheld) = (1, 100, 100, 100, 10) },
            Row { ($0.line, $0.mapped, $0.middle, $0.square, $0.withheld) = (3, 20, 80, 340, 4) },
            Row { ($0.line, $0.mapped, $0.middle, $0.square) = (9, 15, 65, 300) },
        ]
        try await AnswerRows.store(rows, in: database)
        // s² = (640 − 145² ÷ 35) ÷ 34 = 1.1555; 1.96 · √(s² · (4² ÷ 35 + 4)) = 4.4480.
        try await expectLevels(
            """
            week        network      campaign  currency  mapped  withheld  modelled_from    modelled_known  too_few  filled  missing  revenue    half_width
            2026-07-06  com.example  39        USD       100     10        campaign         100             false    10      0        110        0
            2026-07-06  com.other    17        USD       20      4         small_campaigns  35              true     4       0        96.571429  4.448
            2026-07-06  com.other    18        USD       15      0         -                -               false    0       0        65         0
            """)
        try await database.expect(
            """
            SELECT *, round(modelled_half_width, 4) AS half_width FROM attribution.report_modelled_revenue_by_app
            """,
            """
            modelled_revenue_middle  half_width
            271.571429               4.448
            """)
    }

    // The variance of both: 12.8205 + 18.1837 + 2 · 5 · 10 · s² ÷ 50, since the app's mean holds the level's values too.
    @Test("Levels are summed, never computed again at a higher level, and so are their variances")
    func sums() async throws {
        try await AnswerRows.store(Self.twoLevels, in: database)
        let app = """
            SELECT *, advertised_app_id AS app, round(modelled_half_width, 4) AS half_width,
                   round(modelled_interval_low, 4) AS low, round(modelled_interval_high, 4) AS high
              FROM attribution.report_modelled_revenue_by_app
            """
        try await database.expect(
            app,
            """
            app  sequence_index  currency  postbacks  mapped  withheld  revenue_middle
            7    0               USD       65         50      15        130
            """)
        try await database.expect(
            app,
            """
            modelled_withheld  modelled_from_app  modelled_missing  modelled_revenue_middle  half_width  low       high
            15                 5                  0                 163                      11.2688     151.7312  174.2688
            """)
        try await database.expect(
            "SELECT *, round(modelled_half_width, 4) AS half_width FROM attribution.report_modelled_revenue_by_network",
            """
            ad_network_id  modelled_revenue_middle  half_width
            com.example    100                      7.0179
            com.other      63                       8.3579
            """)
    }

    @Test("The interval goes from the least revenue to the greatest, and not below the least that is known")
    func interval() async throws {
        let row = Row {
            ($0.mapped, $0.withheld, $0.low, $0.middle, $0.high, $0.open) = (30, 60, 30, 60, 90, 2)
            $0.square = 1_860
        }
        try await AnswerRows.store([row], in: database)
        // s² = (1860 − 120) ÷ 29 = 60; 1.96 · √(60 · (60² ÷ 30 + 60)) = 203.6892.
        try await database.expect(
            """
            SELECT *, modelled_revenue_low AS low, modelled_revenue_middle AS middle, modelled_revenue_high AS high,
                   round(modelled_half_width, 4) AS half_width, modelled_interval_low AS least,
                   round(modelled_interval_high, 4) AS greatest
              FROM attribution.report_modelled_revenue_all
            """,
            """
            low  middle  high  half_width  least  greatest  revenue_open
            90   180     270   203.6892    30     473.6892  2
            """)
    }

    @Test("Withheld values without a currency are shared by the known values of the level, or else of the app")
    func currencies() async throws {
        let rows = [
            Row { ($0.line, $0.mapped, $0.middle, $0.withheld) = (1, 30, 30, 2) },
            Row { ($0.line, $0.currency, $0.mapped, $0.middle) = (1, "EUR", 10, 20) },
            Row { ($0.line, $0.currency, $0.withheld, $0.ambiguous) = (2, "", 8, 3) },
            Row { ($0.line, $0.currency, $0.withheld) = (3, "", 4) },
            Row { ($0.line, $0.day, $0.currency, $0.withheld) = (3, "2026-07-13", "", 5) },
            Row { ($0.line, $0.mapped, $0.middle, $0.withheld) = (6, 1, 30, 6) },
        ]
        try await AnswerRows.store(rows, in: database)
        try await expectLevels(
            of: "'2026-07-01', '2026-07-31', NULL, 10",
            """
            week        network      campaign  currency  mapped  withheld  modelled_from  modelled_known  too_few  filled  missing  revenue  half_width
            2026-07-06  com.example  39        EUR       10      0         campaign       10              false    2       0        24       0
            2026-07-06  com.example  39        USD       30      2         campaign       30              false    8       0        38       0
            2026-07-06  com.example  39        -         0       8         -              -               false    0       0        0        0
            2026-07-06  com.other    17        EUR       0       0         app            10              true     1       0        2        0
            2026-07-06  com.other    17        USD       0       0         app            30              true     3       0        3        0
            2026-07-06  com.other    17        -         0       4         -              -               false    0       0        0        0
            2026-07-06  com.example  39        USD       1       6         none           -               true     6       6        30       0
            2026-07-13  com.other    17        -         0       5         none           -               true     5       5        0        0
            """)
    }
}
