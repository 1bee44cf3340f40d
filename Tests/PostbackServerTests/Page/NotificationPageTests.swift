import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerPageTests {
    @Suite("The screen of notifications", .installation)
    struct NotificationPageTests {
        private static let intake = "/v1/app-store/notifications"

        @Test("Tests are marked, and nobody's id or secret is shown; bodies of what was refused need the scope operate")
        func list() async throws {
            let installation = try Installation.current
            let store = try TestAppStore()
            try installation.take(store)
            let token = try await installation.succeed(["token", "add", "ann", "--scope", "read"])
            let (server, client) = try await installation.start()
            let id = UUID()
            for body in [try store.v2(id), try store.v2(type: "TEST"), TestAppStore.v1("7777000")] {
                #expect(try await client.post(body, to: Self.intake).outcome == "accepted")
            }
            let forged = TestAppStore.v1("8888000", secret: "not-the-secret")
            #expect(try await client.post(forged, to: Self.intake).outcome == "wrong_secret")
            let page = try PageClient.start(port: try await server.port(of: "admin"))
            try await page.signIn()
            let list = try await page.get("/notifications")
            #expect(list.status == 200)
            let rows = try list.cells("notifications")
            #expect(rows.map { $0[2] }.sorted() == ["DID_RENEW", "SUBSCRIBED", "TEST, asked for by us"])
            #expect(Set(rows.map { $0[1] }) == ["development", "test"])
            #expect(try list.cells("refused").map { $0[1] } == ["wrong_secret"])
            let address = String(try #require(list.text.firstMatch(of: /href="(\/notifications\/[0-9a-f]{64})"/)).1)
            let detail = try await page.get(address)
            #expect(detail.status == 200 && detail.text.contains("8888000"))
            let reading = page.stranger()
            let signedIn = try await reading.post(
                "/sign-in", [("token", token.trimmingCharacters(in: .whitespacesAndNewlines))])
            reading.cookie = signedIn.headers.first(name: "Set-Cookie").map { String($0.prefix { $0 != ";" }) }
            let withoutBody = try await reading.get(address)
            #expect(withoutBody.text.contains("To see it takes the scope operate."), "\(withoutBody.text)")
            #expect(!withoutBody.text.contains("name=\"do\" value=\"verify\""))
            var texts = [list.text, withoutBody.text, try await page.get("/app-store?environment=test").text]
            for name in ["notifications", "refused"] {
                texts.append(try await page.get("/notifications?csv=\(name)").text)
            }
            let secrets = [id.uuidString.lowercased(), "7777000", "8888000", TestAppStore.secret, "not-the-secret"]
            for text in texts {
                for secret in secrets { #expect(!text.contains(secret), "\(secret)") }
            }
            #expect(!detail.text.contains("not-the-secret"))
            for query in [
                "color=red", "reason=none", "half=both", "before=1", "csv=x", "reason=malformed&reason=malformed",
            ] {
                let wrong = try await page.get("/notifications?" + query)
                #expect(wrong.status == 400 && wrong.text.contains("error-summary"), "\(query)")
            }
            let none = try await page.get("/notifications?reason=malformed")
            #expect(none.text.contains("No refused notification fits."))
        }

        @Test("Of what was refused it says what is genuine, and a filter leaves that or the others")
        func genuine() async throws {
            let installation = try Installation.current
            try installation.take(TestAppStore())
            try await installation.withServer { _, client in
                let bodies = [TestAppStore.v1(more: ",\"price\":\"4.99\""), TestAppStore.v1(secret: "not-the-secret")]
                for body in bodies {
                    let answer = try await client.post(body, to: Self.intake)
                    #expect([400, 403].contains(answer.status))
                }
            }
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            let (price, secret) = (["malformed", "yes"], ["wrong_secret", "no"])
            for (query, rows) in [
                ("", [price, secret]), ("?half=protected", [price]), ("?half=other", [secret]),
            ] {
                let list = try await page.get("/notifications" + query)
                let shown = try list.cells("refused").map { [$0[1], $0[6]] }
                #expect(Set(shown) == Set(rows), "\(query): \(shown)")
            }
            let list = try await page.get("/notifications?half=protected")
            let row = try #require(list.text.firstMatch(of: /href="(\/notifications\/[0-9a-f]{64})/))
            let detail = try await page.get(String(row.1))
            #expect(detail.text.contains("<dt>Genuine</dt><dd>yes</dd>"), "\(detail.text)")
        }

        @Test("Each of 250 notifications that were refused at one time is on one of the pages, once")
        func pages() async throws {
            let installation = try Installation.current
            try await installation.database.run(
                """
                INSERT INTO attribution.rejected_notification (
                    key, reason, field, rule, body, attempts, first_seen_at, last_seen_at)
                SELECT sha256(number::text::bytea), 'malformed', 'body', 'must be JSON', 'x', 1, now(), now()
                  FROM generate_series(1, 250) AS number
                """)
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            var seen: [String] = []
            var address: String? = "/notifications"
            while let next = address, seen.count < 1_000 {
                let list = try await page.get(next)
                #expect(list.status == 200, "\(list.text)")
                let rows = list.text.matches(of: /href="\/notifications\/([0-9a-f]{64})"/).map { String($0.1) }
                #expect([100, 50].contains(rows.count))
                seen += rows
                address = list.text.firstMatch(of: /<a href="([^"]+)">Older<\/a>/).map {
                    String($0.1).replacing("&amp;", with: "&")
                }
            }
            let keys = try await installation.database.column(
                "SELECT encode(key, 'hex') FROM attribution.rejected_notification ORDER BY last_seen_at DESC, key DESC")
            #expect(seen.count == 250 && seen == keys.map { $0 ?? "" })
            let csv = try await page.get("/notifications?csv=refused")
            #expect(csv.text.split(separator: "\r\n").count == 251)
        }

        @Test("A notification of an app that was named later is stored by the button, once, and leaves the quarantine")
        func verifiedAgain() async throws {
            let installation = try Installation.current
            let store = try TestAppStore()
            try installation.take(store)
            let body = try store.v2(bundleID: "com.example.later")
            try await installation.withServer { _, client in
                let unknown = try await client.post(body, to: Self.intake)
                #expect(unknown.outcome == "unknown_app")
                let malformed = try await client.post(Array("{}".utf8), to: Self.intake)
                #expect(malformed.outcome == "malformed")
            }
            try installation.take(store, apps: [TestAppStore.bundleID, "com.example.later"])
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            func first(_ reason: String) async throws -> String {
                let list = try await page.get("/notifications?reason=\(reason)")
                return String(try #require(list.text.firstMatch(of: /href="(\/notifications\/[0-9a-f]{64})/)).1)
            }
            let malformed = try await first("malformed")
            let form = [("csrf", try PageClient.csrf(try await page.get(malformed))), ("do", "verify")]
            let left = try await page.post(malformed, form)
            #expect(left.status == 200 && left.text.contains("It is still refused, and stays here."), "\(left.text)")
            let unknown = try await first("unknown_app")
            let again = try await page.post(unknown, form)
            #expect(again.status == 200 && again.text.contains("left the quarantine. It is stored."), "\(again.text)")
            #expect(try await page.post(unknown, form).status == 404)
            #expect(try await page.post(malformed, [("do", "verify")]).status == 403)
            let database = installation.database
            #expect(try await database.value("SELECT count(*) FROM attribution.store_notification") == "1")
            #expect(try await database.value("SELECT count(*) FROM attribution.rejected_notification") == "1")
            #expect(
                try await database.value(
                    """
                    SELECT count(*) FROM attribution.trail
                     WHERE action = 'reprocessing' AND subject LIKE 'notification %'
                    """) == "2")
        }

        @Test("One button verifies all refused notifications again and counts them, and no postback")
        func allVerifiedAgain() async throws {
            let installation = try Installation.current
            let store = try TestAppStore()
            try installation.take(store)
            try await installation.withServer { _, client in
                for _ in 0..<2 {
                    let later = try await client.post(try store.v2(bundleID: "com.example.later"), to: Self.intake)
                    #expect(later.outcome == "unknown_app")
                }
                let malformed = try await client.post(Array("{}".utf8), to: Self.intake)
                #expect(malformed.outcome == "malformed")
                let postback = try await client.post(Array("{}".utf8))
                #expect(postback.outcome == "malformed")
            }
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            // Each button says what it is about, and a filter changes nothing of that.
            let list = try await page.get("/notifications?reason=malformed")
            #expect(list.text.contains(">Verify all refused notifications again</button>"), "\(list.text)")
            for (screen, button) in [
                ("/notifications", "Verify this notification again"), ("/refused", "Verify this body again"),
            ] {
                let rows = try await page.get(screen)
                let row = try #require(rows.text.firstMatch(of: /href="(\/[a-z]+\/[0-9a-f]{64})/), "\(rows.text)")
                let detail = try await page.get(String(row.1))
                #expect(detail.text.contains(">\(button)</button>"), "\(detail.text)")
            }
            let before = try await page.post("/notifications", try list.pressed("verify-all"))
            #expect(before.text.contains("Stored now: 0. Stored before: 0. Still refused: 3."), "\(before.text)")
            try installation.take(store, apps: [TestAppStore.bundleID, "com.example.later"])
            try await installation.withServer { server, _ in
                let other = try PageClient.start(port: try await server.port(of: "admin"))
                try await other.signIn()
                let form = try await other.get("/notifications").pressed("verify-all")
                let again = try await other.post("/notifications", form)
                #expect(again.status == 200)
                #expect(again.text.contains("Stored now: 2. Stored before: 0. Still refused: 1."), "\(again.text)")
                // No other button is there.
                let unknown = try await other.post("/notifications", form.filter { $0.0 != "do" } + [("do", "verify")])
                #expect(unknown.status == 400, "\(unknown.text)")
            }
            let database = installation.database
            #expect(try await database.value("SELECT count(*) FROM attribution.store_notification") == "2")
            #expect(try await database.value("SELECT count(*) FROM attribution.rejected_notification") == "1")
            #expect(try await database.value("SELECT count(*) FROM attribution.rejected_postback") == "1")
            try await database.expect(
                """
                SELECT subject, person, counts->>'accepted' AS accepted, counts->>'refused' AS refused
                  FROM attribution.trail WHERE action = 'reprocessing' ORDER BY entry
                """,
                """
                subject        person       accepted  refused
                notifications  ADMIN_TOKEN  0         3
                notifications  ADMIN_TOKEN  2         1
                """)
        }
    }
}
