import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerPageTests {
    @Suite("The screen of refused bodies", .server)
    struct RefusedPageTests {
        private static let hostile =
            "{\"version\":\"2.0\",\"ad-network-id\":\"<script>alert(1)</script>\\\"\u{301} onload=\\\"x\"}"

        /// The address of the first body of the list.
        private func first(_ page: PageClient) async throws -> String {
            let list = try await page.get("/refused")
            #expect(list.status == 200, "\(list.text)")
            return String(try #require(list.text.firstMatch(of: /href="(\/refused\/[0-9a-f]{64})"/), "\(list.text)").1)
        }

        @Test("Bodies and headers full of markup show as text, with reason, field and rule")
        func markup() async throws {
            let (_, server, client) = try RunningServer.current
            let answer = try await client.request(
                .POST, PostbackClient.path, headers: [("User-Agent", "<b>\"agent'</b>")],
                body: Array(Self.hostile.utf8))
            #expect(answer.outcome == "malformed")
            let page = try PageClient.start(port: try await server.port(of: "admin"))
            try await page.signIn()
            let address = try await first(page)
            let detail = try await page.get(address)
            #expect(detail.status == 200)
            #expect(!detail.text.contains("<script") && !detail.text.contains("<b>"))
            #expect(
                detail.text.contains(
                    "{&quot;version&quot;:&quot;2.0&quot;,&quot;ad-network-id&quot;:&quot;&lt;script&gt;alert(1)&lt;/script&gt;"
                        + "\\&quot;\u{301} onload=\\&quot;x&quot;}"))
            #expect(detail.text.contains("<dd>&lt;b&gt;&quot;agent&#39;&lt;/b&gt;</dd>"))
            #expect(detail.text.contains("<dd>malformed</dd>"))
            #expect(detail.text.contains("<dd>\(answer.detail?.prefix { $0 != ":" } ?? "")</dd>"))
            let again = try await page.post(address, [("csrf", try PageClient.csrf(detail)), ("do", "verify")])
            #expect(again.status == 200 && again.text.contains("It is still refused, and stays here."), "\(again.text)")
            #expect(try await page.post(address, [("do", "verify")]).status == 403)
            #expect(try await page.get("/refused/" + String(repeating: "0", count: 64)).status == 404)
            #expect(try await page.get("/refused/nothing").status == 404)
            #expect(try await page.get("/refused?before=soon").status == 400)
        }

        /// Refuses so many bodies in one import, all received at one time, of two networks in turn.
        private func refuse(_ count: Int, _ installation: Installation) async throws {
            let lines = (0..<count).map { number in
                Array(
                    """
                    {"version":"2.0","ad-network-id":"Refused\(number % 2).example","n":\(number),"received-at":1790000000000}
                    """.utf8)
            }
            let imported = try await installation.run(["import", installation.write(lines, to: "refused.ndjson")])
            #expect(imported.code == 65, "\(imported.errors)")
        }

        @Test("Each of 250 bodies that were refused at one time is on one of the pages, once", .installation)
        func pages() async throws {
            let installation = try Installation.current
            try await refuse(250, installation)
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            var seen: [String] = []
            var address: String? = "/refused"
            while let next = address, seen.count < 1_000 {
                let list = try await page.get(next)
                #expect(list.status == 200 && list.text.contains("250 bodies."), "\(list.text)")
                let rows = list.text.matches(of: /href="\/refused\/([0-9a-f]{64})"/).map { String($0.1) }
                #expect([100, 50].contains(rows.count))
                seen += rows
                address = list.text.firstMatch(of: /<a href="([^"]+)">Older<\/a>/).map {
                    String($0.1).replacing("&amp;", with: "&")
                }
            }
            #expect(seen.count == 250 && Set(seen).count == 250)
            let keys = try await installation.database.column(
                "SELECT encode(key, 'hex') FROM attribution.rejected_postback ORDER BY last_seen_at DESC, key DESC")
            #expect(seen == keys.map { $0 ?? "" })
        }

        @Test(
            "Filters leave bodies out, of pages and CSV alike, and say so; an empty quarantine says something else",
            .installation)
        func filtered() async throws {
            let installation = try Installation.current
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            #expect(try await page.get("/refused?half=other").text.contains("The quarantine is empty."))
            try await refuse(12, installation)
            let forged = String(decoding: try TestKeys.apple(), as: UTF8.self).replacing(
                "\"campaign-id\": 42", with: "\"campaign-id\": 43")
            _ = try await installation.run([
                "import",
                installation.write([Array(forged.utf8.filter { $0 != UInt8(ascii: "\n") })], to: "forged.ndjson"),
            ])
            for (query, fitting) in [
                ("network=refused0.example", 6), ("reason=malformed", 12), ("reason=invalid_signature", 1),
                ("reason=malformed&network=REFUSED1.example&half=other", 6),
            ] {
                let list = try await page.get("/refused?" + query)
                #expect(
                    list.status == 200 && list.text.contains("\(fitting) of 13 bodies fit the filters."), "\(list.text)"
                )
                #expect(list.text.matches(of: /href="\/refused\/[0-9a-f]{64}\?/).count == fitting)
                let csv = try await page.get("/refused?" + query + "&csv=refused")
                #expect(csv.text.split(separator: "\r\n").count == fitting + 1, "\(csv.text)")
                #expect(try list.sql("refused").contains("FROM attribution.rejected_postback"))
            }
            for query in ["half=protected", "reason=unknown_network", "network=nobody.example"] {
                let list = try await page.get("/refused?" + query)
                #expect(
                    list.text.contains("None of the 13 bodies in the quarantine fits these filters."), "\(list.text)")
                #expect(!list.text.contains("is empty"))
            }
            // What is wrong is no filter; then nothing is said of the quarantine.
            for query in [
                "color=red", "reason=none", "half=left", "network=%3Cb%3E", "before=1", "reason=a&reason=b",
            ] {
                let list = try await page.get("/refused?" + query)
                #expect(list.status == 400 && list.text.contains("error-summary"), "\(query)")
                #expect(!list.text.contains("quarantine is empty") && !list.text.contains("<table"))
            }
            let detail = try await page.get(try await first(page))
            #expect(detail.text.contains("Network, as the body says"))
        }

        @Test("A day of Overview leads to its bodies, and a body back to the list, with the filters", .installation)
        func byDay() async throws {
            let installation = try Installation.current
            try await refuse(12, installation)
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            let day = try #require(
                try await installation.database.value(
                    "SELECT attribution.day_of(max(last_seen_at)) FROM attribution.rejected_postback"))
            // The days are of all networks and apps, so the list is too.
            let overview = try await page.get("/?environment=test&from=\(day)&to=\(day)")
            let address = "/refused?environment=test&from=\(day)&to=\(day)&since=\(day)&until=\(day)"
            let link = address.replacing("&", with: "&amp;")
            #expect(overview.text.matches(of: /href="([^"]*)"/).contains { String($0.1) == link }, "\(link)")
            let list = try await page.get(address)
            #expect(list.text.contains("12 of 12 bodies fit the filters."), "\(list.text)")
            for query in ["since=2020-01-01&until=2020-01-31", "since=9000-01-01"] {
                let none = try await page.get("/refused?" + query)
                #expect(none.text.contains("None of the 12 bodies"), "\(query)")
            }
            for query in ["since=soon", "until=2026-13-01", "since=2026-11-02&until=2026-11-01"] {
                let wrong = try await page.get("/refused?" + query)
                #expect(wrong.status == 400 && wrong.text.contains("<title>Error: Refused"), "\(query)")
            }
            let chosen = try await page.get("/refused?reason=malformed&currency=EUR")
            let body = try #require(chosen.text.firstMatch(of: /href="(\/refused\/[0-9a-f]{64}[^"]*)"/)).1
            let detail = try await page.get(String(body).replacing("&amp;", with: "&"))
            #expect(
                detail.text.contains("<a href=\"/refused?reason=malformed&amp;currency=EUR\">Back to Refused</a>"),
                "\(detail.text)")
        }

        @Test("A forged postback shows the exact string that was checked, with its digest")
        func checkedString() async throws {
            let (installation, server, client) = try RunningServer.current
            let body = String(decoding: try TestKeys.apple(), as: UTF8.self)
            let forged = body.replacing("\"campaign-id\": 42", with: "\"campaign-id\": 43")
            #expect(forged != body)
            #expect(try await client.post(Array(forged.utf8)).outcome == "invalid_signature")
            let page = try PageClient.start(port: try await server.port(of: "admin"))
            try await page.signIn()
            let detail = try await page.get(try await first(page))
            let stored = try await installation.database.column(
                """
                SELECT replace(convert_from(checked_message, 'UTF8'), U&'\\2063', '·') || ' '
                       || encode(checked_message, 'hex') || ' ' || encode(sha256(checked_message), 'hex')
                  FROM attribution.rejected_postback
                """)
            for text in try #require(stored.first ?? nil).split(separator: " ") {
                #expect(detail.text.contains("<code>\(text)</code>"), "\(text)")
            }
        }

        @Test(
            "A body of a network that was added later is counted by the button, once, and leaves the quarantine",
            .installation)
        func verifiedAgain() async throws {
            let installation = try Installation.current
            try installation.write(
                Installation.keyRing(networks: ["example999.skadnetwork"], apps: []), to: "keyring.json")
            try await installation.withServer { _, client in
                let answer = try await client.post(TestKeys.apple())
                #expect(answer.outcome == "unknown_network")
            }
            try installation.write(Installation.keyRing, to: "keyring.json")
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            let address = try await first(page)
            let detail = try await page.get(address)
            #expect(detail.text.contains("<dd>unknown_network</dd>"))
            let form = [("csrf", try PageClient.csrf(detail)), ("do", "verify")]
            let again = try await page.post(address, form)
            #expect(again.status == 200 && again.text.contains("It is counted as a new postback."), "\(again.text)")
            #expect(try await page.post(address, form).status == 404)
            #expect(try await page.get("/refused").text.contains("The quarantine is empty."))
            #expect(try await installation.database.value("SELECT count(*) FROM attribution.postback") == "1")
        }
    }
}
