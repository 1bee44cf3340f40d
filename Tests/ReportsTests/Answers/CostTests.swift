import CampaignData
import TestSupport
import Testing

@Suite("Cost", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct CostTests {
    private let database = TestDatabase.current

    typealias Row = AnswerRows.Row

    /// Three days of one campaign, and an identifier that the mapping does not name.
    private static let rows = [
        Row {
            ($0.postbacks, $0.redownloads, $0.reengagements, $0.mapped) = (100, 20, 30, 60)
            ($0.low, $0.middle, $0.high) = (10, 20, 30)
        },
        Row { ($0.line, $0.day, $0.mapped, $0.middle) = (2, "2026-07-07", 30, 10) },
        Row { ($0.line, $0.day, $0.mapped, $0.middle) = (5, "2026-07-08", 20, 10) },
        Row { ($0.line, $0.day, $0.window, $0.mapped, $0.middle) = (2, "2026-07-07", 1, 5, 40) },
        Row { ($0.line, $0.mapped, $0.middle) = (3, 7, 70) },
        Row { ($0.didWin, $0.postbacks) = (false, 9) },
    ]

    private func load(_ database: TestDatabase, _ spend: [[String: String]], rates: String? = nil) async throws {
        try await AnswerRows.store(Self.rows, in: database)
        try await database.withStore { store in
            let named = [("39", "autumn", "Autumn"), ("71", "winter", "Winter")].map { digits, campaign, name in
                MappingFiles.group(digits, campaign, ["campaign_name": name])
            }
            let mapping = try MappingFiles.read(MappingFiles.csv(named))
            _ = try await store.load(mapping)
            _ = try await SpendFiles(spend.map { SpendFiles.row(["campaign_id": "autumn"].merging($0) { $1 }) })
                .load(into: store)
            if let rates { _ = try await store.load(SpendFiles.rates(rates)) }
        }
    }

    @Test("Cost stands beside installs and revenue of its campaign; one without the other has a row too")
    func sides() async throws {
        try await load(
            database,
            [
                ["day": "2026-07-06", "spend": "60", "installs": "55", "country": "US"],
                ["day": "2026-07-06", "spend": "40", "installs": "40", "country": "DE"],
                ["day": "2026-07-07", "spend": "20"], ["day": "2026-07-09", "spend": "500"],
                ["day": "2026-07-07", "spend": "3", "campaign_id": "winter"],
            ])
        try await database.expect(
            """
            SELECT * FROM attribution.report_cost('2026-07-06', '2026-07-08')
             WHERE environment = 'production' AND NOT developer_copy
            """,
            """
            network_name  campaign_id  currency  cost  cost_without_rate  installs  redownloads  reengagements  network_installs
            com.example   autumn       USD       120   0                  100       20           30             95
            com.example   winter       USD       3     0                  0         0            0              -
            com.other     -            USD       -     0                  7         0            0              -
            """)
        let autumn = """
            SELECT * FROM attribution.report_cost('2026-07-06', '2026-07-08', 7)
             WHERE environment = 'production' AND NOT developer_copy AND campaign_id = 'autumn'
            """
        try await database.expect(
            autumn,
            """
            installs_low  installs_high  cost_per_install_low  cost_per_install  cost_per_install_high
            30            100            1.2                   1.2               4
            """)
        try await database.expect(
            autumn,
            """
            cost_per_install_or_engagement  cost_per_conversion  revenue_0_low  revenue_0_middle  revenue_0_high
            0.923077                        0.8                  30             40                50
            """)
        try await database.expect(
            autumn,
            """
            revenue_1_middle  roas_0_low  roas_0_middle  roas_0_high  roas_low  roas_middle  roas_high
            40                0.250000    0.333333       0.416667     0.583333  0.666667     0.750000
            """)
        try await database.expect(
            """
            SELECT *, campaign_id AS campaign, cost_without_rate AS no_rate, network_installs AS theirs
              FROM attribution.report_cost_daily WHERE network_name = 'com.example'
            """,
            """
            day         campaign  currency  cost  no_rate  installs  redownloads  reengagements  theirs  campaign_name  cost_per_install
            2026-07-06  autumn    USD       100   0        50        20           30             95      Autumn         2.000000
            2026-07-07  autumn    USD       20    0        30        0            0              -       Autumn         0.666667
            2026-07-07  winter    USD       3     0        0         0            0              -       Winter         -
            2026-07-08  autumn    USD       -     0        20        0            0              -       Autumn         -
            2026-07-09  autumn    USD       500   0        0         0            0              -       Autumn         -
            """)
        // Cost has no environment: it stands beside each that has postbacks of the app.
        try await database.expect(
            "SELECT * FROM attribution.report_cost_all WHERE campaign_id = 'autumn'",
            """
            environment  developer_copy  cost  installs
            production   false           620   100
            production   true            620   0
            test         false           620   0
            """)
    }

    @Test("Cost and revenue are converted day by day; a missing rate gives NULL and a count, but 0 needs none")
    func currencies() async throws {
        try await load(
            database,
            [
                ["day": "2026-07-06", "spend": "100", "currency": "EUR", "country": "US"],
                ["day": "2026-07-06", "spend": "50", "currency": "EUR", "country": "DE"],
                ["day": "2026-07-07", "spend": "10", "currency": "USD"],
                ["day": "2026-07-07", "spend": "0", "currency": "JPY", "country": "JP"],
            ], rates: "day,currency,units_per_usd\n2026-07-06,EUR,0.5\n2026-07-07,EUR,0.8\n")
        func expect(_ currency: String, last: String = "2026-07-07", _ row: String) async throws {
            try await database.expect(
                """
                SELECT * FROM attribution.report_cost('2026-07-06', '\(last)', 7, \(currency))
                 WHERE environment = 'production' AND NOT developer_copy AND campaign_id = 'autumn'
                """,
                """
                currency  cost  cost_without_rate  revenue_0_middle  revenue_1_middle  revenue_without_rate  roas_0_middle  roas_middle
                \(row)
                """)
        }
        // 150 + 10 · 0.8; 20 · 0.5 + 10 · 0.8; 40 · 0.8.
        let euros = "EUR  158  0  18  32  0  0.113924  0.316456"
        try await expect("'EUR'", euros)
        // The currency of most rows of spend.
        try await expect("NULL", euros)
        try await expect(
            "'USD'", "USD  310  0  30  40  0  0.096774  0.225806")
        try await expect("'GBP'", "GBP  -  3  -  -  95  -  -")
        // The rate of 7 July still counts on the 14th and not on the 15th.
        try await database.run("UPDATE attribution.spend_daily SET day = '2026-07-15' WHERE currency = 'USD'")
        try await expect("'EUR'", last: "2026-07-15", "EUR  -  1  26  32  0  -  -")
    }

    @Test("A report has one currency, so that its rows can be added: that of most rows of spend, whoever reported them")
    func oneCurrency() async throws {
        try await load(
            database,
            [
                ["day": "2026-07-06", "spend": "100", "currency": "EUR"],
                ["day": "2026-07-06", "spend": "30", "currency": "USD", "ad_network_id": "com.other", "country": "DE"],
                ["day": "2026-07-06", "spend": "20", "currency": "USD", "ad_network_id": "com.other", "country": "US"],
                ["day": "2026-07-07", "spend": "7", "currency": "JPY", "advertised_app_id": "8"],
            ], rates: "day,currency,units_per_usd\n2026-07-06,EUR,0.5\n")
        // Before, each network and app had a currency of its own: 100 EUR, 50 USD and 7 JPY.
        try await database.expect(
            """
            SELECT * FROM attribution.report_cost('2026-07-06', '2026-07-07')
             WHERE environment = 'production' AND NOT developer_copy AND (cost IS NOT NULL OR cost_without_rate > 0)
            """,
            """
            network_name  advertised_app_id  campaign_id  currency  cost  cost_without_rate
            com.example   7                  autumn       USD       200   0
            com.other     7                  autumn       USD       50    0
            com.example   8                  autumn       USD       -     1
            """)
        #expect(
            try await database.column("SELECT DISTINCT currency FROM attribution.report_cost_daily_all") == ["USD"])
    }

    @Test("Rows of the mapping with a country or a source app name installs, events and revenue beside cost too")
    func conditions() async throws {
        let (_, database) = try await AnswerFixture().folded(seed: 35)
        try await database.run(AnswerFacts.table)
        let names = ["mapped", "withheld", "not_set", "unmapped", "ambiguous", "no_scheme"]
        let places = "environment, developer_copy, network_name, advertised_app_id, campaign_id"
        let range = "('2026-09-18', '2026-11-07', an_environment => NULL, copies => NULL)"
        let counts = (0...2).flatMap { window in
            ["count(*) FILTER (WHERE sequence_index = \(window))"]
                + names.map { name in
                    let column = ["withheld", "not_set"].contains(name) ? "no_value_kind" : "decoding"
                    return "count(*) FILTER (WHERE sequence_index = \(window) AND \(column) = '\(name)')"
                }
        }
        let mapped = """
            (SELECT fact.*, campaign_id FROM fact LEFT JOIN attribution.campaign_mapping ON mapping = install_mapping
              WHERE did_win AND install_day BETWEEN '2026-09-18' AND '2026-11-07') AS winning
            """
        #expect(
            try await database.differences(
                """
                SELECT \(places), installs, redownloads, reengagements,
                       \((0...2).flatMap { window in (["postbacks"] + names).map { "\($0)_\(window)" } }.joined(separator: ", "))
                  FROM attribution.report_cost\(range)
                """,
                """
                SELECT \(places), count(*) FILTER (WHERE sequence_index = 0 AND kind = 'install'),
                       count(*) FILTER (WHERE sequence_index = 0 AND kind = 'redownload'),
                       count(*) FILTER (WHERE sequence_index = 0 AND kind = 're-engagement'), \(counts.joined(separator: ", "))
                  FROM \(mapped) GROUP BY \(places)
                """) == [])
        #expect(
            try await database.differences(
                """
                SELECT \(places), sequence_index, event, postbacks, possible, count_low, count_high, count_open
                  FROM attribution.report_event_cost\(range)
                """,
                """
                SELECT \(places), sequence_index, event, count(*) FILTER (WHERE count_low > 0),
                       count(*) FILTER (WHERE count_low = 0), sum(count_low), sum(coalesce(count_high, count_low)),
                       count(*) FILTER (WHERE count_high IS NULL)
                  FROM \(mapped)
                  JOIN attribution.conversion_meaning AS meaning USING (advertised_app_id, sequence_index, value)
                 WHERE valid_from = scheme_valid_from AND event IS NOT NULL
                 GROUP BY \(places), sequence_index, event
                """) == [])
        let conditional = try await database.column(
            """
            SELECT DISTINCT campaign_id FROM attribution.report_cost\(range)
             WHERE campaign_id IN ('US', 'DE', 'app 1', 'app 2') ORDER BY 1
            """)
        #expect(conditional == ["US", "app 1"])
    }

    @Test("An event costs the cost of its campaign, divided by how many postbacks have it and how often it happened")
    func events() async throws {
        try await load(database, [["day": "2026-07-06", "spend": "60"], ["day": "2026-07-07", "spend": "60"]])
        try await database.run(
            """
            INSERT INTO attribution.answer_event_daily (
                answer_table, line, day, sequence_index, currency, event, postbacks, possible, count_low, count_high,
                count_open, revenue_low, revenue_middle, revenue_high, revenue_open, revenue_unknown)
            SELECT attribution.answer_table('install', 'campaign'), line, day, number, 'USD', event, postbacks,
                   possible, low, high, open, 0, 0, 0, 0, 0
              FROM (VALUES (1, date '2026-07-06', 0::smallint, 'purchase', 10, 20, 20, 40, 0),
                           (2, '2026-07-07', 0, 'purchase', 20, 0, 20, 20, 0),
                           (2, '2026-07-07', 1, 'purchase', 3, 0, 3, 3, 3),
                           (3, '2026-07-07', 0, 'purchase', 5, 0, 5, 5, 0))
                   AS given (line, day, number, event, postbacks, possible, low, high, open)
            """)
        let summed = "SELECT * FROM attribution.report_event_cost('2026-07-06', '2026-07-07')"
        try await database.expect(
            summed,
            """
            campaign_id  sequence_index  event     postbacks  possible  count_low  count_high  cost
            -            0               purchase  5          0         5          5           -
            autumn       0               purchase  30         20        40         60          120
            autumn       1               purchase  3          0         3          3           120
            """)
        try await database.expect(
            summed,
            """
            campaign_id  sequence_index  cost_per_postback_low  cost_per_postback_middle  cost_per_postback_high
            -            0               -                      -                         -
            autumn       0               2.4                    3                         4
            autumn       1               40                     40                        40
            """)
        try await database.expect(
            summed,
            """
            campaign_id  sequence_index  cost_per_event_low  cost_per_event_middle  cost_per_event_high
            -            0               -                   -                      -
            autumn       0               2                   2.4                    3
            autumn       1               -                   40                     40
            """)
        let daily = "SELECT * FROM attribution.report_event_cost_daily"
        try await database.expect(
            daily,
            """
            day         campaign_id  sequence_index  event     postbacks  possible  count_low  count_high  cost
            2026-07-06  autumn       0               purchase  10         20        20         40          60
            2026-07-07  -            0               purchase  5          0         5          5           -
            2026-07-07  autumn       0               purchase  20         0         20         20          60
            2026-07-07  autumn       1               purchase  3          0         3          3           60
            """)
        try await database.expect(
            daily,
            """
            day         campaign_id  sequence_index  cost_per_postback_low  cost_per_postback_middle  cost_per_postback_high
            2026-07-06  autumn       0               2                      3                         6
            2026-07-07  -            0               -                      -                         -
            2026-07-07  autumn       0               3                      3                         3
            2026-07-07  autumn       1               20                     20                        20
            """)
        try await database.expect(
            daily,
            """
            day         campaign_id  sequence_index  cost_per_event_low  cost_per_event_middle  cost_per_event_high
            2026-07-06  autumn       0               1.5                 2                      3
            2026-07-07  -            0               -                   -                      -
            2026-07-07  autumn       0               3                   3                      3
            2026-07-07  autumn       1               -                   20                     20
            """)
    }

    @Test("Values without revenue need no rate; beside others of their day and window without one they are counted")
    func revenueOfNothing() async throws {
        let rows = [
            Row { ($0.currency, $0.mapped) = ("EUR", 4) },
            Row { ($0.currency, $0.window, $0.mapped, $0.middle) = ("EUR", 1, 3, 5) },
            Row { ($0.currency, $0.window, $0.day, $0.mapped) = ("EUR", 1, "2026-07-07", 2) },
        ]
        try await AnswerRows.store(rows, in: database)
        for (report, dayAfter) in [("report_cost", ""), ("report_cost_daily", "-  0  0")] {
            try await database.expect(
                """
                SELECT * FROM attribution.\(report)('2026-07-06', '2026-07-07', 7, 'USD')
                 WHERE environment = 'production' AND NOT developer_copy
                """,
                """
                revenue_0_high  revenue_1_high  revenue_without_rate
                0               -               3
                \(dayAfter)
                """)
        }
    }

    @Test(
        "A range may be infinite; one that is reversed or NULL has no rows",
        arguments: [
            "modelled_revenue", "modelled_revenue_by_app", "modelled_revenue_by_network", "cohort", "cohort_daily",
            "cost", "cost_daily", "event_cost", "event_cost_daily",
        ])
    func ranges(_ report: String) async throws {
        try await load(
            database, [["day": "2026-07-06", "spend": "100", "currency": "EUR"]],
            rates: "day,currency,units_per_usd\n2026-07-06,EUR,0.5\n")
        try await database.run(
            """
            INSERT INTO attribution.answer_event_daily (
                answer_table, line, day, sequence_index, currency, event, postbacks, possible, count_low, count_high,
                count_open, revenue_low, revenue_middle, revenue_high, revenue_open, revenue_unknown)
            VALUES (attribution.answer_table('install', 'campaign'), 1, '2026-07-06', 0, 'USD', 'purchase',
                    1, 0, 1, 1, 0, 0, 0, 0, 0, 0)
            """)
        func rows(_ first: String, _ last: String) async throws -> [String?] {
            try await database.column(
                "SELECT r::text FROM attribution.report_\(report)(\(first), \(last)) AS r ORDER BY 1")
        }
        let finite = try await rows("'2026-07-01'", "'2026-07-31'")
        #expect(finite != [])
        // Completeness depends on the last day, and a week on the days of the range within it.
        #expect(try await rows("'-infinity'", "'infinity'").count == finite.count)
        #expect(try await rows("'-infinity'", "'2026-07-31'") == finite)
        for (first, last) in [
            ("'infinity'", "'-infinity'"), ("'2026-07-31'", "'2026-07-01'"), ("'2026-07-07'", "'2026-07-06'"),
            ("NULL", "'2026-07-31'"), ("'2026-07-01'", "NULL"), ("NULL", "NULL"),
        ] {
            #expect(try await rows(first, last) == [], "\(first) to \(last)")
        }
    }

    @Test("Each view, column and function of money has a comment")
    func comments() async throws {
        let missing = try await database.column(
            """
            SELECT relname || coalesce('.' || attname, '') FROM pg_class
              JOIN (SELECT attrelid, attnum, attname FROM pg_attribute WHERE attnum > 0
                    UNION ALL SELECT oid, 0, NULL FROM pg_class) AS attribute ON attrelid = pg_class.oid
             WHERE relnamespace = 'attribution'::regnamespace AND relkind = 'v'
               AND relname ~ '^report_(modelled|cohort|cost|event_cost)'
               AND CASE attnum WHEN 0 THEN obj_description(pg_class.oid, 'pg_class')
                        ELSE col_description(pg_class.oid, attnum) END IS NULL
            UNION ALL
            SELECT proname FROM pg_proc
             WHERE pronamespace = 'attribution'::regnamespace
               AND proname ~ '^(report_)?(modelled|cost|cohort|event_cost|campaign_(cost|spend))'
               AND obj_description(oid, 'pg_proc') IS NULL
            """)
        #expect(missing == [])
    }
}
