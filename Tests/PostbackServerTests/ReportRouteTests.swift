import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("Reports by HTTP")
    struct ReportRouteTests {
        private static let path = "/v1/reports/campaign_daily?from=2026-09-01&to=2026-09-30"

        private func admin(_ changes: [String: String] = [:]) async throws -> (TestDatabase, PostbackClient) {
            let installation = try Installation.current
            let (server, client) = try await installation.start(changes)
            return (installation.database, try await client.admin(of: server))
        }

        private func get(
            _ admin: PostbackClient, _ path: String, accept: String? = nil
        ) async throws -> PostbackClient.Answer {
            try await admin.request(
                .GET, path, headers: Installation.authorization + (accept.map { [("Accept", $0)] } ?? []))
        }

        private func object(_ text: some StringProtocol) throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        }

        @Test("The list has each report with parameters and columns, and each report of it is answered", .installation)
        func list() async throws {
            let (_, admin) = try await admin()
            let list = try object(try await get(admin, "/v1/reports").text)
            let reports = try #require(list["reports"] as? [[String: Any]])
            #expect(reports.count > 40)
            for report in reports {
                let name = try #require(report["name"] as? String)
                let columns = try #require(report["columns"] as? [[String: Any]])
                #expect(columns.allSatisfy { Set($0.keys) == ["name", "type", "meaning", "dimension"] })
                #expect((report["parameters"] as? [[String: Any]])?.isEmpty == false)
                let answer = try await get(admin, "/v1/reports/\(name)?format=csv")
                #expect(answer.status == 200, "\(answer.text)")
                #expect(answer.text == columns.map { $0["name"] as? String ?? "" }.joined(separator: ",") + "\r\n")
            }
        }

        @Test("The three formats have the same rows, and are chosen by a parameter or by Accept", .installation)
        func formats() async throws {
            let (database, admin) = try await admin()
            try await database.addCampaigns(lines: 40, days: 20)
            let json = try await get(admin, Self.path + "&sort=-value_average")
            #expect(json.headers["content-type"] == ["application/json"])
            let whole = try object(json.text)
            #expect(whole["report"] as? String == "campaign_daily")
            #expect(whole["from"] as? String == "2026-09-01" && whole["to"] as? String == "2026-09-30")
            #expect(whole["next_page"] is NSNull)
            let rows = try #require(whole["rows"] as? [[String: Any]])
            #expect(rows.count == 800)
            let lines = try await get(admin, Self.path + "&sort=-value_average", accept: "application/x-ndjson")
            #expect(lines.headers["content-type"] == ["application/x-ndjson"])
            let objects = try lines.text.split(separator: "\n").map { try object($0) as NSDictionary }
            #expect(objects == rows.map { $0 as NSDictionary })
            // Each row of NDJSON is a row of JSON, byte for byte.
            #expect(json.text.replacing("},\n", with: "}\n").contains(lines.text.dropLast()))
            let csv = try await get(admin, Self.path + "&sort=-value_average", accept: "text/html, text/csv;q=0.5")
            #expect(csv.headers["content-type"] == ["text/csv; charset=utf-8"])
            let cells = csv.text.split(separator: "\r\n").map {
                $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            }
            let names = try #require(cells.first)
            #expect(cells.count == 801)
            for (row, object) in zip(cells.dropFirst(), rows) {
                for (name, cell) in zip(names, row) {
                    let value = object[name]
                    switch value {
                    case let text as String: #expect(cell == text)
                    case is NSNull: #expect(cell.isEmpty)
                    case let number as NSNumber where cell == "true" || cell == "false":
                        #expect(number.boolValue == (cell == "true"))
                    case let number as NSNumber: #expect(Double(cell) == number.doubleValue)
                    default: Issue.record("\(name) is missing")
                    }
                }
            }
            for (accept, type) in [
                ("*/*", "application/json"), ("text/*", "text/csv; charset=utf-8"),
                ("text/csv;q=0.1, application/json", "application/json"),
            ] {
                #expect(try await get(admin, Self.path, accept: accept).headers["content-type"] == [type])
            }
            // The parameter comes first.
            let chosen = try await get(admin, Self.path + "&format=csv", accept: "image/png")
            #expect(chosen.headers["content-type"] == ["text/csv; charset=utf-8"])
            #expect(try await get(admin, Self.path, accept: "image/png, text/csv;q=0").status == 406)
        }

        @Test(
            "A column given several times filters for any of the values, also if the report takes it as an option",
            .installation)
        func repeatedColumn() async throws {
            let (database, admin) = try await admin()
            try await database.addCampaigns(lines: 3, days: 1)
            try await database.run(
                """
                UPDATE attribution.line SET advertised_app_id = campaign::integer;
                INSERT INTO attribution.answer_daily (
                       answer_table, line, day, sequence_index, did_win, currency, postbacks, mapped)
                SELECT attribution.answer_table('install', 'campaign'), line, '2026-09-30', 0, true, '', 1, 1
                  FROM attribution.line
                """)
            let path = "/v1/reports/install_campaign?from=2026-09-01&to=2026-09-30&format=ndjson"
            let lines = try await get(admin, path).text.split(separator: "\n")
            #expect(lines.count == 3)
            let both = try await get(admin, path + "&advertised_app_id=1&advertised_app_id=3")
            #expect(both.text.split(separator: "\n") == [lines[0], lines[2]], "\(both.text)")
            let one = try await get(admin, path + "&advertised_app_id=2")
            #expect(one.text.split(separator: "\n") == [lines[1]], "\(one.text)")
        }

        @Test("The links from page to page give every row once", .installation)
        func links() async throws {
            let (database, admin) = try await admin()
            try await database.addCampaigns(lines: 10, days: 7)
            let whole = try await get(admin, Self.path + "&format=ndjson&sort=-installs,day")
            var path: String? = Self.path + "&format=ndjson&sort=-installs%2Cday&limit=9"
            var pages: [String] = []
            while let next = path {
                let answer = try await get(admin, next)
                #expect(answer.status == 200, "\(answer.text)")
                pages.append(answer.text)
                path = answer.headers["link"].first?.firstMatch(of: /^<(.+)>; rel="next"$/).map { String($0.1) }
            }
            #expect(pages.count == 8)
            #expect(pages.joined() == whole.text)
        }

        @Test("Texts that a spreadsheet would run as formulas are quoted in CSV, and only there", .installation)
        func formulas() async throws {
            let (database, admin) = try await admin()
            try await database.addCampaigns(lines: 2, days: 1)
            try await database.run(
                """
                UPDATE attribution.line SET campaign = '=HYPERLINK("http://x","y")' WHERE campaign = '1';
                UPDATE attribution.line SET campaign = '-2+3;=4', ad_network_id = E'a\\t=5' WHERE campaign = '2';
                UPDATE attribution.campaign_daily SET installs = -1
                """)
            let csv = try await get(admin, Self.path + "&format=csv").text
            #expect(csv.contains(",\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\","))
            #expect(csv.contains(",'-2+3;'=4,"))
            #expect(csv.contains("a\t'=5,"))
            #expect(csv.contains(",-1,"))
            let json = try await get(admin, Self.path).text
            #expect(json.contains("\"campaign\":\"-2+3;=4\"") && json.contains("\"installs\":-1"))
            #expect(json.contains(#""campaign":"=HYPERLINK(\"http://x\",\"y\")""#))
        }

        @Test(
            "Wrong names, days, filters, orders, formats, limits and tokens are refused with field and rule",
            .installation)
        func refusals() async throws {
            let (_, admin) = try await admin()
            for (path, status, field) in [
                ("nothing", 404, "name"), ("campaign_daily%27--", 404, "name"), ("pg_class", 404, "name"),
                ("campaign_daily?from=yesterday", 400, "from"), ("campaign_daily?to=2026-02-30", 400, "to"),
                ("campaign_daily?color=red", 400, "color"), ("campaign_daily?installs=x", 400, "installs"),
                ("campaign_daily?sort=color", 400, "sort"), ("campaign_daily?sort=1;DROP", 400, "sort"),
                ("campaign_daily?format=xml", 400, "format"), ("campaign_daily?limit=-1", 400, "limit"),
                ("campaign_daily?page=%27%20OR%201=1", 400, "page"),
                ("campaign_daily?format=csv&format=json", 400, "format"),
                ("campaign_daily?%22=1", 400, "\""), ("campaign_daily?campaign=%FF", 400, "campaign"),
            ] {
                let answer = try await get(admin, "/v1/reports/" + path)
                #expect(answer.status == status, "\(path) \(answer.text)")
                #expect(answer.headers["content-type"] == ["application/problem+json"])
                #expect(try object(answer.text)["field"] as? String == field, "\(answer.text)")
            }
            let unsafe = try await get(admin, "/v1/reports/campaign_daily?campaign=%27%20OR%20%271%27=%271")
            #expect(try object(unsafe.text)["rows"] as? [Int] == [])
            #expect(try await get(admin, "/v1/reports/campaign_daily?campaign=a+b%2Bc").status == 200)
        }

        @Test(
            "A report that takes longer than its deadline is answered 422, and says how to ask for less", .installation)
        func tooLarge() async throws {
            let (database, admin) = try await admin(["REPORT_DEADLINE": "1"])
            try await database.run(
                """
                ALTER VIEW attribution.report_campaign_daily_all RENAME TO quick;
                CREATE VIEW attribution.report_campaign_daily_all AS
                SELECT * FROM attribution.quick WHERE (SELECT pg_sleep(60))::text IS NOT NULL
                """)
            let answer = try await get(admin, "/v1/reports/campaign_daily")
            #expect(answer.status == 422)
            let members = try object(answer.text)
            #expect(members["type"] as? String == "/errors/report_too_large")
            #expect((members["rule"] as? String)?.contains("fewer days (from, to)") == true)
        }

        @Test("A large report streams: while nobody reads it, the server holds little of it", .installation)
        func flat() async throws {
            let installation = try Installation.current
            let database = installation.database
            try await database.addCampaigns(lines: 3_000, days: 50)
            let (server, client) = try await installation.start()
            let admin = try await client.admin(of: server)
            #expect(try await get(admin, Self.path + "&limit=1000").status == 200)
            let before = try residentBytes(of: server)
            var request = HTTPClientRequest(
                url: "http://127.0.0.1:\(admin.port)/v1/reports/campaign_daily?from=2026-08-01&to=2026-09-30")
            for (name, value) in Installation.authorization { request.headers.add(name: name, value: value) }
            let response = try await client.http.execute(request, timeout: .seconds(600))
            var (bytes, newlines, greatest) = (0, 0, 0)
            for try await part in response.body {
                // The client stops now and then, and the server must too.
                if bytes / 4_000_000 != (bytes + part.readableBytes) / 4_000_000 {
                    try await Task.sleep(for: .milliseconds(100))
                    greatest = max(greatest, try residentBytes(of: server) - before)
                }
                bytes += part.readableBytes
                newlines += part.readableBytesView.reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
            }
            #expect(newlines == 150_001)
            #expect(bytes > 50_000_000)
            #expect(greatest < 24_000_000, "\(greatest) bytes more for \(bytes) bytes")
        }

        @Test("If the client goes away in the middle, the connection to the database is free again", .installation)
        func leaving() async throws {
            let (database, admin) = try await admin()
            try await database.addCampaigns(lines: 1_000, days: 50)
            for _ in 0..<4 {
                try await SocketClient.with(port: admin.port) { socket in
                    try await socket.send(
                        Array(
                            """
                            GET /v1/reports/campaign_daily?from=2026-08-01&to=2026-09-30 HTTP/1.1\r
                            Host: x\r
                            Authorization: Bearer \(Installation.token)\r
                            \r

                            """.utf8))
                    #expect(await !socket.isClosedUnanswered())
                }
            }
            #expect(try await get(admin, Self.path + "&limit=1").status == 200)
            try await eventually("no report is open") {
                try await database.value(
                    """
                    SELECT count(*) FROM pg_stat_activity
                     WHERE datname = current_database() AND state = 'idle in transaction'
                    """) == "0" ? true : nil
            }
        }

        /// The memory of the server's process that is in use now.
        private func residentBytes(of server: ServerProcess) throws -> Int {
            let status = try String(contentsOfFile: "/proc/\(try #require(server.processID))/status", encoding: .utf8)
            let line = try #require(status.firstMatch(of: /VmRSS:\s+([0-9]+) kB/))
            return try #require(Int(line.1)) * 1_024
        }
    }
}
