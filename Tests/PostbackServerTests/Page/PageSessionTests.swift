import Foundation
import NIOHTTP1
import PostgresClient
import TestSupport
import Testing

extension ServerPageTests {
    @Suite("Signing in to the page")
    struct PageSessionTests {
        private func page(_ changes: [String: String] = [:]) async throws -> (PageClient, Installation) {
            let installation = try Installation.current
            return (try await PageClient.start(changes, on: installation), installation)
        }

        @Test("Without a session every screen leads to the form, and back to the address afterwards", .installation)
        func form() async throws {
            let (page, _) = try await page()
            let away = try await page.get("/?environment=test&from=2026-09-01")
            #expect(away.status == 303)
            let address = try #require(away.headers.first(name: "Location"))
            #expect(address == "/sign-in?next=%2F%3Fenvironment%3Dtest%26from%3D2026-09-01")
            let form = try await page.get(address)
            #expect(form.status == 200)
            #expect(form.text.contains("<form method=\"post\" action=\"\(address)\""))
            let answer = try await page.post(address, [("token", Installation.token)])
            #expect(answer.status == 303)
            #expect(answer.headers.first(name: "Location") == "/?environment=test&from=2026-09-01")
            // Only addresses of this server.
            for next in [
                "//example.com", "https://example.com", "/\\example.com", "/a\r\nSet-Cookie: x", "sign-out", "",
            ] {
                let encoded = next.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                let address = "/sign-in?next=\(encoded)"
                #expect(try await page.get(address).text.contains("action=\"/sign-in\""))
                let answer = try await page.post(address, [("token", Installation.token)])
                #expect(answer.status == 303 && answer.headers.first(name: "Location") == "/", "\(next)")
            }
        }

        @Test(
            "The cookie is out of reach of scripts and other sites, and Secure behind https; the database has a digest only",
            .installation)
        func cookie() async throws {
            let (page, installation) = try await page()
            let plain = try await page.post("/sign-in", [("token", Installation.token)])
            let set = try #require(plain.headers.first(name: "Set-Cookie"))
            #expect(
                set.wholeMatch(of: /session-[0-9a-f]{16}=[A-Za-z0-9_-]{86}; Path=\/; HttpOnly; SameSite=Strict/)
                    != nil, "\(set)"
            )
            for header in [("X-Forwarded-Proto", "https"), ("Forwarded", "for=192.0.2.1;proto=https")] {
                let secure = try await page.post("/sign-in", [("token", Installation.token)], [header])
                let set = try #require(secure.headers.first(name: "Set-Cookie"))
                #expect(set.hasPrefix("__Host-session-") && set.hasSuffix("; SameSite=Strict; Secure"), "\(set)")
                #expect(set.contains("; Path=/; HttpOnly; "))
            }
            let text = set.drop { $0 != "=" }.dropFirst().prefix(86)
            let padded = text.replacing("-", with: "+").replacing("_", with: "/") + "=="
            let bytes = try #require(Data(base64Encoded: String(padded))).prefix(32)
            let hexadecimal = bytes.map { String(format: "%02x", $0) }.joined()
            let stored = try await installation.database.column(
                "SELECT encode(key, 'hex') FROM attribution.page_session")
            #expect(stored.count == 3 && !stored.contains(hexadecimal))
        }

        @Test(
            "A wrong token is refused with a message, and is not shown again; a form larger than a token is not read",
            .installation)
        func wrongToken() async throws {
            let (page, _) = try await page()
            let answer = try await page.post("/sign-in?next=%2Fspend", [("token", "not-the-token-4711")])
            #expect(answer.status == 401)
            #expect(answer.text.contains("class=\"error-summary\" role=\"alert\""))
            #expect(answer.text.contains("<a href=\"#token\">This is no token of this server.</a>"))
            #expect(answer.text.contains("action=\"/sign-in?next=%2Fspend\""))
            #expect(!answer.text.contains("4711") && answer.headers["Set-Cookie"].isEmpty)
            #expect(try await page.post("/sign-in", []).status == 401)
            let large = try await page.post("/sign-in", [("token", String(repeating: "0", count: 16_384))])
            #expect(large.status == 413)
            // One that was copied may have blanks around it.
            for token in [Installation.token, "  \(Installation.token)\t", "\r\n\(Installation.token)\n\u{A0}"] {
                #expect(try await page.post("/sign-in", [("token", token)]).status == 303)
            }
            let half = Installation.token.utf8.count / 2
            let broken = "\(Installation.token.prefix(half)) \(Installation.token.dropFirst(half))"
            #expect(try await page.post("/sign-in", [("token", broken)]).status == 401)
        }

        @Test("A cookie that no server with the token has made is refused without asking the database", .installation)
        func noQuestion() async throws {
            let (page, installation) = try await page()
            try await page.signIn()
            let good = try #require(page.cookie)
            // The end of the secret is changed, and the end of the seal.
            let spoilt = [good.count - 44, good.count - 2].map { place -> String in
                let character = good.utf8.dropFirst(place).first == UInt8(ascii: "A") ? "B" : "A"
                return "\(good.prefix(place))\(character)\(good.dropFirst(place + 1))"
            }
            try await installation.database.withSession { session in
                // Whoever asks for a session now waits.
                try await session.execute(script: "BEGIN; LOCK TABLE attribution.page_session IN ACCESS EXCLUSIVE MODE")
                for cookie in spoilt + ["session=" + String(repeating: "A", count: 86)] {
                    page.cookie = cookie
                    #expect(try await page.get("/").status == 303, "\(cookie)")
                }
                try await session.execute(script: "COMMIT")
            }
            page.cookie = good
            #expect(try await page.get("/").status == 200)
        }

