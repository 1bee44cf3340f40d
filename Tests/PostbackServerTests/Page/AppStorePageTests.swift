import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerPageTests {
    @Suite("The screens of the App Store", .installation)
    struct AppStorePageTests {
        private static let days = "/app-store?environment=test&from=2026-07-01&to=2026-07-31"

        /// Transactions of two apps: in dollars, in euros with a rate, in pounds without one, and without a price.
        private static let rows = """
            INSERT INTO attribution.currency_rate (day, currency, units_per_usd, loaded_at)
            VALUES ('2026-07-02', 'EUR', 0.5, now());
            INSERT INTO attribution.store_product (product, bundle_id, product_id)
            VALUES (901, 'com.example.game', 'gold'), (902, 'com.example.news', 'monthly');
            INSERT INTO attribution.store_transaction (
                environment, transaction_id, original_transaction_id, product, purchased_at, originally_purchased_at,
                expires_at, signed_at, received_at, type, ownership, reason, storefront, currency, price, revoked_at,
                revocation_percentage)
            SELECT 'test', id, original, product, bought::timestamptz, '2026-07-01 10:00Z'::timestamptz,
                   bought::timestamptz + interval '30 days', CASE WHEN price IS NOT NULL THEN bought::timestamptz END,
                   now(), type, 'PURCHASED', reason, 'USA', currency, price, revoked::timestamptz, percentage
              FROM (VALUES
                ('private-1', 'private-1', 901, '2026-07-01 10:00Z', 'Consumable', 'PURCHASE', 'USD', 10000,
                 '2026-07-05 10:00Z', 50000),
                ('private-2', 'private-2', 902, '2026-07-01 10:00Z', 'Auto-Renewable Subscription', 'PURCHASE', 'EUR',
                 0, NULL, NULL),
                ('private-3', 'private-2', 902, '2026-07-02 10:00Z', 'Auto-Renewable Subscription', 'RENEWAL', 'EUR',
                 20000, NULL, NULL),
                ('private-4', 'private-4', 901, '2026-07-10 10:00Z', 'Consumable', 'PURCHASE', 'GBP', 5000, NULL, NULL),
                ('private-5', 'private-5', 901, '2026-07-20 10:00Z', NULL, NULL, NULL, NULL, NULL, NULL))
                AS made (id, original, product, bought, type, reason, currency, price, revoked, percentage);
            INSERT INTO attribution.store_renewal (
                environment, original_transaction_id, product, is_in_billing_retry, status, renewal_price, currency)
            VALUES ('test', 'private-2', 902, true, 3, 30000, 'USD')
            """

        private func numbers(_ row: [String]) -> [Decimal?] { row.map { Decimal(string: $0) } }

        @Test("Amounts are converted at the rate of the day; without a rate or a price they are –, never 0.00")
        func money() async throws {
            let installation = try Installation.current
            let empty = try await PageClient.start(on: installation)
            try await empty.signIn()
            let nothing = try await empty.get("/app-store")
            #expect(nothing.status == 200 && nothing.text.contains("The App Store has told of no such transaction"))
            #expect(!nothing.text.contains("<table"))
            try await installation.database.run(Self.rows)
            let page = try await empty.get(Self.days + "&currency=USD")
            #expect(page.status == 200 && !page.text.contains("private-"), "\(page.text)")
            let days = try page.cells("days")
            #expect(days.map { $0[0] } == ["2026-07-01", "2026-07-02", "2026-07-10", "2026-07-20"])
            // New, renewals, gross, refunded, net, transactions, without a price, without a rate.
            let expected: [[Decimal?]] = [
                [5, 0, 10, 5, 5, 2, 0, 0], [0, 40, 40, 0, 40, 1, 0, 0], [nil, 0, nil, 0, nil, 1, 0, 1],
                [nil, 0, nil, nil, nil, 1, 1, 0],
            ]
            #expect(days.map { numbers(Array($0.dropFirst())) } == expected)
            #expect(page.text.contains("not known: 1 transactions have no currency rate of their day"))
            let known = try await empty.get("/app-store?environment=test&from=2026-07-01&to=2026-07-02&currency=USD")
            let totals = try #require(try known.cells("totals").first)
            #expect(numbers(Array(totals[1...3])) == [50, 5, 45])
            // One of three was refunded; what is at risk is of now.
            #expect(known.text.contains("<dt>Refund rate</dt><dd><strong data-value=\"0.333333\">"))
            #expect(numbers(Array(totals[10...12])) == [30, 1, 0])
            // A refund, of its month; a renewal, of its week.
            #expect(try page.cells("refunds").contains { $0[2] == "USD" && $0[4] == "1" && numbers($0)[8] == 4 })
            #expect(try page.cells("refunds").allSatisfy { $0[1] == "31 of 31" })
            let part = try known.cells("refunds").map { $0[1] }
            #expect(!part.isEmpty && part.allSatisfy { $0 == "2 of 31" }, "\(part)")
            #expect(page.text.contains(">Transactions without family shares<"))
            #expect(try page.cells("cohorts").contains { $0[1] == "EUR" && $0[2] == "1" && numbers($0)[3] == 1 })
            #expect(try page.cells("risk") == [["monthly", "com.example.news", "USD", "1", "30.000", "0", "", "0"]])
        }

        @Test("A retention is 0 if the renewal was due and nobody has it, and – before it is due")
        func retention() async throws {
            let installation = try Installation.current
            // A month that was not renewed, 40 days ago, and one that is not over.
            try await installation.database.run(
                """
                INSERT INTO attribution.store_product (product, bundle_id, product_id) VALUES (901, 'com.example.news', 'monthly');
                INSERT INTO attribution.store_transaction (
                    environment, transaction_id, original_transaction_id, product, purchased_at, originally_purchased_at,
                    expires_at, signed_at, received_at, type, ownership, reason, storefront, currency, price)
                SELECT 'test', 'made-' || ago, 'made-' || ago, 901, bought, bought, bought + interval '30 days', bought,
                       now(), 'Auto-Renewable Subscription', 'PURCHASED', 'PURCHASE', 'USA', 'USD', 10000
                  FROM (SELECT ago, now() - ago * interval '1 day' AS bought FROM unnest(ARRAY[40, 10]) AS ago) AS made
                """)
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            let answer = try await page.get("/app-store?environment=test&currency=USD&days=60")
            // Week, currency, subscribers; the second renewal would be due in 20 days.
            let shown = try answer.cells("cohorts").map { Array($0[2...4]) }
            #expect(shown == [["1", "0.000000", ""], ["1", "", ""]], "\(shown)")
        }

        @Test("Each table is what the SQL beside it gives, in psql too")
        func statements() async throws {
            let installation = try Installation.current
            try await installation.database.run(Self.rows)
            let client = try await PageClient.start(on: installation)
            try await client.signIn()
            let page = try await client.get(Self.days + "&currency=EUR")
            for figure in ["totals", "days", "products", "refunds", "cohorts", "risk"] {
                let sql = try page.sql(figure).trimmingCharacters(in: .whitespacesAndNewlines).dropLast()
                let count = try await installation.database.value("SELECT count(*) FROM (\(sql)) AS answer")
                #expect(try "\(page.cells(figure).count)" == count && count != "0", "\(figure)")
                let csv = try await client.get(Self.days + "&currency=EUR&csv=\(figure)")
                #expect(csv.headers.first(name: "Content-Type") == "text/csv; charset=utf-8")
                #expect("\(csv.text.split(separator: "\r\n").count - 1)" == count)
                #expect(!csv.text.contains("private-"))
            }
        }

        @Test("Bundle ids filter the figures, App Store ids those that the key ring names; the screen says which")
        func apps() async throws {
            let installation = try Installation.current
            try installation.take(
                try TestAppStore(), apps: ["com.example.game", "com.example.news"], appID: 525_463_029)
            try await installation.database.run(Self.rows)
            let (server, client) = try await installation.start()
            // The filter has apps that have postbacks.
            #expect(try await client.post(TestPostback().body(installation.keys.postbackKey)).status == 200)
            let page = try PageClient.start(port: try await server.port(of: "admin"))
            try await page.signIn()
            func products(_ filter: String) async throws -> ([String], PostbackClient.Answer) {
                let answer = try await page.get(Self.days + filter)
                return (try answer.cells("products").map { $0[0] }.sorted(), answer)
            }
            #expect(try await products("").0 == ["gold", "monthly"])
            let (news, named) = try await products("&bundle=com.example.news")
            #expect(news == ["monthly"] && named.text.contains("All figures are of com.example.news."))
            #expect(named.text.contains(">com.example.game</a>") && named.text.contains(">All apps</a>"))
            let (game, chosen) = try await products("&app=525463029")
            #expect(game == ["gold"] && chosen.text.contains("which the key ring names for the app 525463029."))
            let wrong = try await page.get(Self.days + "&bundle=%3Cb%3E")
            #expect(wrong.status == 400 && wrong.text.contains("must be a bundle id"))
            let none = try await page.get(Self.days + "&bundle=com.example.none")
            #expect(none.text.contains("told of no such transaction"))
        }
    }
}
