import Foundation
import NIOHTTP1
import ReceiverSupport
import TestSupport
import Testing

extension ServerPageTests {
    @Suite("The screen of destinations")
    struct DestinationPageTests {
        private static let secret = "not-to-be-seen-4711"

        /// A server with a secret that may send to a receiver of this machine, and its page with somebody signed in.
        private struct Setting {
            let installation: Installation
            let client: PostbackClient
            let page: PageClient
            let csrf: String
            let receiver: LocalReceiver

            static func start() async throws -> Setting {
                let installation = try Installation.current
                try FileManager.default.createDirectory(
                    atPath: installation.folder + "/secrets", withIntermediateDirectories: true)
                try installation.write(DestinationPageTests.secret, to: "secrets/token", mode: 0o600)
                let (server, client) = try await installation.start(["FORWARD_ALLOW_ADDRESSES": "127.0.0.1/32"])
                let page = try PageClient.start(port: try await server.port(of: "admin"))
                try await page.signIn()
                return Setting(
                    installation: installation, client: client, page: page,
                    csrf: try PageClient.csrf(try await page.get("/destinations")),
                    receiver: try await LocalReceiver.start())
            }

            /// The file of a destination with a secret, which gives up after the second attempt.
            func file(_ more: String...) -> String {
                Installation.destination(
                    "mirror", to: receiver,
                    ["\"retry\": [\"1s\"]", "\"headers\": {\"Authorization\": \"Bearer {secret:token}\"}"] + more)
            }

            /// Presses a button of the list, with a file.
            func send(_ action: String, _ text: String) async throws -> PostbackClient.Answer {
                try await page.post("/destinations", [("csrf", csrf), ("do", action), ("destination", text)])
            }

            /// Presses a button of the destination.
            func press(_ action: String, _ fields: (String, String)...) async throws -> PostbackClient.Answer {
                try await page.post("/destinations/mirror", [("csrf", csrf), ("do", action)] + fields)
            }

            /// Loads the destination on the page.
            func load() async throws {
                let loaded = try await send("load", file())
                #expect(
                    loaded.status == 200 && loaded.text.contains("Loaded: the destination mirror was added."),
                    "\(loaded.text)")
            }

            /// Delivers a postback that the receiver refuses, and waits until it is a dead letter.
            func refuse() async throws {
                receiver.answer(404)
                #expect(try await client.post(TestKeys.apple()).outcome == "accepted")
                try await expect(dead: 1)
            }

            /// Waits until there are so many dead letters.
            func expect(dead count: Int) async throws {
                try await eventually("\(count) dead letters") {
                    try await value(
                        "SELECT 'there' FROM attribution.delivery WHERE state = 'dead' HAVING count(*) = \(count)")
                }
            }

            func value(_ sql: String) async throws -> String? { try await installation.database.value(sql) }
        }

        @Test(
            "Without a destination the screen says what forwarding is, and begins a file from each preset",
            .installation)
        func empty() async throws {
            let setting = try await Setting.start()
            let list = try await setting.page.get("/destinations")
            #expect(list.status == 200 && list.text.contains("No destination is loaded"), "\(list.text)")
            let presets = list.text.matches(of: /href="(\/destinations\?preset=[a-z-]+)">Begin with [a-z]/)
            #expect(presets.count == 7)
            for preset in presets {
                let filled = try await setting.page.get(String(preset.1))
                #expect(filled.status == 200 && filled.text.contains("&quot;name&quot;"), "\(filled.text)")
            }
            #expect(try await setting.page.get("/destinations?preset=none").status == 400)
        }

