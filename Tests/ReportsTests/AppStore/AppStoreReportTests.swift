import TestSupport
import Testing

@testable import PostbackStore
@testable import Reports

@Suite("Reports of the App Store", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct AppStoreReportTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    private static let sales = [
        StoreRow("1"),
        StoreRow("2") { ($0.product, $0.type, $0.quantity, $0.price) = ("coins", "Consumable", 2, 3_000) },
        StoreRow("3") {
            ($0.ownership, $0.revoked, $0.revocationType) = ("FAMILY_SHARED", "2026-03-05", "FAMILY_REVOKE")
        },
        StoreRow("4") { $0.discount = "FREE_TRIAL" },
        StoreRow("5") { ($0.original, $0.reason, $0.revoked) = ("0", "RENEWAL", "2026-03-05") },
        StoreRow("6") {
            ($0.original, $0.reason, $0.revoked) = ("0", "RENEWAL", "2026-03-05")
            ($0.revocationType, $0.percentage) = ("REFUND_PRORATED", 50_000)
        },
        StoreRow("7") {
            ($0.storefront, $0.currency, $0.price) = ("FRA", "EUR", 9_999)
            ($0.revoked, $0.percentage) = ("2026-03-05", 33_333)
        },
        StoreRow("8") {
            $0.isOfVersion1()
            $0.original = "0"
        },
        StoreRow("9") {
            $0.isOfVersion1()
            ($0.isTrial, $0.bought) = (true, "2026-03-03 23:59")
        },
        StoreRow("10") { $0.environment = "development" },
    ]

    @Test(
        "Each transaction counts once: family shares and trials are 0, refunds are exact, rows without a price are counted"
    )
    func revenue() async throws {
        try await StoreRow.store(Self.sales, in: database)
        let columns = """
            day         product_id  storefront  currency  kind     transactions  family_shares  free_trials  without_price  refunds  gross  refunded  net
            """
        let renewals =
            "2026-03-02  monthly     USA         USD       renewal  2             0              0            0          "
            + "    2        19.98"
        let others = """
            2026-03-02  monthly     USA         USD       new      3             1              1            0              0        9.99   0         9.99
            2026-03-02  coins       USA         USD       new      1             0              0            0              0        3      0         3
            2026-03-02  monthly     FRA         EUR       new      1             0              0            0              1        9.999  3.333     6.666
            2026-03-02  monthly     -           -         renewal  1             0              0            1              0        -      -         -
            2026-03-03  monthly     -           -         new      1             0              1            0              0        0      0         0
            """
        try await database.expect(
            "SELECT * FROM attribution.report_app_store_revenue", "\(columns)\n\(others)\n\(renewals)  14.985    4.995")
        #expect(
            try await database.value(
                "SELECT sum(net) FROM attribution.report_app_store_revenue_all WHERE environment <> 'production'")
                == "9.990")
        // A refund that was reversed has no date any more.
        try await database.run(
            """
            UPDATE attribution.store_transaction
               SET revoked_at = NULL, revocation_type = NULL, revocation_percentage = NULL WHERE transaction_id = '6'
            """)
        let reversed = renewals.replacing("  2        19.98", with: "  1        19.98")
        try await database.expect(
            "SELECT * FROM attribution.report_app_store_revenue('2026-03-02', '2026-03-03')",
            "\(columns)\n\(others)\n\(reversed)  9.99      9.99")
        #expect(
            try await database.column(
                "SELECT net FROM attribution.report_app_store_revenue('2026-03-03', '2026-03-03')") == ["0.000"])
    }

    @Test("A price without a currency is none: it is counted, and is in no amount")
    func noCurrency() async throws {
        let rows = [
            StoreRow("1") { ($0.currency, $0.revoked) = (nil, "2026-03-05") },
            StoreRow("2") { ($0.currency, $0.discount) = (nil, "FREE_TRIAL") }, StoreRow("3"),
        ]
        try await StoreRow.store(rows, in: database)
        try await database.expect(
            "SELECT * FROM attribution.report_app_store_revenue",
            """
            currency  transactions  without_price  refunds  gross  refunded  net
            USD       1             0              0        9.99   0         9.99
            -         2             1              1        0      0         0
            """)
        try await database.expect(
            "SELECT * FROM attribution.report_app_store_refunds",
            """
            currency  transactions  refunds  without_price  refunded
            USD       1             0        0              -
            -         2             1        1              -
            """)
        try await database.expect(
            "SELECT price, currency, gross, refunded, net FROM attribution.store_transactions WHERE is_refund",
            """
            price  currency  gross  refunded  net
            9990   -         -      -         -
            """)
    }

    @Test("They are read by name, with filters and page by page, and show production unless asked for more")
    func query() async throws {
        try await StoreRow.store(Self.sales, in: database)
        let days = ["from=2026-03-01", "to=2026-03-31"]
        let all = try await store.rows("app_store_revenue", days)
        #expect(all.count == 6)
        #expect(try await store.rowsOfPages("app_store_revenue", days, limit: 1) == all)
        #expect(try await store.rows("app_store_revenue", days + ["environment=development"]).count == 1)
        #expect(
            try await store.rows(
                "app_store_revenue", days + ["bundle_id=com.example.app", "kind=renewal", "currency=USD"]) == [
                    [
                        "production", "2026-03-02", "com.example.app", "monthly", "USA", "USD", "renewal", "2", "0",
                        "0", "0", "2", "19.980", "14.985", "4.995",
                    ]
                ])
        for name in ["app_store_refunds", "app_store_cohorts"] {
            let rows = try await store.rows(name, days)
            #expect(!rows.isEmpty, "\(name)")
            #expect(try await store.rowsOfPages(name, days, limit: 1) == rows, "\(name)")
        }
        #expect(try await store.rows("app_store_at_risk").isEmpty)
    }

    @Test("Amounts are exact milliunits: half of one is rounded up, and great amounts lose none")
    func amounts() async throws {
        try await database.expect(
            """
            SELECT price, percentage, attribution.store_refunded(gross, now(), percentage) AS refunded
              FROM (VALUES (1, 50000), (3, 50000), (9223372036854775807, 99999), (1000, 0), (1000, NULL))
                   AS row (price, percentage)
             CROSS JOIN LATERAL attribution.store_gross(price, 'PURCHASED', NULL, NULL) AS gross
             ORDER BY gross, percentage
            """,
            """
            price                percentage  refunded
            1                    50000       1
            3                    50000       2
            1000                 0           0
            1000                 -           1000
            9223372036854775807  99999       9223279803134407259
            """)
        #expect(try await database.value("SELECT attribution.store_gross(NULL, 'PURCHASED', NULL, false)") == nil)
    }

    @Test("Refunds stand in their month beside the purchases of that month, with the rate and the delay")
    func refunds() async throws {
        let rows = [
            StoreRow("1") { ($0.bought, $0.price, $0.revoked) = ("2026-03-01", 10_000, "2026-03-03") },
            StoreRow("2") {
                ($0.bought, $0.price, $0.revoked, $0.percentage) = ("2026-03-10", 10_000, "2026-04-09", 50_000)
            },
            StoreRow("3") { $0.bought = "2026-03-15" },
            StoreRow("4") { $0.bought = "2026-04-01" },
            StoreRow("5") { ($0.bought, $0.price, $0.revoked) = ("2026-04-02", 10_000, "2026-04-06") },
            StoreRow("6") {
                $0.isOfVersion1()
                ($0.bought, $0.revoked) = ("2026-04-03", "2026-04-05")
            },
            // Version 1 calls an upgrade cancelled too.
            StoreRow("7") {
                $0.isOfVersion1()
                ($0.bought, $0.revoked, $0.isUpgraded) = ("2026-04-03", "2026-04-05", true)
            },
            StoreRow("8") {
                ($0.bought, $0.ownership, $0.revoked) = ("2026-04-03", "FAMILY_SHARED", "2026-04-05")
            },
        ]
        try await StoreRow.store(rows, in: database)
        try await database.expect(
            "SELECT * FROM attribution.report_app_store_refunds",
            """
            month       storefront  currency  transactions  refunds  refund_rate  without_price  refunded  delay_median_days  delay_p90_days
            2026-03-01  USA         USD       3             1        0.3333       0              10        2                  2
            2026-04-01  USA         USD       2             2        1            0              15        17                 27.4
            2026-04-01  -           -         2             1        0.5          1              -         2                  2
            """)
        // Days of a range are those of the refund, and those of the purchase.
        try await database.expect(
            "SELECT * FROM attribution.report_app_store_refunds('2026-04-06', '2026-04-30')",
            """
            month       transactions  refunds  refund_rate  refunded
            2026-04-01  0             2        -            15
            """)
    }

    @Test("A cohort has its subscribers by number of the renewal; an upgrade in a paid period is no renewal")
    func cohorts() async throws {
        func renewal(
            _ id: String, of original: String, began: String, _ bought: String,
            _ change: (inout StoreRow) -> Void = { _ in }
        ) -> StoreRow {
            StoreRow(id) {
                ($0.original, $0.began, $0.bought, $0.reason) = (original, began, bought, "RENEWAL")
                change(&$0)
            }
        }
        let rows = [
            StoreRow("100") { ($0.discount, $0.price) = ("FREE_TRIAL", 0) },
            renewal("101", of: "100", began: "2026-03-02", "2026-03-09"),
            renewal("102", of: "100", began: "2026-03-02", "2026-04-09") { $0.revoked = "2026-04-10" },
            // Of an upgrade version 2 sends the new transaction only.
            StoreRow("200") { ($0.bought, $0.expires) = ("2026-03-04", "2026-04-04") },
            renewal("201", of: "200", began: "2026-03-04", "2026-03-10") {
                ($0.reason, $0.product, $0.price) = ("PURCHASE", "yearly", 29_990)
            },
            renewal("202", of: "200", began: "2026-03-04", "2027-03-10") {
                ($0.product, $0.price) = ("yearly", 29_990)
            },
            StoreRow("300") { $0.bought = "2026-03-08 23:00" },
            StoreRow("400") { ($0.bought, $0.currency, $0.price) = ("2026-03-05", "EUR", 8_990) },
            renewal("401", of: "400", began: "2026-03-05", "2026-04-05") { ($0.currency, $0.price) = ("EUR", 8_990) },
            StoreRow("500") { $0.ownership = "FAMILY_SHARED" },
            StoreRow("600") { $0.bought = "2026-03-09" },
            // Somebody moved to another country.
            StoreRow("700") { $0.bought = "2026-03-16" },
            renewal("701", of: "700", began: "2026-03-16", "2026-04-16") { ($0.currency, $0.price) = ("EUR", 8_990) },
            StoreRow("800") { ($0.product, $0.type) = ("coins", "Consumable") },
            StoreRow("900") {
                $0.isOfVersion1()
                $0.bought = "2026-03-23"
            },
            // Version 1 sends all of them, and says which was left.
            StoreRow("950") {
                $0.isOfVersion1()
                ($0.bought, $0.isUpgraded) = ("2026-03-24", true)
            },
            StoreRow("951") {
                $0.isOfVersion1()
                ($0.original, $0.began, $0.bought, $0.product) = ("950", "2026-03-24", "2026-03-30", "yearly")
            },
        ]
        try await StoreRow.store(rows, in: database)
        try await database.expect(
            "SELECT * FROM attribution.report_app_store_cohorts",
            """
            week        product_id  currency  renewal_number  subscribers  retained  retention  without_price  net    net_so_far  value_so_far
            2026-03-02  monthly     USD       0               3            3         1          0              49.97  49.97       16.656667
            2026-03-02  monthly     USD       1               3            2         0.6667     0              39.98  89.95       29.983333
            2026-03-02  monthly     USD       2               3            1         0.3333     0              0      89.95       29.983333
            2026-03-02  monthly     EUR       0               1            1         1          0              8.99   8.99        8.99
            2026-03-02  monthly     EUR       1               1            1         1          0              8.99   17.98       17.98
            2026-03-09  monthly     USD       0               1            1         1          0              9.99   9.99        9.99
            2026-03-16  monthly     USD       0               1            1         1          0              9.99   9.99        9.99
            2026-03-16  monthly     EUR       1               1            1         1          0              8.99   8.99        8.99
            2026-03-23  monthly     -         0               2            2         1          3              -      -           -
            """)
        #expect(
            try await database.column(
                "SELECT week FROM attribution.report_app_store_cohorts('2026-03-09', '2026-03-15')") == ["2026-03-09"])
    }

    @Test(
        "Revenue at risk is what subscriptions in billing retry and in a grace period would pay next; members of a family pay nothing, and after 60 days Apple gives up"
    )
    func risk() async throws {
        try await StoreRow.store([StoreRow("1"), StoreRow("9") { $0.ownership = "FAMILY_SHARED" }], in: database)
        try await database.run(
            """
            INSERT INTO attribution.store_renewal (
                environment, original_transaction_id, product, is_in_billing_retry, grace_period_expires_at,
                renewal_price, currency, status, renews_at, received_at)
            SELECT 'production', id, product, retry, now() + days * interval '1 day', price, currency, status,
                   now() - renewed * interval '1 day', now() - received * interval '1 day'
              FROM attribution.store_product,
                   (VALUES ('1', true, NULL, 9990, 'USD', 3, 59, 90), ('2', true, 3, 9990, 'USD', 4, 3, 3),
                           ('3', true, -1, 9990, 'USD', 4, 9, 9), ('4', true, NULL, 9990, 'USD', 1, 9, 9),
                           ('5', true, NULL, NULL, NULL, NULL, NULL, 59), ('6', true, 3, NULL, NULL, NULL, NULL, 3),
                           ('7', NULL, NULL, NULL, NULL, NULL, NULL, 3), ('8', true, NULL, 8990, 'EUR', 3, 9, 9),
                           ('9', true, NULL, 9990, 'USD', 3, 9, 9), ('10', true, NULL, 9990, 'USD', 3, 61, 9),
                           ('11', true, NULL, NULL, NULL, NULL, NULL, 61), ('12', true, NULL, 9990, NULL, 3, 9, 9))
                   AS row (id, retry, days, price, currency, status, renewed, received)
            """)
        try await database.expect(
            "SELECT * FROM attribution.report_app_store_at_risk",
            """
            bundle_id        product_id  currency  in_billing_retry  in_grace_period  without_price  billing_retry_price  grace_period_price
            com.example.app  monthly     USD       2                 1                0              19.98                9.99
            com.example.app  monthly     EUR       1                 0                0              8.99                 -
            com.example.app  monthly     -         2                 1                3              -                    -
            """)
        #expect(try await store.rows("app_store_at_risk").count == 3)
    }

    @Test("Revenue at risk reads the subscriptions that are not paid, and not all")
    func riskPlan() async throws {
        try await StoreRow.store([StoreRow("1")], in: database)
        try await database.run(
            """
            INSERT INTO attribution.store_renewal (
                environment, original_transaction_id, product, is_in_billing_retry, status)
            SELECT 'production', number, product, number % 100 IN (0, 1),
                   CASE number % 100 WHEN 0 THEN 3 WHEN 1 THEN NULL ELSE 1 END
              FROM attribution.store_product, generate_series(1, 5000) AS number;
            ANALYZE attribution.store_renewal;
            CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS
            $$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN ' || query; END $$
            """)
        for report in ["report_app_store_at_risk", "report_app_store_at_risk_all"] {
            let query = "SELECT * FROM attribution.\(report)"
            let plan = try await database.column("SELECT line FROM plan('\(query)') AS line").compactMap { $0 }
            #expect(plan.contains { $0.contains("store_renewal_not_paid") }, "\(plan)")
            #expect(!plan.contains { $0.contains("Seq Scan on store_renewal") }, "\(plan)")
            let count = try await database.value("SELECT sum(in_billing_retry) FROM attribution.\(report)")
            #expect(count == "100")
        }
    }

    @Test(
        "Data that was signed later counts, version 1 never replaces signed data, and takes no cancellation back",
        arguments: [
            // Signed, revoked and digest of the stored and of the offered data; whether it replaces.
            ("1 - 02", "2 - 01", true), ("2 - 01", "1 - 02", false), ("2 2 01", "3 - 01", true),
            ("1 - 01", "1 - 02", true), ("1 - 02", "1 - 01", false), ("1 - 01", "1 - 01", false),
            ("1 - -", "1 - 01", true), ("1 - 01", "1 - -", false), ("1 - 01", "- 2 02", false),
            ("- 2 02", "1 - 01", true), ("- - 01", "- - 02", true), ("- - 02", "- - 01", true),
            ("- - 01", "- - 01", false), ("- - -", "- - -", true), ("- - 02", "- 1 01", true),
            ("- 1 01", "- - 02", false), ("- 1 01", "- 1 02", true),
        ])
    func replaces(_ stored: String, _ offered: String, _ replaces: Bool) async throws {
        func arguments(_ text: String) -> String {
            let words = text.split(separator: " ")
            let times = words.dropLast().map { $0 == "-" ? "NULL" : "to_timestamp(\($0))" }
            return (times + words.suffix(1).map { $0 == "-" ? "NULL" : "'\\x\($0)'" }).joined(separator: ", ")
        }
        #expect(
            try await database.value(
                "SELECT attribution.store_replaces(\(arguments(stored)), \(arguments(offered)))") == "\(replaces)")
    }
}
