import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerReportTests {
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
            #expect(again.status == 200 && again.text.contains("1 still refused"), "\(again.text)")
            #expect(try await page.post(address, [("do", "verify")]).status == 403)
            #expect(try await page.get("/refused/" + String(repeating: "0", count: 64)).status == 404)
            #expect(try await page.get("/refused/nothing").status == 404)
            #expect(try await page.get("/refused?before=soon").status == 400)
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
            #expect(again.status == 200 && again.text.contains("1 accepted"), "\(again.text)")
            #expect(try await page.post(address, form).status == 404)
            #expect(try await page.get("/refused").text.contains("The quarantine is empty."))
            #expect(try await installation.database.value("SELECT count(*) FROM attribution.postback") == "1")
        }
    }
}
