import Foundation
import TestSupport
import Testing

extension ServerPageTests {
    @Suite("The numbers of the page")
    struct PageNumberTests {
        private static let currency = "EUR"
        /// Of revenue that is modelled: an interval can't be converted, and the schemes have this one.
        private static let currencyOfSchemes = "USD"
        private static let network = "example123.skadnetwork"
        private static let app = "525463029"
        private static let id = "111"

        /// What a figure must show, as `Fixtures/Page/figures.sql` says it.
        private struct Figure {
            let id: String
            /// The columns that tell its rows apart.
            let keys: [String]
            /// The beginning of its address.
            let path: String
            let statement: String

            var screen: String { String(path.prefix { $0 != "?" }) }
        }

        /// A tile, and the cells of the table below it whose numbers it shows.
        private typealias TileSource = (label: String, figure: String, row: String, before: String?, column: String)

        private static let overviewTiles: [TileSource] = [
            ("Installs", "totals", "complete days", "days before", "installs"),
            ("Revenue of the first window, EUR", "totals", "complete days", "days before", "revenue_middle"),
            (
                "Revenue of all windows, EUR", "totals", "complete in all windows", "days before in all windows",
                "revenue_all"
            ),
            ("Spend, EUR", "totals", "complete days", "days before", "spend"),
            ("Return of the first window (ROAS)", "totals", "complete days", "days before", "return"),
            ("Share without a value (null rate)", "totals", "complete days", "days before", "missing_share"),
        ]
        private static let campaignTiles: [TileSource] =
            [
                ("Installs", "totals", "complete days", "days before", "installs"),
                ("Spend, EUR", "totals", "complete days", "days before", "spend"),
                ("Cost per install (CPI), EUR", "totals", "complete days", "days before", "cost_per_install"),
                ("CPI of yesterday, EUR", "totals", "yesterday", nil, "cost_per_install"),
                ("Share without a value (null rate)", "totals", "complete days", "days before", "missing_share"),
            ]
            + ["first window", "second window", "third window", "all windows"].map { window -> TileSource in
                ("Return (ROAS), \(window)", "windows", window, nil, "return")
            }

        private static let storeTiles: [TileSource] = [
            ("Gross, EUR", "gross"), ("Refunded, EUR", "refunded"), ("Net, EUR", "net"),
            ("Transactions without a price", "without_price"), ("Refund rate", "refund_rate"),
            ("Revenue at risk, EUR", "at_risk"),
        ].map { label, column -> TileSource in (label, "totals", "all days", nil, column) }

        @Test("Each tile and column of the screens of reports has the number of the finest reports, and is documented")
        func numbers() async throws {
            try await Demo.with(installsADay: 60) { demo in
                let server = try ServerProcess(environment: demo.environment)
                do {
                    try await PageClient.with(port: try await server.port(of: "admin")) { page in
                        try await page.signIn()
                        try await numbers(page, demo)
                    }
                    try await server.kill()
                } catch {
                    try? await server.kill()
                    throw error
                }
            }
        }

        private func numbers(_ page: PageClient, _ demo: Demo) async throws {
            let days = (first: Self.day(59), last: Self.day(0))
            let (common, figures) = try Self.figures()
            var columns: [String: [String: [String]]] = [:]
            for figure in figures {
                let name = "\(figure.path) \(figure.id)"
                let currency = figure.id == "modelled" ? Self.currencyOfSchemes : Self.currency
                let csv = try await page.get(Self.address(figure.path, days, currency) + "&csv=" + figure.id)
                #expect(csv.status == 200, "\(name) \(csv.text)")
                let (header, shown) = rows(csv: csv.text)
                columns[figure.screen, default: [:]][figure.id] = header
                let statement = Self.filled(common + figure.statement, days, currency)
                let expected = try await rows(statement, on: demo.database)
                let byKey = Dictionary(expected.map { (key($0, figure), $0) }) { first, _ in first }
                #expect(byKey.count == expected.count && shown.count == expected.count, "\(name)")
                // The refused bodies of the demo name no campaign of the mapping; nothing may be at risk today.
                #expect(!expected.isEmpty || ["refused", "risk"].contains(figure.id), "\(name)")
                for row in shown {
                    guard let other = byKey[key(row, figure)] else {
                        Issue.record("\(name) has a row that is in no report: \(row)")
                        continue
                    }
                    for column in header {
                        let pair = (row[column] ?? "", other[column])
                        #expect(isEqual(pair.0, pair.1), "\(name) \(key(row, figure)) \(column) \(pair)")
                    }
                }
            }
            try await tiles(page, days)
            try await document(page, figures.map(\.path), days, columns)
        }