        @Test(
            "A destination is checked, and loaded as a whole or not at all; mistakes have their place, and what was typed stays",
            .installation)
        func load() async throws {
            let setting = try await Setting.start()
            let count = "SELECT count(*) FROM attribution.destination"
            let good = setting.file()
            let checked = try await setting.send("check", good)
            #expect(checked.status == 200, "\(checked.text)")
            #expect(checked.text.contains("“Load” would add the destination mirror."), "\(checked.text)")
            #expect(try await setting.value(count) == "0")
            let unknown = try await setting.send("check", good.replacing("{secret:token}", with: "{secret:absent}"))
            #expect(unknown.status == 200 && unknown.text.contains("Notice: "), "\(unknown.text)")
            let wrong = try await setting.send(
                "load", good.replacing("\"retry\"", with: "\"retries\"").replacing("\"raw\"", with: "\"cooked\""))
            let errors = try wrong.errors()
            #expect(wrong.status == 400 && errors.count == 2, "\(errors)")
            #expect(errors.allSatisfy { $0.field == "load-destination" }, "\(errors)")
            for text in ["line 4: body: ", "line 5: retries: "] {
                #expect(errors.contains { $0.message.hasPrefix(text) }, "\(errors)")
            }
            #expect(wrong.text.contains("&quot;cooked&quot;"))
            #expect(try await setting.value(count) == "0")
            try await setting.load()
            #expect(try await setting.value(count) == "1")
            let again = try await setting.send("load", good)
            #expect(again.status == 200 && again.text.contains("Nothing was loaded"), "\(again.text)")
            #expect(try await setting.send("eat", good).status == 400)
            #expect(
                try await setting.page.post("/destinations", [("do", "load"), ("destination", good)]).status == 403)
            let cells = try await setting.page.get("/destinations").cells("destinations")
            #expect(cells.count == 1 && cells[0][0] == "mirror" && cells[0][1] == "active", "\(cells)")
        }

        @Test(
            "A file that would change a destination is shown beside the one in force, and loaded by a second press",
            .installation)
        func changed() async throws {
            let setting = try await Setting.start()
            func limit() async throws -> String? {
                try await setting.value("SELECT document::json #>> '{limits,in-flight}' FROM attribution.destination")
            }
            try await setting.load()
            let asked = try await setting.send("load", setting.file("\"limits\": {\"in-flight\": 2}"))
            #expect(asked.status == 200 && asked.text.contains("<h1>Change the destination?</h1>"), "\(asked.text)")
            #expect(try await limit() == nil)
            let other = try await setting.send("load", setting.file("\"limits\": {\"in-flight\": 3}"))
            let done = try await setting.page.post("/destinations", asked.pressed("confirm"))
            #expect(
                done.status == 200 && done.text.contains("Loaded: the destination mirror was changed."), "\(done.text)")
            #expect(try await limit() == "2")
            // It was asked about another file.
            let late = try await setting.page.post("/destinations", other.pressed("confirm"))
            #expect(
                late.status == 400 && late.text.contains("the stored destination has changed meanwhile"), "\(late.text)"
            )
            #expect(try await limit() == "2")
            let last = try await setting.page.post("/destinations", late.pressed("confirm"))
            #expect(last.status == 200, "\(last.text)")
            #expect(try await limit() == "3")
            #expect(
                try await setting.value(
                    "SELECT count(*) FROM attribution.trail WHERE action = 'destination-load' AND subject = 'mirror'")
                    == "3")
        }

        @Test(
            "A delivery that was refused is a dead letter with reason, request and answer, without a secret, and a press delivers it",
            .installation)
        func deadLetter() async throws {
            let setting = try await Setting.start()
            try await setting.load()
            try await setting.refuse()
            let one = try await setting.page.get("/destinations/mirror")
            #expect(one.status == 200 && !one.text.contains(Self.secret), "\(one.text)")
            let cells = try one.cells("dead")
            #expect(cells.count == 1 && cells[0][2] == "2" && cells[0][3] == "404", "\(cells)")
            let address = try #require(one.text.firstMatch(of: /href="(\/destinations\/mirror\/[^"]+)">/)).1
            let delivery = try await setting.page.get(String(address))
            #expect(delivery.status == 200 && !delivery.text.contains(Self.secret), "\(delivery.text)")
            for text in [
                "Authorization: Bearer {secret:token}", "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28",
                "<code>status 404</code>",
                "<dd>404</dd>",
            ] {
                #expect(delivery.text.contains(text), "\(text): \(delivery.text)")
            }
            // Nothing is mended yet.
            let all = try await setting.press("retry-all")
            #expect(all.status == 200 && all.text.contains("1 dead letters are tried again."), "\(all.text)")
            try await setting.expect(dead: 1)
            setting.receiver.answer(200)
            let again = try await setting.page.post(String(address), [("csrf", setting.csrf), ("do", "retry")])
            #expect(again.status == 200 && again.text.contains("is tried again."), "\(again.text)")
            try await eventually("it is delivered") {
                try await setting.value("SELECT 'none' FROM attribution.delivery HAVING count(*) = 0")
            }
            #expect(try await setting.page.get(String(address)).status == 404)
            #expect(try setting.receiver.received.last?.body == TestKeys.apple())
            #expect(
                try await setting.value("SELECT count(*) FROM attribution.trail WHERE action = 'delivery-retry'") == "2"
            )
            let days = try await setting.page.get("/destinations/mirror")
            #expect(try days.cells("days").count == 1)
            #expect(try days.sql("days").contains("FROM attribution.report_delivery"))
            #expect(try await setting.page.get("/destinations/mirror?csv=days").text.hasPrefix("day,"))
            for (address, status) in [
                ("mirror?before=soon", 400), ("mirror?csv=nothing", 400), ("mirror/nothing", 404), ("nobody", 404),
                ("No%20Body", 404), ("mirror/0-0-0", 404), ("mirror/0-0-0/0", 404),
            ] {
                #expect(try await setting.page.get("/destinations/" + address).status == status, "\(address)")
            }
        }

        @Test(
            "Each of 250 dead letters is on one of the pages, once; reasons and answers full of markup show as text",
            .installation)
        func pages() async throws {
            let setting = try await Setting.start()
            try await setting.load()
            try await setting.installation.database.run(
                """
                INSERT INTO attribution.delivery (
                       destination, lane, position, ordinal, transaction_id, event, received_at, state, attempt,
                       first_failed_at, last_failed_at, last_status, last_error, answer, is_sendable, method, url, headers,
                       body, webhook_id, signing)
                SELECT 'mirror', n % 2, n / 4, n / 2 % 2, gen_random_uuid(), 'accepted', now(), 'dead', 3, now(), now(), 502,
                       '<i>bad</i> gateway', convert_to('<script>alert(1)</script>', 'UTF8') || '\\xff'::bytea, true, 'POST',
                       'https://receiver.example/', E'Content-Type: text/plain\\n', 'x'::bytea, 'pb_' || n, ''
                  FROM generate_series(0, 249) AS n
                """)
            var seen: [String] = []
            var address: String? = "/destinations/mirror"
            while let next = address, seen.count < 1_000 {
                let page = try await setting.page.get(next)
                #expect(page.status == 200 && page.text.contains("&lt;i&gt;bad&lt;/i&gt; gateway"), "\(page.text)")
                let rows = page.text.matches(of: /href="\/destinations\/mirror\/([0-9-]+)"/).map { String($0.1) }
                #expect([100, 50].contains(rows.count))
                seen += rows
                address = page.text.firstMatch(of: /<a href="([^"]+)">Older dead letters<\/a>/).map { String($0.1) }
            }
            #expect(seen.count == 250 && Set(seen).count == 250)
            let one = try await setting.page.get("/destinations/mirror/\(try #require(seen.first))")
            #expect(one.text.contains("&lt;script&gt;alert(1)&lt;/script&gt;\u{FFFD}"), "\(one.text)")
            #expect(!one.text.contains("<script") && !one.text.contains("<i>"))
        }

        @Test("A test shows its request and the answer, and counts nowhere", .installation)
        func test() async throws {
            let setting = try await Setting.start()
            try await setting.load()
            let good = try await setting.press("test")
            #expect(good.status == 200 && good.text.contains("The test was delivered: status 200."), "\(good.text)")
            setting.receiver.answer(403)
            let refused = try await setting.press("test")
            #expect(refused.status == 200 && refused.text.contains("The test was not delivered: "), "\(refused.text)")
            #expect(
                refused.text.contains("X-AdAttribution-Test: true") && refused.text.contains("<code>status 403</code>"))
            #expect(!refused.text.contains(Self.secret))
            #expect(setting.receiver.received.allSatisfy { $0.headers["Authorization"] == ["Bearer \(Self.secret)"] })
            #expect(try await setting.value("SELECT count(*) FROM attribution.delivery") == "0")
            #expect(
                try await setting.value("SELECT count(*) FROM attribution.trail WHERE action = 'destination-test'")
                    == "2")
        }

        @Test("A destination is paused with a reason and resumed; what came meanwhile is sent then", .installation)
        func paused() async throws {
            let setting = try await Setting.start()
            try await setting.load()
            let paused = try await setting.press("pause", ("reason", "<b>they move</b>"))
            #expect(
                paused.status == 200 && paused.text.contains("paused: &lt;b&gt;they move&lt;/b&gt;"), "\(paused.text)")
            #expect(paused.text.contains("value=\"resume\"") && !paused.text.contains("value=\"pause\""))
            #expect(try await setting.client.post(TestKeys.apple()).outcome == "accepted")
            let resumed = try await setting.press("resume")
            #expect(resumed.status == 200 && resumed.text.contains("value=\"pause\""), "\(resumed.text)")
            try await eventually("it is sent") { setting.receiver.received.isEmpty ? nil : true }
            #expect(
                try await setting.installation.database.column(
                    "SELECT action FROM attribution.trail WHERE subject = 'mirror' ORDER BY entry") == [
                        "destination-load", "destination-pause", "destination-resumption",
                    ])
        }

        @Test(
            "Removing asks first and says what would be lost; then destination, deliveries and reader are gone",
            .installation)
        func removed() async throws {
            let setting = try await Setting.start()
            try await setting.load()
            try await setting.refuse()
            let asked = try await setting.press("remove")
            #expect(asked.status == 200 && asked.text.contains("Nothing is removed yet."), "\(asked.text)")
            #expect(asked.text.contains("<dt>Dead letters</dt><dd>1</dd>"), "\(asked.text)")
            #expect(try await setting.page.get("/destinations/mirror").status == 200)
            let done = try await setting.page.post("/destinations/mirror", asked.pressed("confirm"))
            #expect(done.status == 200 && done.text.contains("The destination mirror was removed"), "\(done.text)")
            #expect(try await setting.page.get("/destinations/mirror").status == 404)
            #expect(try await setting.page.post("/destinations/mirror", asked.pressed("confirm")).status == 404)
            for table in ["destination", "delivery", "log_reader WHERE reader LIKE 'forward.%'"] {
                #expect(try await setting.value("SELECT count(*) FROM attribution.\(table)") == "0", "\(table)")
            }
        }
    }
}
