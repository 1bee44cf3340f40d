import Foundation
import TestSupport
import Testing

extension ServerPageTests {
    @Suite("The page of a campaign")
    struct CampaignPageTests {
        private static let network = "example123.skadnetwork"

        /// The day so many days ago, UTC.
        private static func day(_ ago: Int) -> String {
            String(Date(timeIntervalSinceNow: -86_400 * Double(ago)).ISO8601Format().prefix(10))
        }

        /// The exact number of a tile; empty if there is none.
        private func tile(_ label: String, _ page: PostbackClient.Answer) throws -> String {
            let part = try #require(
                page.text.components(separatedBy: "<dt>\(label)</dt>").dropFirst().first, "\(label)")
            return String(try #require(part.firstMatch(of: /<strong data-value="([^"]*)">/)).1)
        }

        private func isEqual(_ shown: String, _ expected: String?) -> Bool {
            guard let expected, let number = Decimal(string: expected) else { return shown.isEmpty }
            return Decimal(string: shown).map { abs($0 - number) < 0.000002 } ?? false
        }

        /// The address to which a link with a text leads.
        private func link(_ text: String, _ page: PostbackClient.Answer) throws -> String {
            let parts = page.text.components(separatedBy: ">\(text)</a>")
            let tag = try #require(
                parts.count > 1 ? parts[0].components(separatedBy: "<a href=\"").last : nil, "\(text)")
            return String(tag.prefix { $0 != "\"" }).replacing("&amp;", with: "&")
        }

        @Test("Each tile is the report's figure of the days that its note names, also in another currency")
        func tiles() async throws {
            try await Demo.with(installsADay: 60) { demo in
                let server = try ServerProcess(environment: demo.environment)
                do {
                    try await PageClient.with(port: try await server.port(of: "admin")) { page in
                        try await page.signIn()
                        for currency in ["USD", "EUR"] { try await tiles(page, demo, currency) }
                        try await links(page)
                    }
                    try await server.kill()
                } catch {
                    try? await server.kill()
                    throw error
                }
            }
        }