        @Test("Signing out ends the session on all servers, and a copy of the cookie is worth nothing", .installation)
        func signOut() async throws {
            let installation = try Installation.current
            let first = try await PageClient.start(on: installation)
            let second = try await PageClient.start(on: installation)
            try await first.signIn()
            second.cookie = first.cookie
            let page = try await second.get("/")
            #expect(page.status == 200)
            let answer = try await second.post("/sign-out", [("csrf", PageClient.csrf(page))])
            #expect(answer.status == 303)
            #expect(answer.headers.first(name: "Set-Cookie")?.contains("=; Path=/; ") == true)
            #expect(answer.headers.first(name: "Set-Cookie")?.contains("Max-Age=0") == true)
            #expect(try await first.get("/").status == 303)
            #expect(try await second.get("/").status == 303)
        }

        @Test(
            "A session ends after half an hour without a request, after twelve hours, and with another admin token",
            .installation)
        func ends() async throws {
            let installation = try Installation.current
            let database = installation.database
            var cookie: String?
            try await PageClient.with(on: installation) { page in
                let past = "UPDATE attribution.page_session SET"
                try await page.signIn()
                try await database.run("\(past) seen_at = now() - interval '29 minutes'")
                #expect(try await page.get("/").status == 200)
                // That was a use of it.
                #expect(
                    try await database.value(
                        "SELECT seen_at > now() - interval '10 minutes' FROM attribution.page_session")
                        == "true")
                try await database.run("\(past) seen_at = now() - interval '31 minutes'")
                #expect(try await page.get("/").status == 303)
                try await page.signIn()
                // The old one was removed.
                #expect(try await database.value("SELECT count(*) FROM attribution.page_session") == "1")
                try await database.run("\(past) signed_in_at = now() - interval '721 minutes'")
                #expect(try await page.get("/").status == 303)
                try await page.signIn()
                cookie = page.cookie
            }
            try await PageClient.with(["ADMIN_TOKEN": String(repeating: "another", count: 5)], on: installation) {
                page in
                page.cookie = cookie
                let answer = try await page.get("/")
                #expect(answer.status == 303)
            }
            let page = try await PageClient.start(["ADMIN_TOKEN": ""], on: installation)
            page.cookie = cookie
            let answer = try await page.get("/")
            #expect(answer.status == 303)
            #expect(try await page.get("/sign-in").text.contains("no token, so nobody can sign in"))
            #expect(try await page.post("/sign-in", [("token", "")]).status == 403)
        }

        @Test(
            "Two installations on one host don't sign each other out; servers of one installation share the cookie",
            .installation)
        func neighbours() async throws {
            let first = try Installation.current
            try await Installation.with { second in
                // Databases of tests are copies of one that was made once.
                try await second.database.run(
                    "UPDATE attribution.schema_migration SET applied_at = applied_at + interval '1 microsecond'")
                let page = try await PageClient.start(on: first)
                try await page.signIn()
                let own = try #require(page.cookie)
                for (installation, changes, isOther) in [
                    (second, [:], true), (first, ["ADMIN_TOKEN": Self.other], true), (first, [:], false),
                ] as [(Installation, [String: String], Bool)] {
                    try await PageClient.with(changes, on: installation) { neighbour in
                        // A browser sends the cookies of a host to all of its ports.
                        let answer = try await neighbour.post(
                            "/sign-in", [("token", changes["ADMIN_TOKEN"] ?? Installation.token)],
                            [("Cookie", own)])
                        #expect(answer.status == 303)
                        let set = try #require(answer.headers.first(name: "Set-Cookie"))
                        let name = own.prefix { $0 != "=" } + "="
                        #expect(set.hasPrefix(name) != isOther, "\(set)")
                        guard isOther else { return }
                        page.cookie = own + "; " + String(set.prefix { $0 != ";" })
                        #expect(try await page.get("/").status == 200)
                        neighbour.cookie = page.cookie
                        #expect(try await neighbour.get("/").status == 200)
                        page.cookie = own
                    }
                }
            }
        }

        private static let other = "another-token-for-tests-of-32-characters"

        @Test(
            "There are a thousand sessions at most; the one that was not used for the longest time ends first",
            .installation)
        func bound() async throws {
            let (page, installation) = try await page()
            try await page.signIn()
            try await installation.database.run(
                """
                UPDATE attribution.page_session SET seen_at = now() - interval '5 minutes';
                INSERT INTO attribution.page_session (key, signed_in_at, seen_at)
                SELECT sha256(number::text::bytea), now(), now() FROM generate_series(1, 999) AS number
                """)
            let other = page.stranger()
            try await other.signIn()
            #expect(try await installation.database.value("SELECT count(*) FROM attribution.page_session") == "1000")
            #expect(try await page.get("/").status == 303)
            #expect(try await other.get("/").status == 200)
        }

        @Test("A made-up, doubled or spoilt cookie is no session", .installation)
        func madeUp() async throws {
            let (page, _) = try await page()
            try await page.signIn()
            let good = try #require(page.cookie)
            let name = good.prefix { $0 != "=" }
            for cookie in [
                "\(name)=", "\(name)=x", "\(name)=" + String(repeating: "A", count: 43),
                "\(name)=" + String(repeating: "A", count: 86), String(good.dropLast(43)), good + "A",
                good + "; " + good,
                "__Host-" + good, String(good.dropLast()), good.replacing("session-", with: "Session-"),
                good.replacing(name, with: "session"), good.replacing(name, with: "session-0123456789abcdef"),
            ] {
                page.cookie = cookie
                #expect(try await page.get("/").status == 303, "\(cookie)")
            }
            page.cookie = "other=1; \(good); more=2"
            #expect(try await page.get("/").status == 200)
        }
    }
}
