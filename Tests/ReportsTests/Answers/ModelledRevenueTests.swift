import TestSupport
import Testing

@Suite("Modelled revenue", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct ModelledRevenueTests {
    private let database = TestDatabase.current

    typealias Row = AnswerRows.Row

    /// One level of 40 mapped and 10 withheld values, and one of 10 and 5, which rests on the app.
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
            SELECT week, ad_network_id AS network, campaign, currency, mapped, withheld, modelled_from, modelled_mapped,
                   modelled_below_minimum AS too_few, modelled_withheld AS filled, modelled_missing AS missing,
                   modelled_revenue_middle AS revenue, round(modelled_interval_low, 4) AS low,
                   round(modelled_interval_high, 4) AS high
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

    // 80 · 50 ÷ 40 = 100. The app has 50 mapped values, 130 in all, with the squares 500: 50 + 5 · 130 ÷ 50 = 63.
    @Test("A withheld value is worth a mapped one of its level, or of the app if the level has fewer than the minimum")
    func fallback() async throws {
        try await AnswerRows.store(Self.twoLevels, in: database)
        try await expectLevels(
            """
            week        network      campaign  currency  mapped  withheld  modelled_from  modelled_mapped  too_few  filled  missing  revenue  low      high
            2026-07-06  com.example  39        USD       40      10        campaign       40               false    10      0        100      92.4275  120.3183
            2026-07-06  com.other    17        USD       10      5         app            50               true     5       0        63       50.4971  84.1822
            """)
        try await expectLevels(
            of: "'2026-07-01', '2026-07-31', 7, 41",
            """
            week        network      campaign  currency  mapped  withheld  modelled_from    modelled_mapped  too_few  filled  missing  revenue  low      high
            2026-07-06  com.example  39        USD       40      10        small_campaigns  50               true     10      0        106      83.7927  145.4226
            2026-07-06  com.other    17        USD       10      5         small_campaigns  50               true     5       0        63       50.4971  84.1822
            """)
        try await expectLevels(
            of: "'2026-07-01', '2026-07-31', 7, 10", where: "campaign = '17'",
            """
            week        network    campaign  currency  mapped  withheld  modelled_from  modelled_mapped  too_few  filled  missing  revenue  low      high
            2026-07-06  com.other  17        USD       10      5         campaign       10               false    5       0        75       61.4659  93.7208
            """)
        try await expectLevels(
            of: "'2026-07-01', '2026-07-31', 9",
            """
            week  network  campaign  currency  mapped  withheld  modelled_from  modelled_mapped  too_few  filled  missing  revenue  low  high
            """)
        // A range cuts a week. If nothing is withheld, the interval is the revenue itself.
        try await expectLevels(
            of: "'2026-07-01', '2026-07-11'", where: "campaign = '39'",
            """
            week        network      campaign  currency  mapped  withheld  modelled_from  modelled_mapped  too_few  filled  missing  revenue  low  high
            2026-07-06  com.example  39        USD       20      0         -              -                false    0       0        20       20   20
            """)
    }

    // 20 and 15 mapped values of 80 and 65 in all: 4 · 145 ÷ 35 = 16.571429. The large campaign's mean is 1.
    @Test("If the app's small campaigns have enough mapped values together, they rest on these, not on its large ones")
    func smallCampaigns() async throws {
        let rows = [
            Row { ($0.line, $0.mapped, $0.middle, $0.square, $0.withheld) = (1, 100, 100, 100, 10) },
            Row { ($0.line, $0.mapped, $0.middle, $0.square, $0.withheld) = (3, 20, 80, 340, 4) },
            Row { ($0.line, $0.mapped, $0.middle, $0.square) = (9, 15, 65, 300) },
        ]
        try await AnswerRows.store(rows, in: database)
        try await expectLevels(
            """
            week        network      campaign  currency  mapped  withheld  modelled_from    modelled_mapped  too_few  filled  missing  revenue    low      high
            2026-07-06  com.example  39        USD       100     10        campaign         100              false    10      0        110        110      123.0804
            2026-07-06  com.other    17        USD       20      4         small_campaigns  35               true     4       0        96.571429  81.9731  120.0753
            2026-07-06  com.other    18        USD       15      0         -                -                false    0       0        65         65       65
            """)
        try await expectSums(
            """
            app  filled  from_app  missing  revenue     low       high      payers
            7    14      4         0        271.571429  255.9136  297.173   81.11
            """)
    }

    @Test("Levels are summed, and so is what the ends of an interval follow from: ends are not added")
    func sums() async throws {
        try await AnswerRows.store(Self.twoLevels, in: database)
        try await database.expect(
            "SELECT *, advertised_app_id AS app FROM attribution.report_modelled_revenue_by_app",
            """
            app  sequence_index  currency  postbacks  mapped  withheld  revenue_middle
            7    0               USD       65         50      15        130
            """)
        // The ends of the levels in `fallback` add up to 142.9246 and 204.5005.
        try await expectSums(
            """
            app  filled  from_app  missing  revenue  low       high      payers
            7    15      5         0        163      146.7912  194.5436  33.8
            """)
        try await database.expect(
            """
            SELECT *, round(modelled_interval_low, 4) AS low, round(modelled_interval_high, 4) AS high
              FROM attribution.report_modelled_revenue_by_network
            """,
            """
            ad_network_id  modelled_revenue_middle  low      high
            com.example    100                      92.4275  120.3183
            com.other      63                       50.4971  84.1822
            """)
    }

    private func expectSums(
        of arguments: String = "'2026-07-01', '2026-07-31'", _ table: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await database.expect(
            """
            SELECT advertised_app_id AS app, modelled_withheld AS filled, modelled_from_app AS from_app,
                   modelled_missing AS missing, modelled_revenue_middle AS revenue,
                   round(modelled_interval_low, 4) AS low, round(modelled_interval_high, 4) AS high,
                   modelled_payers AS payers
              FROM attribution.report_modelled_revenue_by_app(\(arguments))
            """, table, sourceLocation: sourceLocation)
    }

    /// Gives the apps 7 and 8 a scheme of window 0 whose fine values mean these amounts, from the least to the greatest.
    private func storeScheme(of amounts: [(low: Double, high: Double?)], from day: String = "2026-06-01") async throws {
        for app in [7, 8] {
            let meanings = amounts.indices.map { value in
                let high = amounts[value].high.map { "\($0)" } ?? "NULL"
                return
                    "(\(app), '\(day) 00:00Z', 0, \(value), 'purchase', \(amounts[value].low), \(high), 1, 1, false)"
            }
            try await database.run(
                """
                INSERT INTO attribution.conversion_scheme (
                       advertised_app_id, valid_from, name, currency, document, sha256, loaded_at)
                VALUES (\(app), '\(day) 00:00Z', 'amounts', 'USD', '{}', '', now());
                INSERT INTO attribution.conversion_meaning (
                       advertised_app_id, valid_from, sequence_index, fine, event, revenue_low, revenue_high, count_low,
                       count_high, locks)
                VALUES \(meanings.joined(separator: ", "))
                """)
        }
    }

    // The former interval was 0 to 0.
    @Test("If no mapped value brought revenue, the high end rests on the scheme")
    func nobodyPaid() async throws {
        try await storeScheme(of: [(0, 0), (33, 33)])
        try await AnswerRows.store([Row { ($0.mapped, $0.withheld) = (40, 160) }], in: database)
        try await expectSums(
            """
            app  filled  from_app  missing  revenue  low  high      payers
            7    160     0         0        0        0    230.9509  0
            """)
        try await expectSums(
            of: "'2026-07-01', '2026-07-31', 7, withheld_worth => '[0.5,2]'",
            """
            app  filled  from_app  missing  revenue  low  high      payers
            7    160     0         0        0        0    461.9019  0
            """)
    }

    @Test(
        "If neither mapped values nor the scheme bring revenue, or no scheme is known, there is no interval",
        arguments: [true, false])
    func nothingCanBeSaid(hasScheme: Bool) async throws {
        if hasScheme { try await storeScheme(of: [(0, 0)]) }
        try await AnswerRows.store([Row { ($0.mapped, $0.withheld) = (40, 160) }], in: database)
        try await expectSums(
            """
            app  filled  from_app  missing  revenue  low  high  payers
            7    160     0         0        0        -    -     0
            """)
    }

    // 15 of 49 pay: five 5, five 10, five 20. The former interval was 181 to 319.
    @Test("With some payers, the interval reaches farther above than 1.96 standard errors")
    func somePay() async throws {
        try await storeScheme(of: [(0, 0), (5, 5), (10, 10), (20, 20)])
        try await AnswerRows.store(
            [Row { ($0.mapped, $0.withheld, $0.middle, $0.square) = (49, 21, 175, 2_625) }], in: database)
        try await expectSums(
            """
            app  filled  from_app  missing  revenue  low       high     payers
            7    21      0         0        250      190.1571  349.099  11.67
            """)
    }

    @Test("With fewer than 10 mapped values there is no interval")
    func fewMapped() async throws {
        try await storeScheme(of: [(0, 0), (33, 33)])
        let rows = [
            Row { ($0.mapped, $0.withheld, $0.middle, $0.square) = (9, 21, 30, 100) },
            Row { ($0.line, $0.mapped, $0.withheld, $0.middle, $0.square) = (6, 10, 21, 30, 100) },
        ]
        try await AnswerRows.store(rows, in: database)
        try await expectSums(
            """
            app  filled  from_app  missing  revenue  low      high      payers
            7    21      21        0        100      -        -         9
            8    21      21        0        93       44.3266  292.4717  9
            """)
    }

    @Test("The interval goes from the low ends of ranges to the high ones, and never inside the modelled revenue")
    func interval() async throws {
        try await storeScheme(of: [(0, 0), (1, 3), (5, 15)])
        let row = Row {
            ($0.mapped, $0.withheld, $0.low, $0.middle, $0.high, $0.square) = (30, 60, 30, 60, 90, 300)
        }
        try await AnswerRows.store([row], in: database)
        try await database.expect(
            """
            SELECT *, modelled_revenue_low AS low, modelled_revenue_middle AS middle, modelled_revenue_high AS high,
                   round(modelled_interval_low, 4) AS least, round(modelled_interval_high, 4) AS greatest
              FROM attribution.report_modelled_revenue_all
            """,
            """
            low  middle  high  least    greatest
            90   180     270   60.9616  435.4425
            """)
        for (worth, ends) in [("[2,2.5]", "90       953.6063"), ("[0.4,0.5]", "42.3846  270")] {
            try await database.expect(
                """
                SELECT round(modelled_interval_low, 4) AS least, round(modelled_interval_high, 4) AS greatest
                  FROM attribution.report_modelled_revenue_by_app(
                       '2026-07-01', '2026-07-31', withheld_worth => '\(worth)')
                """,
                """
                least    greatest
                \(ends)
                """)
        }
    }

    // The open range begins at 6: one mapped value in it is 10 percent of 60, two are 20.
    @Test("There is no high end if more than a tenth of the revenue of mapped values is in ranges without an upper end")
    func openRanges() async throws {
        try await storeScheme(of: [(0, 0), (1, 3), (5, 7), (6, nil)])
        let rows = [(1, 1), (6, 2)].map { line, open in
            Row {
                ($0.line, $0.mapped, $0.withheld, $0.low, $0.middle, $0.high) = (line, 30, 60, 50, 60, 70)
                ($0.square, $0.open) = (300, open)
            }
        }
        try await AnswerRows.store(rows, in: database)
        try await expectSums(
            """
            app  filled  from_app  missing  revenue  low       high      payers
            7    60      0         0        180      101.7091  329.7898  12
            8    60      0         0        180      101.7091  -         12
            """)
    }

    // Of the revenue of July, 1,000 of 1,029 is in the range that was open then. Before, the open range of August counted.
    @Test("Open ranges of earlier schemes count too, since values of earlier weeks may be in them")
    func earlierOpenRanges() async throws {
        try await storeScheme(of: [(0, 0), (1, 1), (1_000, nil)])
        try await storeScheme(of: [(0, 0), (1, 1), (1, nil)], from: "2026-08-01")
        let row = Row {
            ($0.mapped, $0.withheld, $0.low, $0.middle, $0.high) = (30, 60, 1_029, 1_029, 1_029)
            ($0.square, $0.open) = (1_000_029, 1)
        }
        try await AnswerRows.store([row], in: database)
        try await database.expect(
            """
            SELECT count(modelled_interval_low) AS low, count(modelled_interval_high) AS high
              FROM attribution.report_modelled_revenue_by_app('2026-07-01', '2026-09-30')
            """,
            """
            low  high
            1    0
            """)
    }

    // Line 4 is another version class, and has one mapped value.
    @Test("A sum has an interval unless more than a tenth of its withheld values say nothing", arguments: [11, 12])
    func missingParts(withheld: Int) async throws {
        try await storeScheme(of: [(0, 0), (33, 33)])
        let rows = [
            Row { ($0.mapped, $0.withheld, $0.middle, $0.square) = (100, 99, 100, 900) },
            Row { ($0.line, $0.mapped, $0.withheld) = (4, 1, withheld) },
        ]
        try await AnswerRows.store(rows, in: database)
        try await expectSums(
            withheld == 11
                ? """
                app  filled  from_app  missing  revenue  low       high      payers
                7    110     0         11       199      132.4731  348.2508  11.11
                """
                : """
                app  filled  from_app  missing  revenue  low  high  payers
                7    111     0         12       199      -    -     11.11
                """)
    }

    @Test(
        "withheld_worth moves the ends, not the middle; without an upper bound there is no high end",
        arguments: [
            ("[1,1]", "132.9632  350.4089"), ("[0.5,2]", "116.4816  600.8179"), ("[0.5,)", "116.4816  -"),
            ("(,2]", "100       600.8179"), ("empty", "100       -"),
        ])
    func withheldWorth(range: String, ends: String) async throws {
        try await storeScheme(of: [(0, 0), (33, 33)])
        try await AnswerRows.store(
            [Row { ($0.mapped, $0.withheld, $0.middle, $0.square) = (100, 100, 100, 900) }], in: database)
        try await expectSums(
            of: "'2026-07-01', '2026-07-31', withheld_worth => '\(range)'",
            """
            app  filled  from_app  missing  revenue  low       high      payers
            7    100     0         0        200      \(ends)  11.11
            """)
    }

    @Test("Withheld values without a currency are shared by the mapped values of the level, or else of the app")
    func currencies() async throws {
        let rows = [
            Row { ($0.line, $0.mapped, $0.middle, $0.square, $0.withheld) = (1, 30, 30, 30, 2) },
            Row { ($0.line, $0.currency, $0.mapped, $0.middle, $0.square) = (1, "EUR", 10, 20, 40) },
            Row { ($0.line, $0.currency, $0.withheld, $0.ambiguous) = (2, "", 8, 3) },
            Row { ($0.line, $0.currency, $0.withheld) = (3, "", 4) },
            Row { ($0.line, $0.day, $0.currency, $0.withheld) = (3, "2026-07-13", "", 5) },
            Row { ($0.line, $0.mapped, $0.middle, $0.square, $0.withheld) = (6, 1, 30, 900, 6) },
        ]
        try await AnswerRows.store(rows, in: database)
        try await expectLevels(
            of: "'2026-07-01', '2026-07-31', NULL, 10",
            """
            week        network      campaign  currency  mapped  withheld  modelled_from  modelled_mapped  too_few  filled  missing  revenue  low     high
            2026-07-06  com.example  39        EUR       10      0         campaign       10               false    2       0        24       24      25.2513
            2026-07-06  com.example  39        USD       30      2         campaign       30               false    8       0        38       38      38.668
            2026-07-06  com.example  39        -         0       8         -              -                false    0       0        -        -       -
            2026-07-06  com.other    17        EUR       0       0         app            10               true     1       0        2        0       4.9199
            2026-07-06  com.other    17        USD       0       0         app            30               true     3       0        3        0.3071  7.144
            2026-07-06  com.other    17        -         0       4         -              -                false    0       0        -        -       -
            2026-07-06  com.example  39        USD       1       6         none           -                true     6       6        30       -       -
            2026-07-13  com.other    17        -         0       5         none           -                true     5       5        -        -       -
            """)
    }
}
