import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("Signing in to the page")
    struct PageSessionTests {
        private func withPage(
            _ changes: [String: String] = [:], _ body: (PageClient, Installation) async throws -> Void
        ) async throws {
            try await Installation.with { installation in
                try await PageClient.with(changes, on: installation) { try await body($0, installation) }
            }
        }

        @Test("Without a session every screen leads to the form, and back to the address afterwards")
        func form() async throws {
            try await withPage { page, _ in
                let away = try await page.get("/?environment=test&from=2026-09-01")
                #expect(away.status == 303)
                let address = try #require(away.headers.first(name: "Location"))
                #expect(address == "/sign-in?next=%2F%3Fenvironment%3Dtest%26from%3D2026-09-01")
                let form = try await page.get(address)
                #expect(form.status == 200)
                #expect(form.text.contains("name=\"next\" value=\"/?environment=test&amp;from=2026-09-01\""))
                let answer = try await page.post(
                    "/sign-in", [("token", Installation.token), ("next", "/?environment=test&from=2026-09-01")])
                #expect(answer.status == 303)
                #expect(answer.headers.first(name: "Location") == "/?environment=test&from=2026-09-01")
                // Only addresses of this server.
                for next in [
                    "//example.com", "https://example.com", "/\\example.com", "/a\r\nSet-Cookie: x", "sign-out", "",
                ] {
                    let answer = try await page.post("/sign-in", [("token", Installation.token), ("next", next)])
                    #expect(answer.status == 303 && answer.headers.first(name: "Location") == "/", "\(next)")
                }
            }
        }

        @Test(
            "The cookie is out of reach of scripts and other sites, and Secure behind https; the database has a digest only"
        )
        func cookie() async throws {
            try await withPage { page, installation in
                let plain = try await page.post("/sign-in", [("token", Installation.token)])
                let set = try #require(plain.headers.first(name: "Set-Cookie"))
                #expect(
                    set.wholeMatch(of: /session-[0-9a-f]{16}=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict/)
                        != nil, "\(set)"
                )
                for header in [("X-Forwarded-Proto", "https"), ("Forwarded", "for=192.0.2.1;proto=https")] {
                    let secure = try await page.post("/sign-in", [("token", Installation.token)], [header])
                    let set = try #require(secure.headers.first(name: "Set-Cookie"))
                    #expect(set.hasPrefix("__Host-session-") && set.hasSuffix("; SameSite=Strict; Secure"), "\(set)")
                    #expect(set.contains("; Path=/; HttpOnly; "))
                }
                let secret = set.drop { $0 != "=" }.dropFirst().prefix(43)
                let padded = secret.replacing("-", with: "+").replacing("_", with: "/") + "="
                let bytes = try #require(Data(base64Encoded: String(padded)))
                let hexadecimal = bytes.map { String(format: "%02x", $0) }.joined()
                let stored = try await installation.database.column(
                    "SELECT encode(key, 'hex') FROM attribution.page_session")
                #expect(stored.count == 3 && !stored.contains(hexadecimal))
            }
        }

        @Test("A wrong token is refused with a message, is not shown again, and only a few wait at once")
        func wrongToken() async throws {
            try await Installation.with { installation in
                try await installation.withServer { server, _ in
                    try await PageClient.with(port: try await server.port(of: "admin")) { page in
                        let answer = try await page.post("/sign-in", [("token", "not-the-token-4711")])
                        #expect(answer.status == 403)
                        #expect(answer.text.contains("class=\"error-summary\" role=\"alert\""))
                        #expect(
                            answer.text.contains("<a href=\"#token\">This is not the admin token of this server.</a>"))
                        #expect(!answer.text.contains("4711") && answer.headers["Set-Cookie"].isEmpty)
                        #expect(try await page.post("/sign-in", []).status == 403)
                        // Far more than may wait, at once.
                        let client = page.client
                        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                            for _ in 0..<60 {
                                group.addTask {
                                    try await client.request(
                                        .POST, "/sign-in", body: Array("token=not-the-token-4711".utf8)
                                    ).status
                                }
                            }
                            return try await group.reduce(into: [Int]()) { $0.append($1) }
                        }
                        #expect(
                            statuses.allSatisfy { [403, 429].contains($0) } && statuses.contains(429), "\(statuses)")
                        // Nobody is locked out.
                        try await eventually("the token is taken") {
                            try await page.post("/sign-in", [("token", Installation.token)]).status == 303 ? true : nil
                        }
                        #expect(!server.lines.joined().contains("4711"))
                        #expect(!server.lines.joined().contains(Installation.token))
                    }
                }
            }
        }

        @Test("Signing out ends the session on all servers, and a copy of the cookie is worth nothing")
        func signOut() async throws {
            try await Installation.with { installation in
                try await PageClient.with(on: installation) { first in
                    try await PageClient.with(on: installation) { second in
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
                }
            }
        }

        @Test("A session ends after half an hour without a request, after twelve hours, and with another admin token")
        func ends() async throws {
            try await Installation.with { installation in
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
                try await PageClient.with(["ADMIN_TOKEN": "another-token"], on: installation) { page in
                    page.cookie = cookie
                    let answer = try await page.get("/")
                    #expect(answer.status == 303)
                }
                try await PageClient.with(["ADMIN_TOKEN": ""], on: installation) { page in
                    page.cookie = cookie
                    let answer = try await page.get("/")
                    #expect(answer.status == 303)
                    #expect(try await page.get("/sign-in").text.contains("no admin token, so nobody can sign in"))
                    #expect(try await page.post("/sign-in", [("token", "")]).status == 403)
                }
            }
        }

        @Test("Two installations on one host don't sign each other out; servers of one installation share the cookie")
        func neighbours() async throws {
            try await Installation.with { first in
                try await Installation.with { second in
                    // Databases of tests are copies of one that was made once.
                    try await second.database.run(
                        "UPDATE attribution.schema_migration SET applied_at = applied_at + interval '1 microsecond'")
                    try await PageClient.with(on: first) { page in
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
            }
        }

        private static let other = "another-token-for-tests-of-32-characters"

        @Test("There are a thousand sessions at most; the one that was not used for the longest time ends first")
        func bound() async throws {
            try await withPage { page, installation in
                try await page.signIn()
                try await installation.database.run(
                    """
                    UPDATE attribution.page_session SET seen_at = now() - interval '5 minutes';
                    INSERT INTO attribution.page_session (key, signed_in_at, seen_at)
                    SELECT sha256(number::text::bytea), now(), now() FROM generate_series(1, 999) AS number
                    """)
                let other = page.stranger()
                try await other.signIn()
                #expect(
                    try await installation.database.value("SELECT count(*) FROM attribution.page_session") == "1000")
                #expect(try await page.get("/").status == 303)
                #expect(try await other.get("/").status == 200)
            }
        }

        @Test("A made-up, doubled or spoilt cookie is no session")
        func madeUp() async throws {
            try await withPage { page, _ in
                try await page.signIn()
                let good = try #require(page.cookie)
                let name = good.prefix { $0 != "=" }
                for cookie in [
                    "\(name)=", "\(name)=x", "\(name)=" + String(repeating: "A", count: 43), good + "A",
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
}
