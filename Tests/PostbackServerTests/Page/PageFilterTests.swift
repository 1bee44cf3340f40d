import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerPageTests {
    @Suite("Filters of the page", .installation)
    struct PageFilterTests {
        /// The page of an installation with a postback of each of so many days ago, in the environment `test`.
        private func page(_ days: Range<Int>) async throws -> (page: PageClient, installation: Installation) {
            let installation = try Installation.current
            let now = Int64(Date().timeIntervalSince1970 * 1_000)
            let bodies = try days.map { ago in
                try TestPostback {
                    $0.version = "4.0"
                    $0.unsigned["received-at"] = "\(now - Int64(ago) * 86_400_000)"
                }.body(installation.keys.postbackKeyP256)
            }
            if !bodies.isEmpty {
                _ = try await installation.succeed(["import", installation.write(bodies, to: "archive.ndjson")])
                _ = try await installation.succeed(["fold"])
            }
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            return (page, installation)
        }

        /// The day so many days ago, UTC.
        private func day(_ ago: Int) -> String {
            String(Date(timeIntervalSinceNow: -86_400 * Double(ago)).ISO8601Format().prefix(10))
        }

        /// The addresses of the links whose text matches.
        private func addresses(_ text: String, _ page: PostbackClient.Answer) throws -> [String] {
            try page.text.matches(
                of: Regex("<a [^>]*?href=\"([^\"]*)\"[^>]*>\(text)</a>", as: (Substring, Substring).self)
            )
            .map { String($0.1).replacing("&amp;", with: "&") }
        }

        @Test("Days until today stay so in all links and forms, and only the link to these days has them as days")
        func relative() async throws {
            let (page, _) = try await page(5..<20)
            let overview = try await page.get("/?days=7&environment=test")
            #expect(overview.text.contains("<span>\(day(6)) to \(day(0)), the last 7 days</span>"))
            #expect(overview.text.contains("aria-current=\"true\">Last 7 days</a>"))
            #expect(overview.text.contains("<input type=\"hidden\" name=\"days\" value=\"7\">"))
            #expect(overview.text.contains("<input type=\"date\" id=\"from\" name=\"from\" value=\"\">"))
            for screen in ["Campaigns", "Values", "Refused", "Live", "Schemes", "Mapping", "Spend", "System"] {
                let address = try #require(try addresses(screen, overview).first)
                #expect(address.hasSuffix("?days=7&environment=test"), "\(address)")
                let other = try await page.get(address)
                #expect(other.status == 200, "\(address)")
                #expect(try addresses("Overview", other) == ["/?days=7&environment=test"], "\(address)")
            }
            let fixed = try #require(try addresses("Link to these days", overview).first)
            #expect(fixed == "/?environment=test&from=\(day(6))&to=\(day(0))&currency=USD")
            let same = try await page.get(fixed)
            #expect(same.text.contains("<span>\(day(6)) to \(day(0))</span>"))
            let numbers = { (page: PostbackClient.Answer) in
                page.text.matches(of: /<dd[^>]*>(.*?)<\/dd>/.dotMatchesNewlines()).map { String($0.1) }
            }
            #expect(numbers(same) == numbers(overview) && !numbers(same).isEmpty)
            // A form sends what was chosen before beside the day that somebody enters.
            let entered = try await page.get("/?days=7&environment=test&from=\(day(9))&to=\(day(8))")
            #expect(entered.text.contains("<span>\(day(9)) to \(day(8))</span>"))
            #expect(!entered.text.contains("name=\"days\""))
        }

        @Test("A screen with filters of its own keeps those of the others, and refuses none of them")
        func kept() async throws {
            let (page, installation) = try await page(0..<0)
            let file = try installation.write([Array(#"{"version": "4.0"}"#.utf8)], to: "refused.ndjson")
            // All of it was refused.
            #expect(try await installation.run(["import", file]).code == 65)
            let list = try await page.get("/refused?days=7&currency=EUR&compare=week")
            #expect(list.status == 200)
            #expect(list.text.contains("<input type=\"hidden\" name=\"compare\" value=\"week\">"))
            let body = try #require(list.text.firstMatch(of: /href="(\/refused\/[0-9a-f]{64}[^"]*)"/)).1
            #expect(body.contains("days=7"))
            let detail = try await page.get(String(body).replacing("&amp;", with: "&"))
            #expect(try addresses("Overview", detail) == ["/?days=7&compare=week&currency=EUR"])
            #expect(try await page.get("/refused?color=red").status == 400)
        }

        @Test("Empty parameters, as forms send them, leave the address")
        func empty() async throws {
            let (page, _) = try await page(0..<0)
            let answer = try await page.get("/campaigns?by=cost&network=&days=7&from=&campaign=a+b")
            #expect(answer.status == 303)
            let address = try #require(answer.headers.first(name: "Location"))
            let parts = address.components(separatedBy: "?")
            #expect(parts.first == "/campaigns")
            let query = parts.last?.components(separatedBy: "&").map { $0.replacing("%20", with: "+") }
            #expect(query == ["by=cost", "days=7", "campaign=a+b"], "\(address)")
        }

        @Test("If the chosen environment has no postbacks and another one has, each screen says so and leads there")
        func offer() async throws {
            let (page, _) = try await page(8..<9)
            for path in ["/?days=90", "/campaigns", "/campaigns?app=525463029", "/windows", "/values"] {
                let empty = try await page.get(path)
                #expect(empty.text.contains("There are no postbacks in production."), "\(path)")
                let address = try #require(try addresses("Show test", empty).first, "\(path)")
                #expect(address.contains("environment=test") && !address.contains("app="))
                let full = try await page.get(address)
                #expect(full.status == 200 && !full.text.contains("There are no postbacks in"))
                #expect(path != "/?days=90" || address.contains("days=90"))
            }
        }

        @Test("Totals stand beside those of the days before, of a week before, or of as many days from a chosen one")
        func comparison() async throws {
            let (page, installation) = try await page(5..<60)
            let report = """
                (SELECT * FROM attribution.report_install_campaign_daily_all WHERE environment = 'test' AND did_win)
                """
            func installs(_ first: String, _ last: String) async throws -> String? {
                try await installation.database.value(
                    "SELECT sum(installs) FROM \(report) AS report WHERE day BETWEEN '\(first)' AND '\(last)'")
            }
            // All of these days are complete.
            let (first, last) = (day(29), day(20))
            let address = "/?environment=test&from=\(first)&to=\(last)"
            for (choice, days, words) in [
                ("", (day(39), day(30)), "the 10 days before them"),
                ("&compare=week", (day(36), day(27)), "10 days, a week before them"),
                ("&compare=\(day(50))", (day(50), day(41)), "10 days that are chosen"),
            ] {
                let overview = try await page.get(address + choice)
                let row = try #require(try overview.cells("totals").first { $0[0] == "days before" }, "\(choice)")
                #expect(Array(row[1...4]) == [days.0, days.1, "10", try await installs(days.0, days.1) ?? ""])
                #expect(overview.text.contains("Before: \(words), \(days.0) to \(days.1)."))
                let next = try #require(try addresses("A week before", overview).first)
                #expect(next == "/?environment=test&from=\(first)&to=\(last)&compare=week")
                // The page of a campaign compares with the same days.
                let campaign = try await page.get(
                    "/campaign?campaign=5239&network=example123.skadnetwork&app=525463029&environment=test"
                        + "&from=\(first)&to=\(last)" + choice)
                let same = try #require(try campaign.cells("totals").first { $0[0] == "days before" }, "\(choice)")
                #expect(same[1...4] == row[1...4], "\(choice) \(same)")
                #expect(campaign.text.contains("Before: \(words), \(days.0) to \(days.1)."), "\(choice)")
                let week = try #require(try addresses("A week before", campaign).first)
                #expect(week.hasPrefix("/campaign?") && week.hasSuffix("&compare=week"), "\(week)")
            }
            let chosen = try await page.get(address + "&compare=\(day(50))")
            #expect(chosen.text.contains("<input type=\"date\" id=\"compare\" name=\"compare\" value=\"\(day(50))\">"))
            // It would be among these days.
            #expect(try addresses("Last 90 days", chosen).allSatisfy { !$0.contains("compare") })
            #expect(try addresses("Last 7 days", chosen).allSatisfy { $0.contains("compare") })
        }

        @Test(
            "A bar leads to its day, spend stands beside the return with its range, and a day without a row has a place"
        )
        func bars() async throws {
            let (page, installation) = try await page(8..<9)
            try await installation.database.run(
                """
                INSERT INTO attribution.spend_daily
                       (day, ad_network_id, advertised_app_id, campaign_id, currency, spend, source_file, loaded_at)
                VALUES ('\(day(20))', 'example123.skadnetwork', 525463029, 'brand', 'USD', 10, 'test', now())
                """)
            let overview = try await page.get("/?environment=test")
            let titles = overview.text.matches(of: /<title id="[a-z0-9-]*">(.*?)<\/title>/).map { String($0.1) }
            #expect(titles.contains("Spend by day, USD") && titles.contains("Return by day"))
            let section = try #require(
                overview.text.components(separatedBy: "<section class=\"figure\" id=\"installs\"").last)
            let chart = section.components(separatedBy: "</svg>")[0]
            let places = chart.matches(of: /<a href="([^"]*)" transform="[^"]*">.*?<tspan[^>]*>([0-9-]{10})/)
            #expect(places.map { String($0.2) } == (0..<30).reversed().map(day))
            for place in places {
                #expect(place.1 == "/?environment=test&amp;from=\(place.2)&amp;to=\(place.2)")
            }
            let one = try await page.get("/?environment=test&from=\(day(20))&to=\(day(20))")
            #expect(!one.text.contains("</text></a>") && one.text.contains("<g tabindex=\"0\""))
            #expect(one.text.contains("Spend: 10</tspan>"))
        }
    }
}
