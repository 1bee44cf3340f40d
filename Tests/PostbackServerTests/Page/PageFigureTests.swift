import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerPageTests {
    @Suite("The screens of figures")
    struct PageFigureTests {
        /// The days of the simulated quarter, in the environment of its keys.
        private static let filters = "environment=test&from=2026-07-01&to=2026-09-30"

        /// The rows of the SQL that a figure shows: their texts by the names of the columns.
        private func rows(_ sql: String, on database: TestDatabase) async throws -> [[String: String]] {
            let statement = sql.trimmingCharacters(in: .whitespacesAndNewlines).dropLast()
            let objects = try await database.column(
                """
                SELECT (SELECT jsonb_object_agg(key, value) FROM jsonb_each_text(to_jsonb(answer))) FROM (\(statement)) AS answer
                """)
            return try objects.map { text in
                let object = try JSONSerialization.jsonObject(with: Data((text ?? "").utf8)) as? [String: Any]
                return try #require(object).compactMapValues { $0 as? String }
            }
        }

        /// The rows of a CSV without quotes.
        private func rows(csv text: String) -> [[String: String]] {
            let lines = text.split(separator: "\r\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
            let names = (lines.first ?? []).map(String.init)
            return lines.dropFirst().map { line in
                Dictionary(uniqueKeysWithValues: zip(names, line.map(String.init)).filter { !$1.isEmpty })
            }
        }

        @Test("On an empty database every screen says what to do next, and nothing fails", .installation)
        func empty() async throws {
            let installation = try Installation.current
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            for path in [
                "/", "/campaigns", "/campaigns?by=campaign", "/campaigns?by=identifier", "/campaigns?by=source",
                "/campaigns?by=cost", "/campaigns?by=modelled", "/values", "/windows", "/copies", "/app-store",
            ] {
                let answer = try await page.get(path)
                #expect(answer.status == 200, "\(path) \(answer.text)")
                #expect(answer.text.contains("<p class=\"advice\">"), "\(path)")
                #expect(!answer.text.contains("<table"), "\(path)")
                #expect(answer.text.contains("<html lang=\"en\">") && answer.text.contains("aria-current=\"page\""))
            }
            #expect(try await page.get("/").text.contains("No postback was counted yet."))
        }

        @Test("Wrong names, days and orders are a summary of errors beside the form, never a failure", .installation)
        func wrong() async throws {
            let installation = try Installation.current
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            for (query, message) in [
                ("from=yesterday", "First day must be a day such as 2026-11-22, not “yesterday”."),
                ("to=2026-02-30", "Last day must be a day such as 2026-11-22, not “2026-02-30”."),
                ("from=2026-09-02&to=2026-09-01", "First day must not be after the last day, 2026-09-01."),
                ("network=nobody.example", "There are no postbacks of the network “nobody.example” in production."),
                ("app=%3Cb%3E", "There are no postbacks for the app “&lt;b&gt;” in production."),
                (
                    "campaign=x",
                    "Campaign must be the name or id of a campaign of the mapping, or an identifier as received"
                ),
                ("environment=mars", "Environment must be production, development or test, not “mars”."),
                (
                    "currency=XXX",
                    "Currency must be a currency in three capital letters (ISO 4217), such as EUR, not “XXX”."
                ),
                ("currency=dollars", "such as EUR, not “dollars”."),
                ("csv=nothing", "csv: must be one of networks, not nothing"),
                ("color=red", "“color” is no filter of this screen."),
                ("days=0", "“days” must be a number from 1 to 9999, not “0”."),
                ("days=%2B7", "“days” must be a number from 1 to 9999, not “+7”."),
                ("days=10000", "“days” must be a number from 1 to 9999, not “10000”."),
                ("from=2026-09-02&compare=2026-09-02", "must begin before the first day, 2026-09-02"),
                ("compare=year", "“compare” is such a day, or week."),
                ("app=1&app=2", "The filter “app” is there twice."), ("sort=1;DROP", "sort: must be one of "),
                ("by=moon", "by: must be one of network, campaign"),
                ("by=identifier&within=x", "within: must be two"),
                ("from=0001-01-01&to=9999-12-31&sort=-%22", "sort: must be one of "),
            ] {
                let answer = try await page.get("/campaigns?" + query)
                #expect(answer.status == 400, "\(query)")
                #expect(answer.text.contains("class=\"error-summary\" role=\"alert\""))
                #expect(answer.text.contains(message), "\(query) \(answer.text)")
                #expect(answer.text.contains("<form method=\"get\" action=\"/campaigns\""))
                #expect(try answer.errors().count == 1, "\(query)")
            }
            // Each message leads to its field, and one mistake gives one message.
            for (path, fields) in [
                ("/campaigns?from=2026-02-30&to=2026-01-01&environment=mars&network=x", ["environment", "from"]),
                ("/campaigns?to=2026-02-30&from=2030-01-01", ["to"]),
                ("/?currency=x&environment=y", ["environment", "currency"]),
                ("/?currency=x&campaign=y", ["currency", "campaign"]),
                ("/values?app=1&app=x", ["app"]), ("/campaigns?by=moon", ["main"]), ("/?color=red", ["main"]),
                ("/?csv=x", ["main"]), ("/refused?csv=x", ["main"]),
                ("/refused?network=x%20y&reason=y&half=z", ["reason", "half", "network"]),
                ("/refused?reason=y&reason=y&before=z", ["reason", "main"]),
            ] {
                let answer = try await page.get(path)
                #expect(answer.status == 400)
                #expect(try answer.errors().map(\.field) == fields, "\(path)")
            }
            #expect(try await page.get("/campaigns?color=%FF").status == 400)
            #expect(try await page.get("/campaigns/more").status == 404)
            #expect(try await page.get("/no-screen").status == 404)
        }

        @Test("Each table and its CSV have what the SQL beside it gives, and the sums are those of the reports")
        func figures() async throws {
            try await SimulatedQuarter.with(seed: 21) { quarter in
                let database = quarter.database
                let installation = quarter.installation
                _ = try await installation.succeed(["fold"])
                // Two currencies, and a campaign without postbacks.
                try await database.run(
                    """
                    INSERT INTO attribution.currency_rate (day, currency, units_per_usd, loaded_at)
                    SELECT date '2026-06-28' + number, 'EUR', 0.9 + number / 1000.0, now() FROM generate_series(0, 99) AS number;
                    INSERT INTO attribution.spend_daily
                           (day, ad_network_id, advertised_app_id, campaign_id, currency, spend, source_file, loaded_at)
                    SELECT date '2026-07-01' + number, ad_network_id, advertised_app_id, 'brand',
                           CASE WHEN number % 2 = 0 THEN 'EUR' ELSE 'USD' END, 10 + number, 'test', now()
                      FROM generate_series(0, 40) AS number
                     CROSS JOIN (SELECT min(ad_network_id) AS ad_network_id, advertised_app_id FROM attribution.line
                                  WHERE environment = 'test' GROUP BY advertised_app_id) AS app
                    """)
                let page = try await PageClient.start(on: installation)
                try await page.signIn()
                // Values mean something else in each app, so the screen leads to each.
                let apps = try await page.get("/values?" + Self.filters)
                #expect(apps.status == 200 && !apps.text.contains("<table"))
                let app = try #require(apps.text.firstMatch(of: /href="\/values\?[^"]*app=([0-9]+)/)).1
                for (path, figures) in [
                    ("/", ["totals", "installs", "revenue", "spend", "missing", "top", "intake"]),
                    ("/campaigns?by=network", ["networks"]),
                    ("/campaigns?by=campaign", ["campaigns"]), ("/campaigns?by=identifier", ["identifiers"]),
                    ("/campaigns?by=source", ["sources"]), ("/campaigns?by=cost", ["cost"]),
                    ("/campaigns?by=modelled", ["modelled"]),
                    ("/values?app=\(app)", ["fine", "coarse"]),
                    ("/windows", ["versions", "cohorts"]),
                ] {
                    let address = path + (path.contains("?") ? "&" : "?") + Self.filters
                    let answer = try await page.get(address)
                    #expect(answer.status == 200, "\(answer.text)")
                    #expect(!answer.text.contains("error-summary"))
                    for figure in figures {
                        let cells = try answer.cells(figure)
                        #expect(!cells.isEmpty, "\(figure)")
                        let pasted = try await rows(try answer.sql(figure), on: database)
                        // A long table is cut; SQL and CSV are not.
                        #expect(
                            cells.count == (path.hasPrefix("/campaigns") ? min(100, pasted.count) : pasted.count),
                            "\(figure)")
                        let csv = try await page.get(address + "&csv=\(figure)")
                        #expect(csv.headers.first(name: "Content-Type") == "text/csv; charset=utf-8")
                        let lines = rows(csv: csv.text)
                        #expect(lines.count == pasted.count, "\(figure)")
                        for (line, row) in zip(lines, pasted) {
                            #expect(line.allSatisfy { row[$0.key] == $0.value }, "\(figure) \(line) \(row)")
                        }
                    }
                }
                let overview = try await page.get("/?" + Self.filters)
                let installs = try overview.cells("installs")
                let sums = try await database.column(
                    """
                    SELECT concat_ws(' ', day, sum(installs), sum(redownloads), sum(reengagements))
                      FROM attribution.report_install_campaign_daily_all
                     WHERE environment = 'test' AND did_win AND day BETWEEN '2026-07-01' AND '2026-09-30'
                     GROUP BY day ORDER BY day
                    """)
                #expect(installs.map { $0.prefix(4).joined(separator: " ") } == sums.map { $0 ?? "" })
                // Below them are their sums; whether days are complete can't be added.
                let added = (1...3).map { column in installs.compactMap { Int($0[column]) }.reduce(0, +) }
                #expect(
                    try overview.footer("installs") == [["Total (\(installs.count))"] + added.map { "\($0)" } + [""]])
                // The spend is that of report_cost, which is joined and converted by campaign.
                let spent = try overview.cells("spend").compactMap { Decimal(string: $0[1]) }.reduce(0, +)
                let currency = try #require(overview.text.firstMatch(of: /Spend and return by day, ([A-Z]{3})/)).1
                let cost = try await database.value(
                    """
                    SELECT sum(cost) FROM attribution.report_cost('2026-07-01', '2026-09-30', NULL, '\(currency)', 'test')
                    """)
                #expect(abs(spent - (Decimal(string: cost ?? "") ?? 0)) < 0.000001 && spent > 1_000, "\(cost ?? "")")
            }
        }

        @Test("Totals are those of the report, beside as many days before; links to ranges of days keep other filters")
        func totals() async throws {
            try await SimulatedQuarter.with(seed: 21) { quarter in
                _ = try await quarter.installation.succeed(["fold"])
                let page = try await PageClient.start(on: quarter.installation)
                try await page.signIn()
                let overview = try await page.get("/?environment=test&from=2026-08-01&to=2026-08-31")
                func sums(_ first: String, _ last: String) async throws -> String? {
                    try await quarter.database.value(
                        """
                        SELECT concat_ws(' ', '\(first)', '\(last)', date '\(last)' - date '\(first)' + 1, sum(installs),
                                         sum(revenue_low) FILTER (WHERE sequence_index = 0),
                                         sum(revenue_middle) FILTER (WHERE sequence_index = 0),
                                         sum(revenue_high) FILTER (WHERE sequence_index = 0), sum(revenue_middle))
                          FROM attribution.report_install_campaign_daily_all
                         WHERE environment = 'test' AND NOT developer_copy AND did_win
                           AND day BETWEEN '\(first)' AND '\(last)'
                        """)
                }
                let rows = try overview.cells("totals")
                // All windows of these days are complete.
                #expect(
                    rows.map(\.first) == [
                        "complete days", "days before", "complete in all windows", "days before in all windows",
                        "all days so far",
                    ])
                let (august, july) = (("2026-08-01", "2026-08-31"), ("2026-07-01", "2026-07-31"))
                for (row, days) in zip(rows, [august, july, august, july, august]) {
                    #expect(row[1...8].joined(separator: " ") == (try await sums(days.0, days.1)))
                }
                #expect(rows[0][4] != rows[1][4])
                #expect(overview.text.contains("All 31 days are complete."))
                #expect(overview.text.contains("Before: the 31 days before them, 2026-07-01 to 2026-07-31."))
                // A tile has both.
                let tiles = try #require(
                    overview.text.firstMatch(of: /<dl class="tiles">(.*?)<\/dl>/.dotMatchesNewlines())
                ).1
                #expect(
                    tiles.contains("<strong data-value=\"\(rows[0][4])\">")
                        && tiles.contains("before: <span data-value=\"\(rows[1][4])\">"))
                // No day of the calendar is before these.
                let first = try await page.get("/?environment=test&from=0001-01-01&to=2026-08-31")
                #expect(first.status == 200)
                #expect(
                    try first.cells("totals").map(\.first) == [
                        "complete days", "complete in all windows", "all days so far",
                    ])

                let links = try await page.get(
                    "/campaigns?by=campaign&environment=test&sort=installs&from=2026-08-01"
                ).text
                for count in [7, 30, 90] {
                    #expect(
                        links.contains(
                            "<a href=\"/campaigns?by=campaign&amp;environment=test&amp;sort=installs&amp;days=\(count)\">"
                                + "Last \(count) days</a>"))
                }
                #expect(
                    try await page.get("/?environment=test").text.contains(" aria-current=\"true\">Last 30 days</a>"))
            }
        }

        @Test("If no value is mapped, page and CSV show no revenue and no return; before, they were 0", .installation)
        func unknownRevenue() async throws {
            let installation = try Installation.current
            let bodies = try (0..<3).map { _ in
                // Long enough ago that the day of the install is complete.
                try TestPostback {
                    ($0.version, $0.conversionValue) = ("4.0", 7)
                    $0.unsigned["received-at"] = "\(Int64(Date().timeIntervalSince1970 - 10 * 86_400) * 1_000)"
                }.body(installation.keys.postbackKeyP256)
            }
            _ = try await installation.succeed(["import", try installation.write(bodies, to: "archive.ndjson")])
            _ = try await installation.succeed(["fold"])
            try await installation.database.run(
                """
                INSERT INTO attribution.spend_daily
                       (day, ad_network_id, advertised_app_id, campaign_id, currency, spend, source_file, loaded_at)
                SELECT install_day, 'example123.skadnetwork', 525463029, '42', 'USD', 100, 'test', now()
                  FROM attribution.postback_answer LIMIT 1
                """)
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            let money = ["revenue_low", "revenue_middle", "revenue_high"]
            let returns = ["revenue_all", "return_low", "return", "return_high"]
            func expect(_ revenue: String?, _ returned: String?, _ tile: String) async throws {
                for (path, names) in [
                    ("/?environment=test&csv=totals", money + returns), ("/?environment=test&csv=revenue", money),
                    ("/campaigns?by=network&environment=test&csv=networks", money),
                ] {
                    let row = try #require(rows(csv: try await page.get(path).text).first)
                    for name in names {
                        #expect(row[name] == (name.hasPrefix("return") ? returned : revenue), "\(path) \(row)")
                    }
                }
                let overview = try await page.get("/?environment=test")
                #expect(try overview.cells("totals")[0][4...8] == ["3"] + Array(repeating: revenue ?? "", count: 4))
                #expect(revenue != nil || overview.text.contains("data-value=\"\">–</td>"))
                #expect(overview.text.contains(tile))
                let report = try await page.get(
                    "/v1/reports/install_campaign?environment=test&did_win=true&format=csv", Installation.authorization)
                let line = try #require(rows(csv: report.text).first)
                #expect(money.allSatisfy { line[$0] == revenue } && line["postbacks"] == "3", "\(line)")
            }
            try await expect(nil, nil, "not known: no value is mapped")
            try installation.write(
                """
                {"app-id": 525463029, "name": "s", "valid-from": "2020-01-01T00:00:00Z", "currency": "USD", "fine": [
                 {"value": 7, "events": [{"name": "purchase", "revenue": {"from": 5, "to": 5}}]}]}
                """, to: "scheme.json")
            _ = try await installation.succeed(["scheme", "load", installation.folder + "/scheme.json"])
            _ = try await installation.succeed(["fold"])
            try await expect("15.000000", "0.150000", "15.00 to 15.00")
        }

        @Test("Modelled revenue is that of the report, in columns of its own, by app or by the network that is chosen")
        func modelled() async throws {
            try await SimulatedQuarter.with(seed: 21) { quarter in
                _ = try await quarter.installation.succeed(["fold"])
                let page = try await PageClient.start(on: quarter.installation)
                try await page.signIn()
                let network = try #require(
                    try await quarter.database.value(
                        "SELECT min(ad_network_id) FROM attribution.line WHERE environment = 'test'"))
                let money =
                    ["revenue", "modelled_revenue"].flatMap { name in ["low", "middle", "high"].map { "\(name)_\($0)" }
                    }
                    + ["modelled_interval_low", "modelled_interval_high"]
                for (report, column, filter, more) in [
                    ("by_app", "advertised_app_id", "", ""),
                    (
                        "by_network", "ad_network_id", "&network=\(network)",
                        "AND attribution.network_name(ad_network_id) = attribution.network_name('\(network)')"
                    ),
                ] {
                    let answer = try await page.get("/campaigns?by=modelled&\(Self.filters)\(filter)")
                    let rows = try await quarter.database.column(
                        """
                        SELECT concat_ws(' ', \(column), (ARRAY['first', 'second', 'third'])[sequence_index + 1]
                                         || ' window (' || sequence_index || ')', postbacks, mapped, withheld,
                                         \(money.map { "coalesce(\($0)::text, '')" }.joined(separator: ", ")),
                                         modelled_missing)
                          FROM attribution.report_modelled_revenue_\(report)(
                               '2026-07-01', '2026-09-30', an_environment => 'test')
                         WHERE currency = 'USD' \(more)
                         ORDER BY sequence_index, \(column)
                        """)
                    let shown = try answer.cells("modelled").map { $0.joined(separator: " ") }
                    let expected = rows.map { $0 ?? "" }
                    #expect(shown == expected)
                    #expect(!rows.isEmpty)
                }
            }
        }
    }
}