        /// Tiles show cells of the tables that are compared above.
        private func tiles(_ page: PageClient, _ days: (first: String, last: String)) async throws {
            for (path, tiles, received) in [
                ("/?", Self.overviewTiles, ["Postbacks received"]), ("/campaign?", Self.campaignTiles, []),
                ("/app-store?", Self.storeTiles, []),
            ] {
                let address = Self.address(path, days, Self.currency)
                let answer = try await page.get(address)
                #expect(labels(answer) == Set(tiles.map(\.label) + received), "\(path)")
                for tile in tiles {
                    let table = rows(csv: try await page.get(address + "&csv=" + tile.figure).text).rows
                    func cell(_ row: String) -> String? { table.first { $0["period"] == row }?[tile.column] }
                    let shown = try #require(
                        answer.text.components(separatedBy: "<dt>\(tile.label)</dt>").dropFirst().first?
                            .components(separatedBy: "</dd>").first)
                    let numbers = shown.matches(of: /data-value="([^"]*)"/).map { String($0.1) }
                    let expected = [cell(tile.row)] + (tile.before.map { [cell($0)] } ?? [])
                    #expect(numbers.prefix(expected.count) == expected.map { $0 ?? "" }[...], "\(path) \(tile.label)")
                }
                for label in received {
                    let sum = rows(csv: try await page.get(address + "&csv=intake").text).rows
                        .compactMap { $0["received"].flatMap { Int($0) } }.reduce(0, +)
                    #expect(answer.text.contains("<dt>\(label)</dt><dd><strong data-value=\"\(sum)\">"))
                }
            }
        }

        /// docs/page.md says the formula of each tile and column that the page has, and of no other.
        private func document(
            _ page: PageClient, _ paths: [String], _ days: (first: String, last: String),
            _ columns: [String: [String: [String]]]
        ) async throws {
            let text = String(decoding: try TestEnvironment.file("docs/page.md"), as: UTF8.self)
            var shown: [String: Set<String>] = [:]
            var labels: [String: Set<String>] = [:]
            for path in Set(paths) {
                let answer = try await page.get(Self.address(path, days, Self.currency))
                let screen = String(path.prefix { $0 != "?" })
                let figures = answer.text.matches(of: /<section class="figure" id="([a-z]+)"/).map { String($0.1) }
                shown[screen, default: []].formUnion(figures)
                labels[screen, default: []].formUnion(self.labels(answer))
            }
            for (screen, heading) in [
                ("/", "Overview"), ("/campaigns", "Campaigns"), ("/campaign", "Campaign"), ("/values", "Values"),
                ("/windows", "Versions and windows"), ("/copies", "Copies"), ("/app-store", "App Store"),
            ] {
                let figures = columns[screen] ?? [:]
                // Each figure of the screen is compared, and no other.
                #expect(shown[screen] == Set(figures.keys), "\(screen)")
                let section = try #require(
                    text.components(separatedBy: "\n### \(heading)\n").dropFirst().first?.components(separatedBy: "\n#")
                        .first, "\(heading)")
                var named: [String: Set<String>] = [:]
                var tiles: Set<String> = []
                for line in section.split(separator: "\n") where line.hasPrefix("| ") {
                    let cells = line.components(separatedBy: " | ")
                    let ids = cells[0].matches(of: /`([a-z]+)`/).map { String($0.1) }
                    let names = cells[1].matches(of: /`([a-z0-9_]+)`/).map { String($0.1) }
                    // A row without names is about all columns.
                    for id in ids { named[id, default: []].formUnion(names.isEmpty ? figures[id] ?? [] : names) }
                    tiles.formUnion(cells[0].matches(of: /\*([^*]+)\*/).map { String($0.1) })
                }
                #expect(named == figures.mapValues { Set($0) }, "\(heading)")
                let expected = (labels[screen] ?? []).map { $0.replacing(", \(Self.currency)", with: "") }
                #expect(tiles == Set(expected), "\(heading)")
            }
        }

        private func labels(_ answer: PostbackClient.Answer) -> Set<String> {
            Set(answer.text.matches(of: /<div><dt>([^<]*)<\/dt><dd><strong data-value/).map { String($0.1) })
        }

        private static func address(_ path: String, _ days: (first: String, last: String), _ currency: String) -> String
        {
            let filters =
                switch path {
                case "/campaign?": "&network=\(network)&app=\(app)&campaign=id%3A\(id)"
                case "/values?": "&app=\(app)"
                default: ""
                }
            return path + "environment=test&from=\(days.first)&to=\(days.last)&currency=\(currency)" + filters
        }

        /// The day so many days ago, UTC.
        private static func day(_ ago: Int) -> String {
            String(Date(timeIntervalSinceNow: -86_400 * Double(ago)).ISO8601Format().prefix(10))
        }

        /// What all statements begin with, and the figures.
        private static func figures() throws -> (common: String, figures: [Figure]) {
            let file = "Tests/PostbackServerTests/Fixtures/Page/figures.sql"
            let text = String(decoding: try TestEnvironment.file(file), as: UTF8.self)
            let parts = text.components(separatedBy: "\n-- figure ")
            let common = try #require(parts[0].components(separatedBy: "\n-- common\n").last)
            let figures = try parts.dropFirst().map { part in
                let line = try #require(part.split(separator: "\n").first)
                let words = line.split(separator: " ").map(String.init)
                try #require(words.count == 3, "\(line)")
                return Figure(
                    id: words[0], keys: words[1].split(separator: ",").map(String.init), path: words[2],
                    statement: String(part.dropFirst(line.count)))
            }
            return (common, figures)
        }

        private static func filled(
            _ statement: String, _ days: (first: String, last: String), _ currency: String
        ) -> String {
            let values = [
                "first": "date '\(days.first)'", "last": "date '\(days.last)'", "currency": "'\(currency)'",
                "network": "'\(network)'", "app": app, "id": "'\(id)'",
            ]
            return statement.replacing(/:(first|last|currency|network|app|id)\b/) { values[String($0.1)] ?? "" }
        }

        private func key(_ row: [String: String], _ figure: Figure) -> String {
            figure.keys.map { row[$0] ?? "" }.joined(separator: " ")
        }

        /// Equal texts, or numbers that differ only in how quotients of sums are rounded.
        private func isEqual(_ shown: String, _ expected: String?) -> Bool {
            guard let expected else { return false }
            if shown == expected || expected == "*" { return true }
            guard let one = Double(shown), let other = Double(expected) else { return false }
            return abs(one - other) < 0.000002
        }

        /// The rows of a statement: texts by the names of columns, empty in place of NULL.
        private func rows(_ statement: String, on database: TestDatabase) async throws -> [[String: String]] {
            let objects = try await database.column(
                """
                SELECT (SELECT jsonb_object_agg(key, value) FROM jsonb_each_text(to_jsonb(answer))) FROM (\(statement)) AS answer
                """)
            return try objects.map { text in
                let object = try JSONSerialization.jsonObject(with: Data((text ?? "").utf8)) as? [String: Any]
                return try #require(object).mapValues { $0 as? String ?? "" }
            }
        }

        /// The names of the columns of a CSV, and its rows by them.
        private func rows(csv text: String) -> (names: [String], rows: [[String: String]]) {
            let lines = text.split(separator: "\r\n").map { line in
                (line + ",").matches(of: /(?:"((?:[^"]|"")*)"|([^,]*)),/).map { cell in
                    cell.1.map { String($0).replacing("\"\"", with: "\"") } ?? String(cell.2 ?? "")
                }
            }
            let names = lines.first ?? []
            return (names, lines.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(names, $0)) })
        }
    }
}
