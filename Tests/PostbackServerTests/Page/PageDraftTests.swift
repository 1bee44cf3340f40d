import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerPageTests {
    @Suite("What was typed when a session ends")
    struct PageDraftTests {
        private static let text = "ad_network_id,campaign_type\n“typed” <b>by hand</b>\n"
        private static let shown = "“typed” &lt;b&gt;by hand&lt;/b&gt;\n</textarea>"
        private static let count = "SELECT count(*) FROM attribution.page_draft"
        private static let past = "UPDATE attribution.page_session SET seen_at = now() - interval '31 minutes'"

        private func page() async throws -> (PageClient, TestDatabase) {
            let installation = try Installation.current
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            return (page, installation.database)
        }

        /// Signs in at the form to which an answer leads, and returns the screen to which that leads.
        private func signIn(
            _ page: PageClient, from answer: PostbackClient.Answer
        ) async throws -> PostbackClient.Answer {
            let address = try #require(answer.headers.first(name: "Location"))
            let done = try await page.post(address, [("token", Installation.token)])
            page.cookie = String(try #require(done.headers.first(name: "Set-Cookie")).prefix { $0 != ";" })
            return try await page.get(try #require(done.headers.first(name: "Location")))
        }

        @Test(
            "After signing in again it is in the form, nothing was changed, and the page says what happened",
            .installation, arguments: ["idle", "twelve hours", "signed out elsewhere"])
        func again(end: String) async throws {
            let (page, database) = try await page()
            let csrf = try PageClient.csrf(try await page.get("/mapping"))
            switch end {
            case "idle": try await database.run(Self.past)
            case "twelve hours":
                try await database.run(
                    "UPDATE attribution.page_session SET signed_in_at = now() - interval '721 minutes'")
            default: #expect(try await page.post("/sign-out", [("csrf", csrf)]).status == 303)
            }
            let sent = try await page.post("/mapping", [("csrf", csrf), ("do", "load"), ("mapping", Self.text)])
            #expect(sent.status == 303 && sent.headers.first(name: "Location") == "/sign-in?next=%2Fmapping")
            #expect(sent.headers["Set-Cookie"].isEmpty)
            let form = try await page.get("/sign-in?next=%2Fmapping")
            #expect(form.text.contains("Your session has ended.") && form.text.contains("kept for an hour"))
            #expect(!form.text.contains("typed”"))
            // Another browser sees nothing of it, before and after it signs in.
            let stranger = page.stranger()
            #expect(try await !stranger.get("/sign-in").text.contains("session has ended"))
            try await stranger.signIn()
            #expect(try await !stranger.get("/mapping").text.contains(Self.shown))
            // A wrong token loses nothing.
            #expect(try await page.post("/sign-in?next=%2Fmapping", [("token", "wrong")]).text.contains("kept for an"))
            let screen = try await signIn(page, from: sent)
            #expect(screen.status == 200 && screen.text.contains(Self.shown), "\(screen.text)")
            #expect(screen.text.contains("Your session had ended when you sent this form, so nothing was changed."))
            #expect(!screen.text.contains("choose the files again"))
            #expect(
                try await database.value(
                    "SELECT count(*) FROM attribution.campaign_mapping WHERE NOT is_built_in") == "0")
            // It stays until the form is sent.
            #expect(try await page.get("/mapping").text.contains(Self.shown))
            #expect(try await !page.get("/spend").text.contains("had ended"))
            let new = try PageClient.csrf(screen)
            let wrong = try await page.post("/mapping", [("csrf", new), ("do", "load"), ("mapping", Self.text)])
            #expect(wrong.status == 400 && wrong.text.contains(Self.shown) && !wrong.text.contains("had ended"))
            #expect(try await !page.get("/mapping").text.contains(Self.shown))
            #expect(try await database.value(Self.count) == "0")
        }

        @Test("All fields of a form are in it again, choices too", .installation)
        func fields() async throws {
            let (page, database) = try await page()
            let csrf = try PageClient.csrf(try await page.get("/mapping"))
            try await database.run(Self.past)
            let sent = try await page.post(
                "/mapping",
                [
                    ("csrf", csrf), ("do", "retire"), ("campaign-type", "campaign-id"), ("network", "typed.example"),
                    ("app", ""), ("identifier", "42"), ("last-day", "2026-11-30"),
                ])
            let screen = try await signIn(page, from: sent)
            for (field, text) in [("network", "typed.example"), ("identifier", "42"), ("last-day", "2026-11-30")] {
                let tag = try #require(
                    screen.text.firstMatch(of: try Regex("<input [^>]*id=\"retire-\(field)\"[^>]*>")))
                #expect(screen.text[tag.range].contains(" value=\"\(text)\""), "\(screen.text[tag.range])")
            }
            #expect(screen.text.contains("<option value=\"campaign-id\" selected>"))
            // The other form of the screen has a field of that name too.
            #expect(screen.text.contains("id=\"allocate-network\" name=\"network\" value=\"\""))
        }

        @Test(
            "A form that was sent stays on its screen with its filters, and another form of the screen keeps it",
            .installation)
        func others() async throws {
            let (page, database) = try await page()
            let csrf = try PageClient.csrf(try await page.get("/mapping"))
            try await database.run(Self.past)
            // Nobody types the fields of this form.
            let back = [("csrf", csrf), ("do", "take-back"), ("kind", "mapping"), ("load", "1")]
            #expect(try await page.post("/mapping", back).status == 303)
            #expect(try await database.value(Self.count) == "0")
            #expect(try await page.get("/sign-in").text.contains("If you sent a form after that, nothing was changed."))
            let sent = try await page.post(
                "/mapping?days=7&environment=test", [("csrf", csrf), ("do", "load"), ("mapping", Self.text)])
            #expect(
                sent.headers.first(name: "Location") == "/sign-in?next=%2Fmapping%3Fdays%3D7%26environment%3Dtest")
            let screen = try await signIn(page, from: sent)
            #expect(screen.text.contains(Self.shown), "\(screen.text)")
            #expect(screen.text.contains("<form method=\"post\" action=\"/mapping?days=7&amp;environment=test\""))
            let new = try PageClient.csrf(screen)
            let other = [("csrf", new), ("do", "retire"), ("network", ""), ("app", ""), ("identifier", "42")]
            let wrong = try await page.post("/mapping?days=7", other)
            #expect(wrong.status == 400 && wrong.text.contains("href=\"/spend?days=7\""), "\(wrong.text)")
            #expect(try await page.get("/mapping").text.contains(Self.shown))
        }

        @Test("A chosen file is not kept, and the page says that it must be chosen again", .installation)
        func files() async throws {
            let (page, database) = try await page()
            let csrf = try PageClient.csrf(try await page.get("/spend"))
            try await database.run(Self.past)
            let sent = try await page.upload(
                "/spend", [("csrf", csrf), ("do", "load-spend"), ("spend", "")],
                file: ("spend", Array("secret-4711".utf8)))
            #expect(
                try await database.value("SELECT fields || has_files FROM attribution.page_draft")
                    == "do=load-spend&spend=true")
            let screen = try await signIn(page, from: sent)
            #expect(screen.text.contains("choose the files again, and send it."), "\(screen.text)")
            #expect(!screen.text.contains("4711"))
        }

        @Test(
            "It is kept only if a page of a session that was valid sent it, and never if only a button was pressed",
            .installation)
        func refused() async throws {
            let (page, database) = try await page()
            let csrf = try PageClient.csrf(try await page.get("/mapping"))
            let other = page.stranger()
            try await other.signIn()
            let others = try PageClient.csrf(try await other.get("/mapping"))
            try await database.run(Self.past)
            let good = try #require(page.cookie)
            let fields = [("do", "load"), ("mapping", Self.text)]
            for (cookie, fields, headers) in [
                (nil, fields + [("csrf", csrf)], []), (String(good.dropLast()) + "~", fields + [("csrf", csrf)], []),
                (good.replacing(/.{44}$/, with: String(repeating: "A", count: 44)), fields + [("csrf", csrf)], []),
                (good, fields, []), (good, fields + [("csrf", others)], []),
                (good, fields + [("csrf", csrf)], [("Origin", "https://example.com")]),
                (good, fields + [("csrf", csrf)], [("Sec-Fetch-Site", "cross-site")]),
                (good, [("do", "load"), ("mapping", ""), ("csrf", csrf)], []),
            ] as [(String?, [(String, String)], [(String, String)])] {
                page.cookie = cookie
                let answer = try await page.post("/mapping", fields, headers)
                #expect(answer.status == 303, "\(fields) \(headers)")
                #expect(answer.headers.first(name: "Location")?.hasPrefix("/sign-in") == true)
                #expect(try await database.value(Self.count) == "0", "\(fields) \(headers)")
            }
            page.cookie = good
            #expect(try await page.post("/refused/x", [("do", "verify"), ("csrf", csrf)]).status == 303)
            let large = String(repeating: "a", count: 1_048_576)
            #expect(try await page.post("/mapping", [("csrf", csrf), ("mapping", large)]).status == 413)
            // Nor as the answer to a question.
            #expect(try await page.post("/mapping", [("csrf", csrf), ("plan", "x"), ("mapping", large)]).status == 413)
            #expect(try await database.value(Self.count) == "0")
        }

        @Test(
            "A session has one for each screen, all sessions have 64, the oldest leaves first, and all leave in an hour",
            .installation)
        func bounds() async throws {
            let (page, database) = try await page()
            let csrf = try PageClient.csrf(try await page.get("/mapping"))
            try await database.run(
                """
                \(Self.past);
                INSERT INTO attribution.page_draft (session_key, path, fields, has_files, kept_at)
                SELECT sha256(number::text::bytea), '/mapping', number::text, false, now() - number * interval '30 seconds'
                  FROM generate_series(1, 64) AS number
                """)
            var sent: PostbackClient.Answer?
            for text in ["first", "second"] {
                sent = try await page.post("/mapping", [("csrf", csrf), ("do", "check"), ("mapping", text)])
            }
            #expect(try await database.value(Self.count) == "64")
            #expect(try await database.value("SELECT count(*) FROM attribution.page_draft WHERE fields = '64'") == "0")
            #expect(
                try await database.column("SELECT fields FROM attribution.page_draft WHERE fields LIKE 'do=%'")
                    == ["do=check&mapping=second"])
            try await database.run("UPDATE attribution.page_draft SET kept_at = now() - interval '61 minutes'")
            let screen = try await signIn(page, from: try #require(sent))
            #expect(screen.status == 200 && !screen.text.contains("second") && !screen.text.contains("had ended"))
            // Whoever looks after the tables removes them; a server that starts does it at once.
            _ = try await Installation.current.start()
            try await eventually("old drafts are removed") {
                try await database.value(Self.count) == "0" ? true : nil
            }
        }
    }
}
