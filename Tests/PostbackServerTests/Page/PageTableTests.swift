import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerPageTests {
    @Suite("Tables of the page", .installation)
    struct PageTableTests {
        private static let scheme = """
            {"app-id": 525463029, "name": "own", "valid-from": "2020-01-01T00:00:00Z", "currency": "EUR",
             "fine": [{"value": 1, "events": [{"name": "order", "revenue": {"from": 5, "to": 7}}]},
                      {"value": 2, "events": [{"name": "sale", "revenue": "unknown"}]}]}
            """

        /// So many campaigns; the nth one from the last has n installs, at most five.
        private static let campaigns = 130
        private static let filters = "environment=test&currency=EUR"

        /// Counts installs of ten days ago, of which those of the first campaign have the value `first`.
        private func counted(first: Int = 1) async throws -> (Installation, PageClient) {
            let installation = try Installation.current
            let time = Int64(Date().timeIntervalSince1970 - 10 * 86_400) * 1_000
            let lines = try (0..<Self.campaigns).flatMap { number in
                try (0...min(4, number / 20)).map { copy in
                    try TestPostback {
                        ($0.version, $0.sourceIdentifier) = ("4.0", "\(1_000 + number)")
                        // Every third campaign has only values that say nothing.
                        $0.conversionValue = number == 0 ? first : number % 3 == 0 ? 60 : copy == 0 ? nil : 1
                        $0.unsigned["received-at"] = "\(time)"
                    }.body(installation.keys.postbackKeyP256)
                }
            }
            try installation.write(Self.scheme, to: "scheme.json")
            _ = try await installation.succeed(["scheme", "load", installation.folder + "/scheme.json"])
            _ = try await installation.succeed(["import", installation.write(lines, to: "archive.ndjson")])
            _ = try await installation.succeed(["fold"])
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            return (installation, page)
        }

        /// Installs, share without a value and revenue of all windows, of some campaigns.
        private func sums(_ condition: String, on installation: Installation) async throws -> [String] {
            let text = try await installation.database.value(
                """
                SELECT concat_ws(' ', sum(installs),
                                 round(sum(withheld + not_set + not_applicable) FILTER (WHERE sequence_index = 0)
                                       / sum(postbacks) FILTER (WHERE sequence_index = 0), 6),
                                 sum(revenue_low),
                                 CASE WHEN sum(revenue_open) = 0 THEN sum(revenue_middle)::text ELSE '-' END)
                  FROM attribution.report_install_mapping('-infinity', 'infinity', an_environment => 'test')
                 WHERE did_win AND \(condition)
                """)
            return (text ?? "").split(separator: " ").map(String.init)
        }

        @Test("The first hundred have lines, one row has all others and one all, and both equal the sums of the report")
        func long() async throws {
            let (installation, page) = try await counted()
            let answer = try await page.get("/campaigns?by=campaign&" + Self.filters)
            let (cells, footer) = (try answer.cells("campaigns"), try answer.footer("campaigns"))
            #expect(cells.count == 100 && footer.map(\.first) == ["All others (30)", "Total (130)"], "\(footer)")
            let first = cells.map { "'\($0[2])'" }.joined(separator: ", ")
            for (row, condition) in [(footer[0], "campaign NOT IN (\(first))"), (footer[1], "true")] {
                let sums = try await sums(condition, on: installation)
                #expect([row[5], row[8], row[9], row[10]] == sums, "\(row) \(sums)")
                // What can't be added is empty.
                #expect(row[1...4].allSatisfy { $0.isEmpty })
            }
            #expect(answer.text.contains("The first 100 of 130 rows in this order, and one row for all others."))
            // SQL and CSV have all rows.
            let csv = try await page.get("/campaigns?by=campaign&csv=campaigns&from=2020-01-01&" + Self.filters)
            #expect(csv.text.split(separator: "\r\n").count == 131)
            let today = Date().ISO8601Format().prefix(10)
            #expect(
                csv.headers.first(name: "Content-Disposition")
                    == "attachment; filename=\"campaigns_2020-01-01_\(today).csv\"")
            let sql = try answer.sql("campaigns").trimmingCharacters(in: .whitespacesAndNewlines).dropLast()
            let pasted = try await installation.database.column("SELECT campaign FROM (\(sql)) AS pasted")
            #expect(pasted.count == 130 && pasted.prefix(100) == cells.map { $0[2] }[...])
            // A short table has totals and no others, and one row no totals.
            let networks = try await page.get("/campaigns?by=network&" + Self.filters)
            #expect(try networks.cells("networks").count == 1 && !networks.text.contains("<tfoot>"))
        }

        @Test("The middle of the revenue of all is – if that of one campaign is not known, and the others are known")
        func unknownMiddle() async throws {
            let (installation, page) = try await counted(first: 2)
            // The open one is first.
            let answer = try await page.get("/campaigns?by=campaign&sort=campaign&" + Self.filters)
            let footer = try answer.footer("campaigns")
            #expect(["", "–"].contains(footer[1][10]), "\(footer)")
            #expect(try await sums("true", on: installation)[2] == footer[1][9])
            #expect(footer[0][10] == (try await sums("campaign >= '1100'", on: installation)[3]), "\(footer)")
        }

        @Test(
            "A search shows the rows with the text, their totals, SQL and CSV; nothing found is said beside the search")
        func search() async throws {
            let (installation, page) = try await counted()
            let path = "/campaigns?by=campaign&" + Self.filters
            let all = try await page.get(path)
            #expect(all.text.contains("<input type=\"search\" id=\"find\""))
            // What else is chosen stays.
            #expect(all.text.contains("<input type=\"hidden\" name=\"by\" value=\"campaign\">"))
            let found = try await page.get(path + "&find=105")
            #expect(try found.cells("campaigns").map { $0[2] }.sorted() == (0..<10).map { "105\($0)" } + ["1105"])
            let sums = try await sums("campaign LIKE '%105%'", on: installation)
            #expect(try found.footer("campaigns").map { [$0[0], $0[5]] } == [["Total (11)", sums[0]]])
            let csv = try await page.get(path + "&find=105&csv=campaigns")
            #expect(csv.text.split(separator: "\r\n").count == 12)
            let none = try await page.get(path + "&find=nobody%3Cb%3E")
            #expect(none.status == 200 && none.text.contains("No row contains “nobody&lt;b&gt;”."))
            #expect(none.text.contains("Show all rows</a>"))
            let wrong = try await page.get(path + "&find=a%0Ab")
            #expect(wrong.status == 400 && wrong.text.contains("find: must be "), "\(wrong.text)")
        }

        @Test("Columns are chosen without scripts, stay in the address, and the column that sorts is marked")
        func columns() async throws {
            let (_, page) = try await counted()
            let path = "/campaigns?by=campaign&sort=-installs&" + Self.filters
            func labels(_ answer: PostbackClient.Answer) -> [String] {
                answer.text.matches(of: /<th scope="col"[^>]*>(?:<a[^>]*>)?([^<]*)/).map { String($0.1) }
            }
            // As a browser sends boxes that are ticked.
            let some = try await page.get(path + "&columns=installs&columns=revenue_middle")
            #expect(labels(some) == ["Campaign", "Installs", "Middle"])
            #expect(try some.footer("campaigns")[1].count == 3)
            let boxes = some.text.matches(of: /name="columns" value="([a-z_]+)" checked>/).map { String($0.1) }
            #expect(boxes == ["installs", "revenue_middle"])
            #expect(some.text.contains("aria-sort=\"descending\"><a href=\"/campaigns?"))
            // Orders, searches and filters keep them; another table has other columns.
            let kept = "columns=installs%2Crevenue_middle"
            #expect(some.text.contains("<input type=\"hidden\" name=\"columns\" value=\"installs,revenue_middle\">"))
            let links = some.text.matches(of: /href="(\/campaigns\?[^"]*)"/).map { String($0.1) }
            #expect(links.contains { $0.contains("sort=installs") && $0.contains(kept) }, "\(links)")
            #expect(!links.contains { $0.contains("by=cost") && $0.contains("columns") }, "\(links)")
            let again = try await page.get(path + "&" + kept)
            #expect(labels(again) == labels(some))
            let wrong = try await page.get(path + "&columns=installs,color")
            #expect(
                wrong.status == 400 && wrong.text.contains("columns: must be some of campaign_name"), "\(wrong.text)")
            #expect(try await page.get("/windows?columns=fine").status == 400)
        }

        @Test("Apps have the names that the operator gave them, in tables, filters and searches, as text")
        func names() async throws {
            let (installation, page) = try await counted()
            try installation.write(
                "app_id,app_name\n525463029,<b>Puzzle</b> Land\n1234567891,\"News, daily\"\n", to: "names.csv")
            _ = try await installation.succeed(["app-names", "load", installation.folder + "/names.csv"])
            let name = "&lt;b&gt;Puzzle&lt;/b&gt; Land (525463029)"
            let campaigns = try await page.get("/campaigns?by=campaign&find=puzzle&" + Self.filters)
            #expect(try campaigns.cells("campaigns").count == 100)
            #expect(try campaigns.cells("campaigns").allSatisfy { $0[4] == name })
            #expect(campaigns.text.contains("<option value=\"525463029\">\(name)</option>"))
            #expect(!campaigns.text.contains("<b>"))
            let sources = try await page.get("/campaigns?by=source&" + Self.filters)
            #expect(try sources.cells("sources").map { $0[0] } == ["News, daily (1234567891)"])
            let found = try await page.get("/campaigns?by=source&find=DAILY&" + Self.filters)
            #expect(try found.cells("sources").count == 1)
        }
    }
}
