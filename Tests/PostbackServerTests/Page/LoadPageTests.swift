import AdAttribution
import Foundation
import TestSupport
import Testing

extension ServerPageTests {
    @Suite("Loads on the page")
    struct LoadPageTests {
        private static let header = "day,ad_network_id,advertised_app_id,campaign_id,currency,spend\n"

        private func page() async throws -> (PageClient, Installation, csrf: String) {
            let installation = try Installation.current
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            return (page, installation, try PageClient.csrf(try await page.get("/spend")))
        }

        /// The rows of spend with all their columns, and how many loads there are.
        private func state(_ installation: Installation) async throws -> [String?] {
            try await installation.database.column(
                """
                SELECT s::text FROM attribution.spend_daily AS s
                UNION ALL SELECT m::text FROM attribution.campaign_mapping AS m
                UNION ALL SELECT a::text FROM attribution.app_name AS a
                UNION ALL SELECT c::text FROM attribution.conversion_scheme AS c ORDER BY 1
                """)
        }

        @Test(
            "Spend of a day that would lose rows is shown first, with the campaigns that lose their cost, loaded, and taken back in five presses",
            .installation)
        func spend() async throws {
            let (page, installation, csrf) = try await page()
            let day = "2026-09-01,example123.skadnetwork,525463029,"
            let first = Self.header + day + "1001,USD,12.50\n" + day + "<b>Summer</b>,USD,3\n"
            let loaded = try await page.post("/spend", [("csrf", csrf), ("do", "load-spend"), ("spend", first)])
            #expect(loaded.text.contains("Loaded: 2 added, 0 changed, 0 unchanged, 0 removed. It is load "))
            let again = try await page.post("/spend", [("csrf", csrf), ("do", "load-spend"), ("spend", first)])
            #expect(again.status == 200 && again.text.contains("Nothing was loaded: the file changes nothing."))
            #expect(try await installation.database.value("SELECT count(*) FROM attribution.load") == "1")
            let before = try await state(installation)

            // One: the link on Overview. Two: a file is chosen. Its lines end as Excel writes them.
            let overview = try await page.get("/")
            #expect(overview.text.contains("<a href=\"/spend\">Spend</a>"), "\(overview.text)")
            let second = Array(
                (Self.header + day + "1001,USD,20\n" + day + "1003,EUR,7\n").replacing("\n", with: "\r\n").utf8)
            // A check says both: no line is wrong, and what would be lost.
            let checked = try await page.upload(
                "/spend", [("csrf", csrf), ("do", "check-spend"), ("spend", "")], file: ("spend", second))
            #expect(checked.text.contains("2 rows, no line is wrong, but cost would be lost."), "\(checked.text)")
            #expect(checked.text.contains("Campaigns would lose their cost: 1, "))
            // Three: “Load spend”.
            let asked = try await page.upload(
                "/spend", [("csrf", csrf), ("do", "load-spend"), ("spend", "")], file: ("spend", second))
            #expect(asked.status == 200 && asked.text.contains("<h1>Load the spend?</h1>"), "\(asked.text)")
            #expect(
                asked.text.contains("This would add 1 rows, change 1, remove 1 and leave 0 as they are."),
                "\(asked.text)")
            #expect(
                try asked.cells("lost") == [
                    [
                        "&lt;b&gt;Summer&lt;/b&gt;", "2026-09-01", "example123.skadnetwork", "525463029", "USD",
                        "3.000000",
                    ]
                ])
            #expect(asked.text.contains("<td class=\"number\" data-value=\"3.000000\">3.00</td>"))
            let title = "2026-09-01, example123.skadnetwork, app 525463029, campaign "
            #expect(
                try asked.cells("removed") == [[title + "&lt;b&gt;Summer&lt;/b&gt;", "currency USD, spend 3.000000"]])
            #expect(try asked.cells("changed") == [[title + "1001", "spend 12.500000", "spend 20.000000"]])
            #expect(!asked.text.contains("<b>"))
            #expect(try await state(installation) == before)

            // Four: the answer to the question.
            let done = try await page.post("/spend", asked.pressed("confirm"))
            #expect(
                done.status == 200 && done.text.contains("Loaded: 1 added, 1 changed, 0 unchanged, 1 removed."),
                "\(done.text)")
            try await installation.database.expect(
                "SELECT campaign_id, currency, spend, source_file FROM attribution.spend_daily ORDER BY campaign_id",
                """
                campaign_id  currency  spend      source_file
                1001         USD       20.000000  loaded on the page
                1003         EUR       7.000000   loaded on the page
                """)
            // The digest is that of the file that was chosen, and the author is this session, with its token.
            let kept =
                "SELECT encode(digests[1], 'hex') || ' ' || loaded_by FROM attribution.load ORDER BY load DESC LIMIT 1"
            let parts = try #require(try await installation.database.value(kept)).split(separator: " ")
            let digest = SHA256.digest(second).map { String(format: "%02x", $0) }.joined()
            #expect(parts.first.map(String.init) == digest)
            #expect(parts.count == 5 && parts[1] == "session" && parts[2].count == 8 && parts[4] == "ADMIN_TOKEN")
            #expect(try done.cells("loads").first?.contains(digest) == true)

            // The same answer again does nothing, and asks nothing.
            let pressed = try await page.post("/spend", asked.pressed("confirm"))
            #expect(pressed.status == 400 && pressed.text.contains("Nothing was loaded: what is stored has changed"))
            #expect(!pressed.text.contains("id=\"confirm\""))

            // Five: “Take back”.
            let back = try await page.post("/spend", done.pressed("take-back-spend"))
            #expect(back.status == 200 && back.text.contains(" was taken back. It had been: 1 added"), "\(back.text)")
            #expect(try await state(installation) == before)
            // The same form again.
            let twice = try await page.post("/spend", done.pressed("take-back-spend"))
            #expect(twice.status == 400 && twice.text.contains("it is taken back already: load "), "\(twice.text)")
            // The load before it is the last one now.
            let all = try await page.post("/spend", back.pressed("take-back-spend"))
            #expect(all.status == 200 && !all.text.contains("take-back-spend"), "\(all.text)")
            #expect(try await installation.database.value("SELECT count(*) FROM attribution.spend_daily") == "0")
        }

        @Test("A file as long as a form takes is shown first too, and its answer carries it", .installation)
        func longFile() async throws {
            let (page, installation, csrf) = try await page()
            let day = "2026-09-01,example123.skadnetwork,525463029,"
            let before = Self.header + day + "before,USD,1\n"
            #expect(
                try await page.post("/spend", [("csrf", csrf), ("do", "load-spend"), ("spend", before)]).text
                    .contains("Loaded: 1 added"))
            // With line ends of two bytes it is longer than a form with a file may be.
            let rows = (0..<18_300).map { day + "c\(10_000 + $0),USD,1\n" }.joined()
            let file = Array((Self.header + rows).utf8)
            #expect(file.count < 1_047_000 && file.count + 18_301 > 1_048_576)
            let fields = [("csrf", csrf), ("do", "load-spend"), ("spend", "")]
            let asked = try await page.upload("/spend", fields, file: ("spend", file))
            #expect(
                asked.text.contains("This would add 18300 rows, change 0, remove 1 and leave 0 as they are."),
                "\(asked.text.prefix(3_000))")
            let answer = try asked.pressed("confirm")
            let done = try await page.upload("/spend", answer, file: ("spend", []))
            #expect(
                done.status == 200 && done.text.contains("Loaded: 18300 added, 0 changed, 0 unchanged, 1 removed."),
                "\(done.text.prefix(3_000))")
            #expect(try await installation.database.value("SELECT count(*) FROM attribution.spend_daily") == "18300")
            // Only an answer may be that long.
            let long = try await page.upload("/spend", fields, file: ("spend", file + file.prefix(20_000)))
            #expect(long.status == 413 && long.text.contains("must have at most 1048576 bytes"), "\(long.text)")
        }

        @Test("“Load, and remove” shows the rows that it would remove, and removes none by one press", .installation)
        func mapping() async throws {
            let (page, installation, csrf) = try await page()
            let header = "ad_network_id,campaign_type,identifier,campaign_id\n"
            let network = "example123.skadnetwork,source-identifier,"
            func send(_ action: String, _ text: String) async throws -> PostbackClient.Answer {
                try await page.post("/mapping", [("csrf", csrf), ("do", action), ("mapping", text)])
            }
            let rows = (10..<54).map { network + "\($0),c\($0)\n" }.joined()
            #expect(try await send("load", header + rows).text.contains("Loaded: 44 added"))
            let before = try await state(installation)
            let asked = try await send("replace", header + network + "99,new\n")
            #expect(asked.text.contains("This would add 1 rows, change 0, remove 44 and leave 0 as they are."))
            #expect(try asked.cells("removed").count == 44)
            #expect(try await state(installation) == before)
            // Without removing anything, it is loaded at once.
            #expect(try await send("load", header + network + "98,also\n").text.contains("Loaded: 1 added"))
            // Now the question is not the same any more: this row would be removed, too.
            let changed = try await page.post("/mapping", asked.pressed("confirm"))
            #expect(changed.status == 400 && changed.text.contains("Nothing was loaded: what is stored has changed"))
            #expect(
                changed.text.contains(
                    "Then it would have added 1, changed 0, removed 44 and left 0, now it would have added 1, changed 0, removed 45"
                ), "\(changed.text)")
            #expect(changed.text.contains("of mapping at "))
            #expect(try changed.cells("removed").count == 45)
            let done = try await page.post("/mapping", changed.pressed("confirm"))
            #expect(done.text.contains("Loaded: 1 added, 0 changed, 0 unchanged, 45 removed."), "\(done.text)")

            // A row of the load is retired, so it is not taken back.
            let retire = [
                ("csrf", csrf), ("do", "retire"), ("network", "example123.skadnetwork"),
                ("campaign-type", "source-identifier"), ("identifier", "99"),
            ]
            #expect(try await page.post("/mapping", retire).status == 200)
            let refused = try await page.post("/mapping", done.pressed("take-back-mapping"))
            #expect(
                refused.status == 400
                    && refused.text.contains("can&#39;t be taken back: example123.skadnetwork, source-identifier 99"),
                "\(refused.text)")
        }

        @Test("A scheme that closes another one is shown first, and taken back", .installation)
        func scheme() async throws {
            let (page, installation, csrf) = try await page()
            func scheme(_ from: String) -> String {
                "{\"app-id\": 525463029, \"name\": \"own\", \"valid-from\": \"\(from)T00:00:00Z\",\n"
                    + "\"fine\": [{\"value\": 1, \"events\": []}]}"
            }
            func send(_ text: String) async throws -> PostbackClient.Answer {
                try await page.post("/schemes", [("csrf", csrf), ("do", "load"), ("scheme", text)])
            }
            #expect(try await send(scheme("2026-01-01")).text.contains("loaded, valid "))
            let before = try await state(installation)
            let asked = try await send(scheme("2026-02-01"))
            #expect(asked.text.contains("it closes the scheme from 2026-01-01T00:00:00Z"), "\(asked.text)")
            #expect(
                try asked.cells("changed") == [
                    ["app 525463029, from 2026-01-01T00:00:00Z", "valid to –", "valid to 2026-02-01T00:00:00+00:00"]
                ])
            #expect(try await state(installation) == before)
            let done = try await page.post("/schemes", asked.pressed("confirm"))
            #expect(done.status == 200 && done.text.contains("Loaded: 1 added, 1 changed"), "\(done.text)")
            let back = try await page.post("/schemes", done.pressed("take-back-scheme"))
            #expect(back.status == 200, "\(back.text)")
            #expect(try await state(installation) == before)
        }

        @Test("Names of apps that would be replaced are shown first, loaded, and taken back", .installation)
        func appNames() async throws {
            let (page, installation, csrf) = try await page()
            func send(_ rows: String) async throws -> PostbackClient.Answer {
                try await page.post(
                    "/mapping", [("csrf", csrf), ("do", "load-names"), ("app-names", "app_id,app_name\n" + rows)])
            }
            let first = "525463029,Puzzle\n7,<b>Quiz</b>\n"
            #expect(
                try await send(first).text.contains(
                    "Loaded: 2 added, 0 changed, 0 unchanged, 0 removed. It is load "))
            #expect(try await send(first).text.contains("Nothing was loaded: the file changes nothing."))
            let before = try await state(installation)
            let asked = try await send("7,Riddle\n8,Jump\n")
            #expect(asked.status == 200 && asked.text.contains("<h1>Load the names?</h1>"), "\(asked.text)")
            #expect(asked.text.contains("This would add 1 rows, change 1, remove 0 and leave 0 as they are."))
            #expect(
                try asked.cells("changed") == [["app 7", "app name &lt;b&gt;Quiz&lt;/b&gt;", "app name Riddle"]])
            #expect(!asked.text.contains("<b>"))
            #expect(try await state(installation) == before)
            // Another load in between: the page asks again.
            #expect(try await send("8,Run\n").text.contains("Loaded: 1 added"))
            let changed = try await page.post("/mapping", asked.pressed("confirm"))
            #expect(
                changed.status == 400 && changed.text.contains("Nothing was loaded: what is stored has changed")
                    && changed.text.contains("of app-names at "), "\(changed.text)")
            #expect(try changed.cells("changed").map(\.first) == ["app 7", "app 8"])
            let done = try await page.post("/mapping", changed.pressed("confirm"))
            #expect(done.text.contains("Loaded: 0 added, 2 changed, 0 unchanged, 0 removed."), "\(done.text)")
            #expect(try done.cells("loads").map { $0[1] } == ["app-names", "app-names", "app-names"])
            let back = try await page.post("/mapping", done.pressed("take-back-app-names"))
            #expect(back.status == 200 && back.text.contains(" was taken back."), "\(back.text)")
            _ = try await page.post("/mapping", back.pressed("take-back-app-names"))
            #expect(try await state(installation) == before)
        }

        @Test("A form that was made up is refused", .installation)
        func madeUp() async throws {
            let (page, installation, csrf) = try await page()
            let text = Self.header + "2026-09-01,example123.skadnetwork,525463029,1,USD,1\n"
            let digest = String(repeating: "00", count: 32)
            for fields in [
                [("do", "load-spend"), ("spend", text), ("plan", "x")],
                [("do", "load-spend"), ("spend", text), ("plan", digest + ".1.0.0.1.\(Int64.max - 1)")],
                [("do", "load-spend"), ("spend", text), ("plan", digest + ".1.0.0.-1.1")], [("do", "take-back")],
                [("do", "take-back"), ("kind", "spend"), ("load", "x")],
                [("do", "take-back"), ("kind", "mapping"), ("load", "1")],
                [("do", "take-back"), ("kind", "spend"), ("load", "1")],
            ] {
                let answer = try await page.post("/spend", [("csrf", csrf)] + fields)
                #expect(answer.status == 400, "\(fields): \(answer.text)")
            }
            #expect(
                try await page.post("/spend", [("do", "take-back"), ("kind", "spend"), ("load", "1")]).status == 403)
            #expect(try await state(installation).count == 4)
        }
    }
}
