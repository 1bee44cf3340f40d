import TestSupport
import Testing

@testable import PostbackStore
@testable import Reports

@Suite("Calibration", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct CalibrationTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    typealias Row = AnswerRows.Row

    private static let range = "'2026-07-06', '2026-07-07'"

    /// 60 installs, of which 50 have a value: 90 to 150 in the first window, 5 to 15 in the second.
    private static let rows = [
        Row {
            ($0.line, $0.mapped, $0.withheld, $0.low, $0.middle, $0.high) = (2, 40, 10, 80, 100, 120)
        },
        Row { ($0.line, $0.day, $0.mapped, $0.low, $0.middle, $0.high) = (3, "2026-07-07", 10, 10, 20, 30) },
        Row { ($0.line, $0.window, $0.mapped, $0.low, $0.middle, $0.high) = (2, 1, 5, 5, 10, 15) },
        Row { ($0.line, $0.day, $0.mapped, $0.middle) = (2, "2026-07-08", 70, 70) },
        Row { ($0.line, $0.didWin, $0.postbacks) = (2, false, 99) },
        Row { ($0.line, $0.mapped, $0.middle) = (7, 3, 3) },
    ]

    /// Twelve pay 10 at once, of which one gets 5 back, and four of them 10 more after three days.
    private static let sales: [StoreRow] =
        (1...12).map { number in
            StoreRow("\(number)") {
                ($0.bought, $0.price) = ("2026-07-06", 10_000)
                if number == 12 { ($0.revoked, $0.percentage) = ("2026-07-08", 50_000) }
            }
        }
        + (1...4).map { number in
            StoreRow("\(number)-1") {
                ($0.original, $0.began, $0.bought) = ("\(number)", "2026-07-06", "2026-07-09")
                ($0.reason, $0.price) = ("RENEWAL", 10_000)
            }
        }
        + [
            StoreRow("20") {
                $0.isOfVersion1()
                $0.bought = "2026-07-07"
            },
            StoreRow("21") { ($0.bought, $0.ownership) = ("2026-07-06", "FAMILY_SHARED") },
            StoreRow("22") { $0.bought = "2026-07-08" },
            StoreRow("23") { ($0.bought, $0.environment) = ("2026-07-06", "development") },
            // Began before the range.
            StoreRow("24") { ($0.began, $0.bought) = ("2026-07-05 23:59", "2026-07-07") },
        ]

    // 11 · 10² + 5² = 1125, and 1.96 · √1125 = 65.740399. 115 ÷ 120, 49.259601 ÷ 150, 180.740399 ÷ 90.
    @Test("What purchases of the install days brought in the hours of a window is compared with what its values imply")
    func figures() async throws {
        try await StoreAnswers.store(Self.rows, Self.sales, in: database)
        try await database.expect(
            "SELECT * FROM attribution.report_app_store_calibration(\(Self.range))",
            """
            environment  advertised_app_id  campaign_type      sequence_index  currency  postbacks  installs  mapped  withheld  implied_low  implied_middle  implied_high  implied_open  hours_from  hours_to
            production   7                  source-identifier  0               USD       60         60        50      10        90           120             150           0             0           48
            production   7                  source-identifier  1               USD       5          0         5       0         5            10              15            0             48          168
            """)
        try await database.expect(
            "SELECT * FROM attribution.report_app_store_calibration(\(Self.range))",
            """
            sequence_index  transactions  without_price  purchases  paid_net  paid_net_low  paid_net_high  paid_share  factor    factor_low  factor_high
            0               13            1              12         115       49.259601     180.740399     1           0.958333  0.328397    2.008227
            1               4             0              4          40        -             -              1           4         -           -
            """)
        try await database.expect(
            "SELECT * FROM attribution.report_app_store_calibration(\(Self.range), attributed_share => 0.25)",
            """
            sequence_index  paid_net  paid_share  factor    factor_low  factor_high
            0               115       0.25        0.239583  0.082099    0.502057
            1               40        0.25        1         -           -
            """)
        #expect(
            try await database.column("SELECT environment FROM attribution.report_app_store_calibration_all ORDER BY 1")
                == ["production", "production", "test"])
        #expect(
            try await store.rows(
                "app_store_calibration", ["from=2026-07-06", "to=2026-07-07", "sequence_index=1"]
            ).count == 1)
    }

    @Test("Each range of the scheme is suggested times the factor, with the ends of the factor")
    func ranges() async throws {
        try await StoreAnswers.store(Self.rows, Self.sales, in: database)
        try await database.expect(
            "SELECT * FROM attribution.report_app_store_calibration_ranges(\(Self.range))",
            """
            sequence_index  revenue_range  currency  meanings  range_low  range_middle  range_high  factor    suggested_low  suggested_middle  suggested_high
            0               1 to 3         USD       2         1          2             3           0.958333  0.656794       1.916666          4.016454
            0               5 and more     USD       1         5          5             -           0.958333  1.641985       4.791665          10.041135
            """)
    }

    @Test("Postbacks up to SKAdNetwork 3.0 have the hours of the measurement window, and their part of what was paid")
    func timers() async throws {
        let rows = Self.rows + [Row { ($0.line, $0.mapped, $0.middle) = (4, 20, 20) }]
        try await StoreAnswers.store(rows, Self.sales, in: database)
        let report = "SELECT * FROM attribution.report_app_store_calibration(\(Self.range)) WHERE sequence_index = 0"
        try await database.expect(
            report,
            """
            campaign_type      hours_from  hours_to  paid_net  paid_share  factor   factor_low  factor_high
            source-identifier  0           48        115       0.75        0.71875  0.246298    1.50617
            campaign-id        0           72        115       0.25        1.4375   0.615745    2.259255
            """)
        try await database.run("UPDATE attribution.conversion_scheme SET measurement_window_hours = NULL")
        try await database.expect(
            "\(report) AND campaign_type = 'campaign-id'",
            """
            hours_to  transactions  paid_net  factor  complete
            -         0             -         -       false
            """)
    }

    @Test("Transactions are read once, however many rows are compared with them")
    func onePass() async throws {
        let rows = Self.rows + [Row { ($0.line, $0.mapped, $0.middle) = (4, 20, 20) }]
        try await StoreAnswers.store(rows, Self.sales, in: database)
        try await database.run(
            """
            CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS
            $$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query; END $$
            """)
        let query = "SELECT * FROM attribution.app_store_calibration(\(Self.range), NULL, NULL, 1)"
        #expect(try await database.value("SELECT count(*) FROM (\(query)) AS report") == "4")
        let plan = try await database.column(
            "SELECT line FROM plan('\(query.replacing("'", with: "''"))') AS line"
        ).compactMap { $0 }
        let scans = plan.filter { $0.contains("CTE Scan on purchase") }
        #expect(scans.count == 1 && scans[0].contains(" loops=1)"), "\(plan)")
    }

    @Test("Money is converted day by day; without a rate an amount is unknown, and so is the factor")
    func currencies() async throws {
        let sales = Self.sales + [StoreRow("30") { ($0.bought, $0.currency) = ("2026-07-06", "SEK") }]
        try await StoreAnswers.store(Self.rows, sales, in: database)
        func expect(_ arguments: String, _ table: String) async throws {
            try await database.expect(
                "SELECT * FROM attribution.report_app_store_calibration(\(Self.range)\(arguments))", table)
        }
        try await expect(
            "",
            """
            sequence_index  currency  implied_middle  transactions  paid_without_rate  paid_net  factor
            0               USD       120             14            1                  -         -
            1               USD       10              4             0                  40        4
            """)
        try await StoreAnswers.storeRate(of: "EUR", in: database)
        try await database.run("DELETE FROM attribution.store_transaction WHERE transaction_id = '30'")
        try await expect(
            ", in_currency => 'EUR'",
            """
            sequence_index  currency  implied_middle  implied_without_rate  paid_net  paid_net_low  factor    factor_low
            0               EUR       60              0                     57.5      24.629801     0.958333  0.328397
            1               EUR       5               0                     20        -             4         -
            """)
        try await expect(
            ", in_currency => 'JPY'",
            """
            sequence_index  currency  implied_middle  implied_without_rate  paid_net  paid_without_rate  factor
            0               JPY       -               2                     -         12                 -
            1               JPY       -               1                     -         4                  -
            """)
    }

    @Test("A price without a currency is none, and hides no other one")
    func noCurrency() async throws {
        let sales = Self.sales + [StoreRow("30") { ($0.bought, $0.currency) = ("2026-07-06", nil) }]
        try await StoreAnswers.store(Self.rows, sales, in: database)
        try await database.expect(
            "SELECT * FROM attribution.report_app_store_calibration(\(Self.range)) WHERE sequence_index = 0",
            """
            transactions  without_price  paid_without_rate  purchases  paid_net  factor
            14            2              0                  12         115       0.958333
            """)
    }

    @Test("A range without an upper end leaves no low end of the factor, and one unknown revenue leaves no factor")
    func openRanges() async throws {
        try await StoreAnswers.store(
            [
                Row { ($0.mapped, $0.middle, $0.open) = (60, 120, 1) },
                Row { ($0.window, $0.mapped, $0.middle, $0.open, $0.unknown) = (1, 60, 10, 1, 1) },
            ], Self.sales, in: database)
        try await database.expect(
            "SELECT * FROM attribution.report_app_store_calibration(\(Self.range))",
            """
            sequence_index  implied_low  implied_middle  implied_open  factor    factor_low  factor_high
            0               120          120             1             0.958333  -           1.50617
            1               10           -               1             -         -           -
            """)
    }

    @Test("An app's copies count if it has any, else the originals; the app is that of its newest notification")
    func sides() async throws {
        let rows = Self.rows + [Row { ($0.line, $0.mapped, $0.middle) = (8, 60, 230) }]
        try await StoreAnswers.store(rows, Self.sales, copies: true, in: database)
        let report = "SELECT * FROM attribution.report_app_store_calibration(\(Self.range))"
        try await database.expect(
            report,
            """
            sequence_index  postbacks  implied_middle  paid_net  factor
            0               60         230             115       0.5
            """)
        try await database.run(
            """
            INSERT INTO attribution.store_notification (
                environment, notification_id, version, type, bundle_id, app_id, received_at, lane, position,
                body_sha256)
            SELECT environment, gen_random_uuid(), 2, 'TEST', 'com.example.app', app_id, received_at, 0, 1, sha256('')
              FROM (VALUES ('production', 9, timestamptz '2026-07-01'), ('production', 8, '2026-07-02'),
                           ('production', NULL, '2026-07-03'), ('test', 7, '2026-07-04'))
                   AS told (environment, app_id, received_at)
            """)
        #expect(try await database.column("SELECT app_id FROM attribution.store_app") == ["8"])
        #expect(try await database.value("SELECT count(*) FROM (\(report)) AS report") == "0")
    }
}