        private func tiles(_ page: PageClient, _ demo: Demo, _ currency: String) async throws {
            let (first, last) = (Self.day(79), Self.day(0))
            let address =
                "/campaign?environment=test&network=\(Self.network)&app=525463029&campaign=id%3A111&from=\(first)"
                + "&to=\(last)&currency=\(currency)"
            let answer = try await page.get(address)
            #expect(answer.status == 200 && answer.text.contains("<h1>Puzzle: Prospecting A</h1>"), "\(answer.text)")
            // The field has the name, since it asks for the same.
            #expect(answer.text.contains("value=\"Puzzle: Prospecting A\""))
            func report(_ column: String, _ first: String, _ last: String) async throws -> String? {
                try await demo.database.value(
                    """
                    SELECT \(column) FROM attribution.report_cost('\(first)', '\(last)', 525463029, '\(currency)', 'test')
                     WHERE campaign_id = '111' AND network_name = 'example123'
                    """)
            }
            let totals = try answer.cells("totals")
            // Days before that begin before the first postback are no full period.
            #expect(totals.map(\.first) == ["complete days", "yesterday", "all days so far"])
            #expect(answer.text.contains("There is no full period before: the first day with postbacks in test is "))
            // Four days behind the day of the install, and today is not over.
            #expect(totals[0][1] == first && totals[0][2] == Self.day(5), "\(totals)")
            for (label, column) in [
                ("Installs", "installs"), ("Spend, \(currency)", "cost"),
                ("Cost per install (CPI), \(currency)", "cost_per_install"),
            ] {
                let expected = try await report(column, first, Self.day(5))
                #expect(try expected != nil && isEqual(tile(label, answer), expected), "\(label) \(expected ?? "")")
            }
            let range = try await [
                report("cost_per_install_low", first, Self.day(5)), report("cost_per_install_high", first, Self.day(5)),
            ]
            #expect(isEqual(totals[0][6], range[0]) && isEqual(totals[0][8], range[1]), "\(totals[0]) \(range)")
            let compared = try await page.get(address + "&compare=\(Self.day(85))").cells("totals")
            let before = try #require(compared.first { $0[0] == "days before" }, "\(compared)")
            #expect(before[1...3] == [Self.day(85), Self.day(11), "75"], "\(before)")
            for (place, column) in [
                (4, "installs"), (5, "cost"), (6, "cost_per_install_low"), (7, "cost_per_install"),
                (8, "cost_per_install_high"),
            ] {
                let expected = try await report(column, Self.day(85), Self.day(11))
                #expect(expected != nil && isEqual(before[place], expected), "\(column) \(before) \(expected ?? "")")
            }
            #expect(
                isEqual(
                    try tile("CPI of yesterday, \(currency)", answer),
                    try await report("cost_per_install", Self.day(1), Self.day(1))))
            #expect(
                isEqual(
                    try tile("Share without a value (null rate)", answer),
                    try await report(
                        "round((postbacks_0 - mapped_0 - unmapped_0 - ambiguous_0 - no_scheme_0)::numeric / postbacks_0, 6)",
                        first, Self.day(5))))
            let windows = try answer.cells("windows")
            #expect(
                windows.map(\.first) == [
                    "first window", "second window", "third window", "all windows", "all windows, all days so far",
                ])
            for (row, column) in zip(windows, ["roas_0", "roas_1", "roas_2", "roas"]) {
                let label = "Return (ROAS), \(row[0])"
                let expected = try await report(column + "_middle", row[1], row[2])
                #expect(try expected != nil && isEqual(tile(label, answer), expected), "\(row) \(expected ?? "")")
            }
            #expect(windows.map { $0[2] } == [5, 14, 42, 42, 0].map { Self.day($0) })
            try await sums(answer, demo, (first, last))
            try await statements(page, answer, demo, address)
        }

        /// Days, causes and identifiers add up to the report.
        private func sums(
            _ answer: PostbackClient.Answer, _ demo: Demo, _ days: (first: String, last: String)
        ) async throws {
            func report(_ column: String) async throws -> String? {
                try await demo.database.value(
                    """
                    SELECT \(column) FROM attribution.report_cost('\(days.first)', '\(days.last)', 525463029, 'USD', 'test')
                     WHERE campaign_id = '111' AND network_name = 'example123'
                    """)
            }
            let installs = try await report("installs")
            for (figure, column) in [("installs", 1), ("identifiers", 8), ("sources", 2)] {
                let sum = try answer.cells(figure).compactMap { Int($0[column]) }.reduce(0, +)
                #expect("\(sum)" == installs, "\(figure)")
            }
            for cause in try answer.cells("causes") {
                let column = cause[0] == "without a scheme" ? "no_scheme" : cause[0].replacing(" ", with: "_")
                // A report of cost has no column of what is not applicable.
                guard cause[0] != "not applicable" else { continue }
                let counts = try await report("concat_ws(' ', \(column)_0, \(column)_1, \(column)_2)")
                #expect(cause[1...3].joined(separator: " ") == counts, "\(cause)")
            }
        }

        /// The SQL of each figure gives its rows.
        private func statements(
            _ page: PageClient, _ answer: PostbackClient.Answer, _ demo: Demo, _ address: String
        ) async throws {
            for figure in [
                "totals", "windows", "installs", "cost", "return", "missing", "causes", "identifiers", "sources",
                "fine",
                "coarse",
            ] {
                let cells = try answer.cells(figure)
                let sql = try answer.sql(figure).trimmingCharacters(in: .whitespacesAndNewlines).dropLast()
                let count = try await demo.database.value("SELECT count(*) FROM (\(sql)) AS answer")
                #expect(!cells.isEmpty && "\(cells.count)" == count, "\(figure)")
                let csv = try await page.get(address + "&csv=" + figure)
                #expect(csv.status == 200 && csv.text.split(separator: "\r\n").count == cells.count + 1, "\(figure)")
            }
        }

        /// The names of campaigns lead to the page, from every screen that shows one.
        private func links(_ page: PageClient) async throws {
            for (path, text) in [
                ("/?environment=test", "Puzzle: Prospecting A"),
                ("/campaigns?environment=test&by=campaign", "Puzzle: Prospecting A"),
                ("/campaigns?environment=test&by=cost", "111"),
                ("/campaigns?environment=test&by=identifier", "Puzzle: Prospecting A"),
                ("/mapping", "Puzzle: Prospecting A (111)"),
            ] {
                let screen = try await page.get(path)
                let address = try link(text, screen)
                #expect(address.hasPrefix("/campaign?"), "\(path) \(address)")
                let campaign = try await page.get(address)
                #expect(campaign.status == 200 && campaign.text.contains("<h1>Puzzle: Prospecting A</h1>"), "\(path)")
            }
            let all = try await page.get("/campaigns?environment=test&by=campaign").text
            #expect(all.matches(of: /href="\/campaign\?/).count > 20)
            // Differences of copies name what was received.
            let copies = try await page.get("/copies?environment=test").text
            let address = try #require(copies.firstMatch(of: /href="(\/campaign\?[^"]*)"/)).1.replacing(
                "&amp;", with: "&")
            let received = try await page.get(String(address))
            #expect(received.status == 200 && received.text.contains(">Named "), "\(received.text)")
        }

        @Test("The filter on the campaign takes names, ids and digits, offers the names, and refuses others")
        func names() async throws {
            try await Demo.with(installsADay: 30) { demo in
                let server = try ServerProcess(environment: demo.environment)
                do {
                    try await PageClient.with(port: try await server.port(of: "admin")) { page in
                        try await page.signIn()
                        try await names(page, demo)
                    }
                    try await server.kill()
                } catch {
                    try? await server.kill()
                    throw error
                }
            }
        }

        private func names(_ page: PageClient, _ demo: Demo) async throws {
            let days = "environment=test&from=\(Self.day(60))&to=\(Self.day(0))"
            func installs(_ address: String, _ figure: String, _ column: Int) async throws -> Int {
                let answer = try await page.get(address)
                #expect(answer.status == 200, "\(address) \(answer.text)")
                return try answer.cells(figure).compactMap { Int($0[column]) }.reduce(0, +)
            }
            let expected = try await demo.database.value(
                """
                SELECT sum(installs) FROM attribution.report_cost('\(Self.day(60))', '\(Self.day(0))', an_environment => 'test')
                 WHERE campaign_name = 'Puzzle: Creators'
                """)
            for campaign in ["Puzzle%3A+Creators", "puzzle%3A+creators", "id%3A140"] {
                for (path, figure, column) in [
                    ("/?", "installs", 1), ("/campaigns?by=campaign&", "campaigns", 4),
                    ("/campaigns?by=cost&", "cost", 1), ("/campaign?", "installs", 1),
                ] {
                    let sum = try await installs("\(path)\(days)&campaign=\(campaign)", figure, column)
                    #expect("\(sum)" == expected, "\(path) \(campaign)")
                }
            }
            // Screens without names go by what was received, and say so.
            for path in ["/campaigns?by=network&", "/campaigns?by=source&", "/campaigns?by=identifier&", "/windows?"] {
                let answer = try await page.get(
                    "\(path)\(days)&network=\(Self.network)&app=525463029&campaign=id%3A111")
                #expect(
                    answer.status == 200 && answer.text.contains("is here by its identifiers as received"), "\(path)")
            }
            let named = try await installs(
                "/campaign?\(days)&network=\(Self.network)&app=525463029&campaign=id%3A111", "installs", 1)
            let received = try await installs(
                "/campaigns?by=network&\(days)&network=\(Self.network)&app=525463029&campaign=id%3A111", "networks", 1)
            #expect(named == received && named > 0)
            let overview = try await page.get("/?\(days)&network=\(Self.network)&app=525463029").text
            #expect(overview.contains("<option value=\"Puzzle: Video A\"></option>"))
            #expect(!overview.contains("<option value=\"Puzzle: Prospecting B\">"))
            let wrong = try await page.get("/?\(days)&campaign=%3Cb%3E")
            #expect(wrong.status == 400 && wrong.text.contains("Campaign must be the name or id of a campaign"))
            #expect(wrong.text.contains("value=\"&lt;b&gt;\" aria-invalid=\"true\""))
            let choose = try await page.get("/campaign?environment=test")
            #expect(choose.status == 200 && choose.text.contains("choose one of all campaigns"))
            let places = try await page.get("/campaign?environment=test&campaign=42")
            #expect(places.status == 200 && places.text.contains("Choose a network and an app."))
        }

        @Test("An unmapped campaign has a page without cost, and a form filled in that gives it a name", .installation)
        func unmapped() async throws {
            let installation = try Installation.current
            let received = Int64(Date().timeIntervalSince1970 - 10 * 86_400) * 1_000
            let bodies = try (0..<4).map { _ in
                try TestPostback {
                    ($0.version, $0.conversionValue) = ("4.0", 7)
                    $0.unsigned["received-at"] = "\(received)"
                }.body(installation.keys.postbackKeyP256)
            }
            _ = try await installation.succeed(["import", try installation.write(bodies, to: "archive.ndjson")])
            _ = try await installation.succeed(["fold"])
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            let overview = try await page.get("/?environment=test")
            // The form is filled in, and the filters stay those of the reader.
            let naming = try link("not mapped, name it", overview)
            #expect(
                naming.hasPrefix("/mapping?environment=test&name-network=example123.skadnetwork&name-app=525463029&"))
            let mapping = try await page.get(String(naming.prefix { $0 != "#" }))
            #expect(try link("Overview", mapping) == "/?environment=test")
            #expect(mapping.text.contains("name=\"network\" value=\"example123.skadnetwork\""))
            let row = try #require(overview.text.firstMatch(of: /href="(\/campaign\?[^"]*)">[0-9]+</))
            let answer = try await page.get(String(row.1).replacing("&amp;", with: "&"))
            #expect(answer.status == 200 && answer.text.contains("No row of the mapping names it"), "\(answer.text)")
            #expect(try tile("Installs", answer) == "4" && tile("Revenue, first window, USD", answer).isEmpty)
            #expect(answer.text.contains("not known: no value is mapped; see why below"))
            #expect(!answer.text.contains("Cost per install"))
            #expect(try answer.cells("causes").map { [$0[0], $0[1]] } == [["without a scheme", "4"]])
            #expect(try link("without a scheme", answer).hasPrefix("/schemes?"))
            // The campaign stays chosen, also where it is not used.
            #expect(try link("Modelled revenue", answer).contains("campaign="))
            let form = try await page.get(String(try link("Give it a name", answer).prefix { $0 != "#" }))
            let identifiers = try answer.cells("identifiers")
            let fields = [
                "network": "example123.skadnetwork", "app": "525463029", "campaign-type": "source-identifier",
                "identifier": try #require(identifiers.first?.first),
            ]
            for (name, value) in fields where name != "campaign-type" {
                #expect(form.text.contains("id=\"name-\(name)\" name=\"\(name)\" value=\"\(value)\""), "\(name)")
            }
            let csrf = try PageClient.csrf(form)
            func send(_ more: [(String, String)]) async throws -> PostbackClient.Answer {
                try await page.post("/mapping", fields.map { ($0, $1) } + [("csrf", csrf), ("do", "name")] + more)
            }
            let wrong = try await send([("campaign-name", "Autumn")])
            #expect(
                wrong.status == 400 && wrong.text.contains("name=\"campaign-name\" value=\"Autumn\""), "\(wrong.text)")
            let named = try await send([("campaign-id", "autumn"), ("campaign-name", "Autumn")])
            #expect(named.status == 200 && named.text.contains("Autumn: the row of source-identifier"), "\(named.text)")
            try await installation.database.expect(
                "SELECT identifier, advertised_app_id, campaign_id, campaign_name FROM attribution.campaign_mapping WHERE NOT is_built_in",
                """
                identifier              advertised_app_id  campaign_id  campaign_name
                \(fields["identifier"] ?? "")  525463029  autumn       Autumn
                """)
            // The same identifier gets another name: that is shown first, and one press changes nothing.
            let asked = try await send([("campaign-id", "winter")])
            #expect(asked.status == 200 && asked.text.contains("This would add 0 rows, change 1"), "\(asked.text)")
            #expect(try asked.cells("changed").first?[1] == "campaign id autumn, campaign name Autumn")
            let first = "SELECT campaign_id FROM attribution.campaign_mapping WHERE NOT is_built_in"
            #expect(try await installation.database.value(first) == "autumn")
            let confirmed = try await page.post("/mapping", asked.pressed("confirm"))
            #expect(confirmed.text.contains("Loaded: 0 added, 1 changed"), "\(confirmed.text)")
            #expect(try await installation.database.value(first) == "winter")
            let back = try await page.post("/mapping", confirmed.pressed("take-back-mapping"))
            #expect(back.status == 200, "\(back.text)")
            let again = try await page.get("/campaign?environment=test&campaign=Autumn")
            #expect(again.status == 200 && again.text.contains("<h1>Autumn</h1>"))
            #expect(try tile("Installs", again) == "4")
            #expect(again.text.contains("no spend is loaded; Spend takes it"))
            // Now it has a name, so the page of the identifier says whose it is, and offers none.
            try await owner(of: String(row.1).replacing("&amp;", with: "&"), page, installation)
        }

        /// Of an identifier that a row of the mapping names, on all days and on some.
        private func owner(of address: String, _ page: PageClient, _ installation: Installation) async throws {
            let named = try await page.get(address)
            #expect(named.text.contains("The mapping gives it to “"), "\(named.text)")
            #expect(
                named.text.contains("” on these days. Its postbacks that have a name are on the page of that campaign"))
            #expect(!named.text.contains("No row of the mapping names it") && !named.text.contains("Give it a name"))
            let link = try #require(named.text.firstMatch(of: /<a href="([^"]*)"[^>]*>Named/)).1
            #expect(link.hasPrefix("/campaign?") && link.contains("autumn"), "\(link)")
            try await installation.database.run(
                "UPDATE attribution.campaign_mapping SET valid_from = '\(Self.day(12))' WHERE campaign_id = 'autumn'")
            let part = try await page.get(address)
            #expect(part.text.contains("” from \(Self.day(12)) to \(Self.day(0)). Its postbacks"), "\(part.text)")
        }

        @Test(
            "A refused body is found by its transaction id, also if it was malformed, and is on the page of its campaign",
            .installation)
        func refused() async throws {
            let installation = try Installation.current
            let transaction = "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"
            let lines = [
                "{\"version\":\"2.0\",\"ad-network-id\":\"example123.skadnetwork\",\"campaign-id\":42,\"app-id\":525463029,"
                    + "\"transaction-id\":\"\(transaction.uppercased())\",\"conversion-value\":64}",
                "{\"version\":\"2.0\",\"ad-network-id\":\"example123.skadnetwork\",\"campaign-id\":142,\"app-id\":525463029}",
                "no postback",
            ]
            let imported = try await installation.run([
                "import", installation.write(lines.map { Array($0.utf8) }, to: "refused.ndjson"),
            ])
            #expect(imported.code == 65, "\(imported.errors)")
            try await installation.database.expect(
                """
                SELECT transaction_id, advertised_app_id AS app, campaign_type, campaign FROM attribution.rejected_postback
                 ORDER BY transaction_id NULLS LAST, advertised_app_id
                """,
                """
                transaction_id  app        campaign_type  campaign
                \(transaction)  525463029  campaign-id    42
                -               525463029  -              -
                -               -          -              -
                """)
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            // As copied, with blanks and in capitals.
            let list = try await page.get("/refused?transaction=+\(transaction.uppercased())+")
            #expect(list.status == 200 && list.text.contains("1 of 3 bodies fit the filters."), "\(list.text)")
            let address = try #require(list.text.firstMatch(of: /href="(\/refused\/[0-9a-f]{64})[?"]/)).1
            let detail = try await page.get(String(address))
            #expect(detail.text.contains("<dd>\(transaction)</dd>") && detail.text.contains("<dd>42</dd>"))
            for query in [
                "identifier=42", "app=525463029&identifier=42", "network=example123.skadnetwork&identifier=42",
            ] {
                #expect(try await page.get("/refused?" + query).text.contains("1 of 3 bodies"), "\(query)")
            }
            let none = try await page.get("/refused?transaction=00000000-0000-0000-0000-000000000000")
            #expect(none.text.contains("has this transaction id. The postback was counted"), "\(none.text)")
            for query in ["transaction=1", "app=x", "identifier=x"] {
                #expect(try await page.get("/refused?" + query).status == 400, "\(query)")
            }
            // The page of a campaign of the mapping has it too.
            let row =
                "ad_network_id,campaign_type,identifier,campaign_id\nexample123.skadnetwork,campaign-id,42,autumn\n"
            try installation.write(row, to: "mapping.csv")
            _ = try await installation.succeed(["mapping", "load", installation.folder + "/mapping.csv"])
            let campaign = try await page.get("/campaign?campaign=autumn")
            #expect(campaign.status == 200, "\(campaign.text)")
            #expect(try campaign.cells("refused").map { $0[3] } == [transaction])
        }
    }
}
