import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerPageTests {
    @Suite("People whom a proxy signs on")
    struct SignOnProxyTests {
        private static let settings = [
            "ADMIN_USER_HEADER": "X-User,X-Scopes", "ADMIN_TRUSTED_PROXIES": "127.0.0.1",
        ]

        private func headers(_ user: String, _ scopes: String) -> [(String, String)] {
            [("X-User", user), ("X-Scopes", scopes)]
        }

        /// A browser that the proxy has signed on.
        private func signIn(_ page: PageClient, _ headers: [(String, String)]) async throws {
            let answer = try await page.get("/sign-in?next=%2Fspend", headers)
            #expect(answer.status == 303 && answer.headers.first(name: "Location") == "/spend", "\(answer.text)")
            page.cookie = answer.headers.first(name: "Set-Cookie").map { String($0.prefix { $0 != ";" }) }
        }

        @Test("The headers sign a user on to the page, with the scopes of each request and no others", .installation)
        func page() async throws {
            let page = try await PageClient.start(Self.settings, on: try Installation.current)
            let reader = headers("ann@example.com", "staff,read")
            #expect(try await page.get("/", reader).status == 303)
            try await signIn(page, reader)
            let screen = try await page.get("/spend", reader)
            #expect(screen.status == 200 && screen.text.contains("user ann@example.com"))
            #expect(!screen.text.contains("value=\"load-spend\""))
            let csrf = try PageClient.csrf(screen)
            let fields = [("csrf", csrf), ("do", "check-spend")]
            #expect(try await page.post("/spend", fields, reader).status == 403)
            // The proxy says more of the next request.
            let loader = headers("ann@example.com", "read load")
            #expect(try await page.get("/spend", loader).text.contains("value=\"load-spend\""))
            #expect(try await page.post("/spend", fields, loader).status == 400)
            // Without the header, or with another user in it, the session is nobody's.
            #expect(try await page.get("/spend").status == 303)
            #expect(try await page.get("/spend", headers("bob", "read")).status == 303)
            #expect(try await page.get("/trail", loader).status == 403)
        }

        @Test("Without the scope read, or with a header that is there twice, nobody is signed on", .installation)
        func refused() async throws {
            let page = try await PageClient.start(Self.settings, on: try Installation.current)
            let answer = try await page.get("/sign-in", headers("ann", "load"))
            #expect(answer.status == 403 && answer.headers["Set-Cookie"].isEmpty)
            for headers in [
                headers("ann", "read") + [("X-User", "bob")], headers("ann", "read") + [("X-Scopes", "operate")],
                headers("a n", "read"), headers("", "read"), [("X-Scopes", "read")],
            ] {
                let answer = try await page.get("/sign-in", headers)
                #expect(answer.status == 200 && answer.headers["Set-Cookie"].isEmpty, "\(headers)")
            }
        }

        @Test("Headers of a peer that is not trusted are not read, whatever the public listener trusts", .installation)
        func untrusted() async throws {
            let installation = try Installation.current
            for changes in [
                ["ADMIN_USER_HEADER": "X-User,X-Scopes", "ADMIN_TRUSTED_PROXIES": "192.0.2.1"],
                ["TRUSTED_PROXIES": "127.0.0.1", "FORWARDED_HEADER": "X-User"],
            ] {
                try await PageClient.with(changes, on: installation) { page in
                    let answer = try await page.get("/sign-in", headers("ann", "read load sign operate"))
                    #expect(answer.status == 200 && answer.headers["Set-Cookie"].isEmpty, "\(changes)")
                }
            }
        }

        @Test("A page of another site can't make a browser sign on again and again", .installation)
        func otherSite() async throws {
            let installation = try Installation.current
            let page = try await PageClient.start(Self.settings, on: installation)
            let reader = headers("ann", "read")
            let answer = try await page.get("/sign-in", reader + [("Sec-Fetch-Site", "cross-site")])
            #expect(answer.status == 200 && answer.headers["Set-Cookie"].isEmpty)
            try await signIn(page, reader)
            let again = try await page.get("/sign-in", reader)
            #expect(again.status == 303 && again.headers["Set-Cookie"].isEmpty)
            #expect(try await installation.database.value("SELECT count(*) FROM attribution.page_session") == "1")
            #expect(
                try await installation.database.value("SELECT string_agg(person, ' ') FROM attribution.trail")
                    == "user ann")
        }

        @Test("The headers open no path of the API", .installation)
        func api() async throws {
            let page = try await PageClient.start(Self.settings, on: try Installation.current)
            for path in ["/v1/reports", "/v1/trail"] {
                #expect(try await page.get(path, headers("ann", "read operate")).status == 401)
            }
        }

        @Test("Who signs out is told that the proxy signs on again", .installation)
        func signOut() async throws {
            let page = try await PageClient.start(Self.settings, on: try Installation.current)
            let reader = headers("ann", "read")
            try await signIn(page, reader)
            let csrf = try PageClient.csrf(try await page.get("/", reader))
            let answer = try await page.post("/sign-out", [("csrf", csrf)], reader)
            #expect(answer.status == 200 && answer.text.contains("Sign in again"))
            #expect(answer.headers.first(name: "Set-Cookie")?.contains("Max-Age=0") == true)
            #expect(try await page.get("/", reader).status == 303)
        }

        @Test("The settings need each other, and ADMIN_TOKEN; a wrong one stops the start", .installation)
        func settings() async throws {
            let installation = try Installation.current
            for (changes, name) in [
                (["ADMIN_USER_HEADER": "X-User,X-Scopes"], "ADMIN_TRUSTED_PROXIES"),
                (Self.settings.merging(["ADMIN_TOKEN": ""]) { $1 }, "ADMIN_TOKEN"),
                (Self.settings.merging(["ADMIN_USER_HEADER": "X-User"]) { $1 }, "ADMIN_USER_HEADER"),
                (Self.settings.merging(["ADMIN_USER_HEADER": "X-User,X-User"]) { $1 }, "ADMIN_USER_HEADER"),
                (Self.settings.merging(["ADMIN_TRUSTED_PROXIES": "anybody"]) { $1 }, "ADMIN_TRUSTED_PROXIES"),
                (["METRICS_ACCESS": "closed"], "METRICS_ACCESS"),
                (["TRAIL_RETENTION_DAYS": "29"], "TRAIL_RETENTION_DAYS"),
            ] {
                let result = try await installation.run(["serve"], changes)
                #expect(result.code == 78 && result.errors.contains("\(name): "), "\(changes): \(result.errors)")
            }
        }
    }
}
