import TestSupport
import Testing

@testable import PostbackStore
@testable import Reports

@Suite("Allocation", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct AllocationTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    typealias Row = AnswerRows.Row

    private static let report = "attribution.report_app_store_allocation('2026-07-06', '2026-07-07'"

    /// On the first day a small campaign of 40 installs is alone; on the second day another one of 15 is beside it.
    ///
    /// The ten withheld values are worth 1 each, as the 110 mapped ones of their campaign and week are.
    private static let rows = [
        Row { ($0.line, $0.mapped, $0.middle) = (2, 60, 60) },
        Row { ($0.line, $0.mapped, $0.middle) = (3, 55, 55) },
        Row { ($0.line, $0.mapped, $0.middle) = (9, 40, 40) },
        Row { ($0.line, $0.day, $0.mapped, $0.middle, $0.withheld) = (2, "2026-07-07", 50, 50, 10) },
        Row { ($0.line, $0.day, $0.mapped, $0.middle) = (3, "2026-07-07", 55, 30) },
        Row { ($0.line, $0.day, $0.mapped, $0.middle) = (9, "2026-07-07", 40, 8) },
        Row { ($0.line, $0.day, $0.mapped, $0.middle) = (5, "2026-07-07", 15, 2) },
    ]

    /// 31 of the first day; 250 and 10 of the second one, of which a part came a month later.
    private static let sales = [
        StoreRow("1") { ($0.bought, $0.price) = ("2026-07-07", 100_000) },
        StoreRow("2") { ($0.bought, $0.price) = ("2026-07-07", 100_000) },
        StoreRow("1-1") {
            ($0.original, $0.began, $0.bought, $0.reason) = ("1", "2026-07-07", "2026-08-07", "RENEWAL")
            ($0.price, $0.revoked, $0.percentage) = (100_000, "2026-08-08", 50_000)
        },
        StoreRow("3") { ($0.bought, $0.currency, $0.price) = ("2026-07-07", "EUR", 10_000) },
        StoreRow("4") { ($0.bought, $0.price) = ("2026-07-06", 31_000) },
        StoreRow("5") { ($0.bought, $0.ownership) = ("2026-07-07", "FAMILY_SHARED") },
        StoreRow("6") {
            $0.isOfVersion1()
            ($0.bought, $0.isTrial) = ("2026-07-07", true)
        },
    ]

    @Test("What customers paid is spread by modelled revenue; small campaigns are one row, or the day is left out")
    func figures() async throws {
        try await StoreAnswers.store(Self.rows, Self.sales, in: database)
        let table = """
            day         protocol     ad_network_id  campaign_type      campaign  currency  allocated_minimum  allocated_installs  allocated_by_installs  allocated_share  allocated_total  allocated_net
            2026-07-07  skadnetwork  com.example    source-identifier  39        USD       50                 60                  false                  0.6              250              150
            2026-07-07  skadnetwork  com.other      source-identifier  17        USD       50                 55                  false                  0.3              250              75
            2026-07-07  -            -              -                  -         USD       50                 55                  false                  0.1              250              25
            2026-07-07  skadnetwork  com.example    source-identifier  39        EUR       50                 60                  false                  0.6              10               6
            2026-07-07  skadnetwork  com.other      source-identifier  17        EUR       50                 55                  false                  0.3              10               3
            2026-07-07  -            -              -                  -         EUR       50                 55                  false                  0.1              10               1
            """
        try await database.expect("SELECT * FROM \(Self.report))", table)
        // A week that the range cuts is modelled as a whole, so a day by itself says the same.
        try await database.expect(
            "SELECT * FROM attribution.report_app_store_allocation('2026-07-07', '2026-07-07', 7)", table)
        try await database.expect("SELECT * FROM attribution.report_app_store_allocation", table)
        try await StoreAnswers.storeRate(of: "EUR", in: database)
        try await database.expect(
            "SELECT * FROM \(Self.report), in_currency => 'EUR', attributed_share => 0.5) WHERE campaign = '17'",
            """
            currency  allocated_share  allocated_without_rate  allocated_total  allocated_net
            EUR       0.3              1                       -                -
            """)
        // The rate is too old for the renewal of August.
        try await database.run("DELETE FROM attribution.store_transaction WHERE transaction_id = '1-1'")
        try await database.expect(
            "SELECT * FROM \(Self.report), in_currency => 'EUR', attributed_share => 0.5) WHERE campaign = '17'",
            """
            currency  allocated_share  allocated_without_rate  allocated_total  allocated_net
            EUR       0.3              0                       55               16.5
            """)
    }

    @Test("All figures are named allocated_, so that nobody takes them for measured ones")
    func names() async throws {
        let catalog = try await store.reportCatalog()
        let report = try #require(catalog["app_store_allocation"])
        let figures = report.columns.filter { !$0.isDimension }
        #expect(figures.count > 5 && figures.allSatisfy { $0.name.hasPrefix("allocated_") })
        for other in catalog.reports where other.name != report.name {
            #expect(!other.columns.contains { $0.name.hasPrefix("allocated_") }, "\(other.name)")
        }
    }

    @Test("A query can't ask for smaller rows than the installation allows")
    func floor() async throws {
        try await StoreAnswers.store(Self.rows, Self.sales, in: database)
        let columns = "day, campaign, allocated_minimum AS least, allocated_installs AS installs"
        let query = "SELECT \(columns) FROM \(Self.report)"
        let strict = """
            day         campaign  least  installs
            2026-07-07  39        50     60
            2026-07-07  17        50     55
            2026-07-07  -         50     55
            """
        for minimum in ["10", "1", "-5", "NULL"] {
            try await database.expect("\(query), minimum_installs => \(minimum)) WHERE currency = 'USD'", strict)
        }
        try await database.run("UPDATE attribution.store_settings SET minimum_installs = 30")
        // 50 is still the default of a query.
        try await database.expect("\(query)) WHERE currency = 'USD'", strict)
        try await database.expect(
            "\(query), minimum_installs => 20) WHERE day = '2026-07-06'",
            """
            day         campaign  least  installs
            2026-07-06  39        30     60
            2026-07-06  17        30     55
            2026-07-06  18        30     40
            """)
        #expect(
            try await store.rows(
                "app_store_allocation", ["from=2026-07-06", "to=2026-07-06", "minimum_installs=40"]
            ).count == 3)
        await #expect(throws: (any Error).self) {
            try await database.run("UPDATE attribution.store_settings SET minimum_installs = 9")
        }
    }

    @Test("Calls with different minimums, put together, tell of no smaller crowd than the installation allows")
    func differences() async throws {
        try await StoreAnswers.store(Self.rows, Self.sales, in: database)
        let calls = """
            SELECT asked AS least, day, campaign, allocated_installs AS installs, allocated_share AS share
              FROM unnest(ARRAY[1, 50, 55, 56, 60, 61, 155, 156, 170, 171]) AS asked,
                   LATERAL \(Self.report), minimum_installs => asked) AS report
             WHERE currency = 'USD'
            """
        try await database.expect(
            "\(calls) AND asked IN (50, 55, 56, 61, 156, 171)",
            """
            least  day         campaign  installs  share
            50     2026-07-07  39        60        0.6
            50     2026-07-07  17        55        0.3
            50     2026-07-07  -         55        0.1
            55     2026-07-07  39        60        0.6
            55     2026-07-07  17        55        0.3
            55     2026-07-07  -         55        0.1
            56     2026-07-06  39        60        0.387097
            56     2026-07-06  -         95        0.612903
            56     2026-07-07  39        60        0.6
            56     2026-07-07  -         110       0.4
            61     2026-07-06  -         155       1
            61     2026-07-07  -         170       1
            156    2026-07-07  -         170       1
            """)
        // Two rows of small campaigns differ by campaigns that the call with the lower minimum shows.
        let hidden = try await database.column(
            """
            WITH call AS (\(calls))
            SELECT concat_ws(' ', less.day, less.least, more.least, more.installs - less.installs)
              FROM call AS less
              JOIN call AS more ON more.day = less.day AND more.least > less.least
             WHERE less.campaign IS NULL AND more.campaign IS NULL
               AND more.installs - less.installs <> (
                   SELECT coalesce(sum(installs), 0) FROM call AS shown
                    WHERE (shown.day, shown.least) = (less.day, less.least) AND campaign IS NOT NULL
                      AND NOT EXISTS (SELECT FROM call AS still
                                       WHERE (still.day, still.least, still.campaign)
                                             = (more.day, more.least, shown.campaign)))
            UNION ALL
            SELECT concat_ws(' ', 'small', day, least, installs) FROM call WHERE installs < 50
            """)
        #expect(hidden == [])
    }

    @Test("Installs are the weights if one campaign's revenue is unknown, or if nobody has any")
    func byInstalls() async throws {
        let columns = "campaign, allocated_by_installs AS by_installs, allocated_share AS share"
        let weights = "SELECT \(columns) FROM \(Self.report))"
        let expected = """
            campaign  by_installs  share
            39        true         0.75
            17        true         0.25
            """
        try await StoreAnswers.store(
            [
                Row { ($0.line, $0.mapped, $0.reengagements, $0.postbacks) = (2, 160, 10, 160) },
                Row { ($0.line, $0.mapped) = (3, 50) },
            ], [Self.sales[4]], in: database)
        try await database.expect(weights, expected)
        try await database.run(
            "UPDATE attribution.answer_daily SET revenue_middle = 5000000, revenue_unknown = line - 2")
        try await database.expect(weights, expected)
        try await database.run("UPDATE attribution.answer_daily SET revenue_unknown = 0")
        #expect(
            try await database.column("SELECT allocated_share FROM \(Self.report)) ORDER BY 1") == [
                "0.500000", "0.500000",
            ])
    }

    @Test("A campaign without installs is left aside if it has no weight; with one the day is left out")
    func withoutInstalls() async throws {
        try await StoreAnswers.store(
            [
                Row { ($0.line, $0.mapped, $0.middle) = (2, 60, 60) },
                Row { ($0.line, $0.window, $0.mapped) = (9, 1, 3) },
            ], [Self.sales[4]], in: database)
        try await database.expect(
            "SELECT * FROM \(Self.report))",
            """
            campaign  allocated_installs  allocated_net
            39        60                  31
            """)
        try await database.run("UPDATE attribution.answer_daily SET revenue_middle = 1 WHERE line = 9")
        #expect(try await database.value("SELECT count(*) FROM \(Self.report))") == "0")
    }

    @Test("No table or view has both an id of a customer and a campaign")
    func apart() async throws {
        let both = try await database.column(
            """
            SELECT relname FROM pg_class
              JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0
             WHERE relnamespace = 'attribution'::regnamespace AND relkind IN ('r', 'v', 'p')
             GROUP BY relname
            HAVING bool_or(attname IN ('original_transaction_id', 'account_hash'))
               AND bool_or(attname IN ('campaign', 'campaign_id', 'line', 'source_identifier', 'ad_network_id'))
            """)
        #expect(both == [])
    }
}
