import PostgresClient
import TestSupport
import Testing

@testable import CampaignData
@testable import PostbackStore

@Suite(
    "Cost and currency rates in the store", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database
)
struct SpendLoadTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    private static let stored = """
        SELECT concat_ws(' ', day, network_name, advertised_app_id, campaign_id, currency, spend, impressions)
          FROM attribution.spend_daily ORDER BY 1
        """

    @Test("A day of a network and an app is replaced as a whole, and nothing else is")
    func replaced() async throws {
        let first = try SpendFiles([
            SpendFiles.row(["campaign_id": "a"]), SpendFiles.row(["campaign_id": "b"]),
            SpendFiles.row(["campaign_id": "a", "advertised_app_id": "8"]),
            SpendFiles.row(["campaign_id": "a", "day": "2026-11-21"]),
            SpendFiles.row(["campaign_id": "a", "ad_network_id": "com.other"]),
        ])
        #expect(try await first.load(into: store).changes == RowChanges(added: 5))
        let rows = try await database.column(Self.stored)
        #expect(try await first.load(into: store, named: "again.csv").changes == RowChanges(unchanged: 5))
        #expect(try await database.column(Self.stored) == rows)
        let second = try SpendFiles([
            SpendFiles.row([
                "campaign_id": "c", "spend": "999999999999.999999", "impressions": "5", "currency": "EUR",
                "ad_network_id": "com.example.skadnetwork",
            ])
        ])
        #expect(try await second.load(into: store, named: "b.csv").changes == RowChanges(added: 1, removed: 2))
        #expect(
            try await database.column(Self.stored) == [
                "2026-11-20 com.example 7 c EUR 999999999999.999999 5",
                "2026-11-20 com.example 8 a USD 12.500000",
                "2026-11-20 com.other 7 a USD 12.500000", "2026-11-21 com.example 7 a USD 12.500000",
            ])
        // A row that is loaded again without a change still names the file that it came from.
        let files = "SELECT DISTINCT source_file FROM attribution.spend_daily ORDER BY 1"
        #expect(try await database.column(files) == ["b.csv", "spend.csv"])
    }

    @Test("If a file changes between its two readings, nothing is loaded")
    func changedFile() async throws {
        let small = try SpendFiles([SpendFiles.row()])
        _ = try await small.load(into: store)
        let more = try SpendFiles([SpendFiles.row(["spend": "1"]), SpendFiles.row(["creative_id": "x"])])
        let other = try SpendFiles([SpendFiles.row(["day": "2026-11-22"])])
        for rows in [more.rows, other.rows, []] {
            await #expect(throws: ChangedFileError.self) {
                _ = try await store.loadSpend(small.check, from: .test) { take in try take(rows) }
            }
            #expect(try await database.column(Self.stored) == ["2026-11-20 com.example 7 c USD 12.500000"])
        }
    }

    @Test("Loads of the same day at once leave the rows of one of them", .database(connections: 6))
    func atOnce() async throws {
        let files = try (1...6).map { number in
            try SpendFiles((0..<5).map { SpendFiles.row(["campaign_id": "c\($0)", "spend": "\(number)"]) })
        }
        try await withThrowingTaskGroup { group in
            for file in files { group.addTask { _ = try await file.load(into: store) } }
            try await group.waitForAll()
        }
        let sums = "SELECT count(*) || ' ' || count(DISTINCT spend) FROM attribution.spend_daily"
        #expect(try await database.value(sums) == "5 1")
    }

    private static let rates = """
        day,currency,units_per_usd
        2026-11-02,EUR,0.80
        2026-11-06,EUR,0.90
        2026-11-06,JPY,150
        2026-11-20,GBP,0.75
        """

    @Test("A rate is replaced by its day and currency, and loading the same again changes nothing")
    func rates() async throws {
        let first = try await store.load(SpendFiles.rates(Self.rates))
        #expect(first == RowChanges(added: 4))
        #expect(try await store.load(SpendFiles.rates(Self.rates)) == RowChanges(unchanged: 4))
        let change = Self.rates.replacing("0.80", with: "0.85") + "\n2026-11-03,EUR,0.86"
        #expect(try await store.load(SpendFiles.rates(change)) == RowChanges(added: 1, changed: 1, unchanged: 3))
    }

    @Test(
        "An amount is converted at the latest rates on or before the day that are not too old",
        arguments: [
            ("10, 'USD', 'EUR', '2026-11-02'", "8"), ("10, 'USD', 'EUR', '2026-11-05'", "8"),
            ("10, 'USD', 'EUR', '2026-11-06'", "9"), ("9, 'EUR', 'USD', '2026-11-13'", "10"),
            ("9, 'EUR', 'USD', '2026-11-14'", nil), ("9, 'EUR', 'USD', '2026-11-14', 30", "10"),
            ("10, 'USD', 'EUR', '2026-11-01'", nil), ("9, 'EUR', 'JPY', '2026-11-07'", "1500"),
            ("9, 'EUR', 'CHF', '2026-11-07'", nil), ("9, 'CHF', 'CHF', '2026-11-07'", "9"),
            ("NULL, 'EUR', 'USD', '2026-11-07'", nil), ("0, 'GBP', 'USD', '2026-11-20'", "0"),
            ("0, 'EUR', 'CHF', '2026-11-07'", "0"),
        ])
    func converted(_ arguments: String, _ expected: String?) async throws {
        _ = try await store.load(SpendFiles.rates(Self.rates))
        let amount = "SELECT trim_scale(attribution.converted(\(arguments)))"
        #expect(try await database.value(amount) == expected)
    }

    @Test("The rates of a range of days are those of each day")
    func rateRange() async throws {
        _ = try await store.load(SpendFiles.rates(Self.rates))
        for age in [0, 3, 7, 60] {
            let differences = """
                SELECT coalesce(a.currency, b.currency) || ' ' || coalesce(a.day, b.day)
                  FROM (SELECT day::date AS day, currency,
                               attribution.units_per_usd(currency, day::date, \(age)) AS units_per_usd
                          FROM generate_series(timestamp '2026-11-04', '2026-12-10', '1 day') AS day,
                               unnest(ARRAY['USD', 'EUR', 'JPY', 'GBP']) AS currency) AS a
                  FULL JOIN attribution.currency_rates('2026-11-04', '2026-12-10', \(age)) AS b
                 USING (day, currency)
                 WHERE a.units_per_usd IS DISTINCT FROM b.units_per_usd
                """
            #expect(try await database.column(differences) == [])
        }
    }

    @Test("Every table, column and function of the mapping and of cost has a comment in the database")
    func comments() async throws {
        let uncommented = """
            SELECT class.relname || '.' || attname
              FROM pg_attribute JOIN pg_class AS class ON class.oid = attrelid
             WHERE class.relnamespace = 'attribution'::regnamespace AND attnum > 0
               AND class.relname IN (
                       'campaign_mapping', 'app_name', 'spend_daily', 'currency_rate', 'load', 'load_row')
               AND class.relkind = 'r' AND col_description(attrelid, attnum) IS NULL
            UNION ALL
            SELECT relname FROM pg_class
             WHERE relnamespace = 'attribution'::regnamespace AND obj_description(oid, 'pg_class') IS NULL
               AND relname IN ('campaign_mapping', 'app_name', 'spend_daily', 'currency_rate')
            UNION ALL
            SELECT proname FROM pg_proc
             WHERE pronamespace = 'attribution'::regnamespace AND obj_description(oid, 'pg_proc') IS NULL
               AND (proname ~ '(mapping|mapped|identifiers|currency|converted|units_per_usd|rate_age)$'
                    OR proname ~ '^(campaign_mapping|line_mapping|mapping_|currency_|network_name)')
            """
        let found = try await database.column(uncommented)
        #expect(found == [])
    }
}
