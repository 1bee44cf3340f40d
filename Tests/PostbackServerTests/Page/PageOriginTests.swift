import NIOHTTP1
import TestSupport
import Testing

extension ServerPageTests {
    @Suite("The page against other sites")
    struct PageOriginTests {
        private func page() async throws -> PageClient {
            let page = try await PageClient.start(on: Installation.current)
            try await page.signIn()
            return page
        }

        @Test("A form of another origin, or without the token of the session, changes nothing", .installation)
        func forgery() async throws {
            let page = try await page()
            let token = try PageClient.csrf(try await page.get("/"))
            let other = page.stranger()
            try await other.signIn()
            let others = try PageClient.csrf(try await other.get("/"))
            let own = "http://127.0.0.1:\(page.port)"
            for (fields, headers) in [
                ([], []), ([("csrf", "")], []), ([("csrf", others)], []), ([("csrf", token + "A")], []),
                ([("csrf", token)], [("Origin", "https://example.com")]), ([("csrf", token)], [("Origin", "null")]),
                ([("csrf", token)], [("Origin", "http://127.0.0.1:1")]),
                ([("csrf", token)], [("Origin", own + ".example.com")]),
                ([("csrf", token)], [("Sec-Fetch-Site", "cross-site")]),
                ([("csrf", token)], [("Sec-Fetch-Site", "same-site"), ("Origin", own)]),
                ([("csrf", token)], [("Sec-Fetch-Site", "none")]),
            ] as [([(String, String)], [(String, String)])] {
                let answer = try await page.post("/sign-out", fields, headers)
                #expect(answer.status == 403, "\(fields) \(headers)")
                #expect(answer.headers.first(name: "Content-Type") == "text/html; charset=utf-8")
            }
            // Without the cookie, which browsers keep back, nobody's cookie is removed.
            let unknown = try await page.stranger().post("/sign-out", [])
            #expect(unknown.status == 303 && unknown.headers["Set-Cookie"].isEmpty)
            #expect(try await page.get("/").status == 200)
            #expect(try await page.get("/sign-out").status == 405)
            let answer = try await page.post(
                "/sign-out", [("csrf", token)], [("Origin", own), ("Sec-Fetch-Site", "same-origin")])
            #expect(answer.status == 303)
            #expect(try await page.get("/").status == 303)
            let foreign = try await page.post(
                "/sign-in", [("token", Installation.token)], [("Origin", "https://example.com")])
            #expect(foreign.status == 403 && foreign.headers["Set-Cookie"].isEmpty)
        }

        @Test(
            "No two answers have a token in common, nor a part of one, so lengths of compressed answers tell none",
            .installation)
        func masked() async throws {
            let page = try await page()
            var tokens: [String] = []
            for _ in 0..<5 {
                let answer = try await page.get("/mapping")
                // The forms of one answer may share theirs.
                tokens += Set(answer.text.matches(of: /name="csrf" value="([^"]+)"/).map { String($0.1) })
            }
            #expect(tokens.count >= 5 && Set(tokens).count == tokens.count)
            // 12 characters are 72 bits. They may not come again, at any place.
            let parts = tokens.flatMap { token in (0...token.count - 12).map { token.dropFirst($0).prefix(12) } }
            #expect(Set(parts).count == parts.count)
            for token in tokens {
                #expect(try await page.post("/mapping", [("csrf", token), ("do", "check")]).status == 400)
            }
            let changed = (tokens[0].first == "A" ? "B" : "A") + tokens[0].dropFirst()
            #expect(try await page.post("/mapping", [("csrf", changed), ("do", "check")]).status == 403)
        }

        @Test("Nothing can frame a page, load scripts into it, store it or guess its type", .installation)
        func headers() async throws {
            let page = try await page()
            for path in [
                "/", "/sign-in", "/page.css", "/icon.svg", "/?from=wrong", "/?csv=installs", "/campaigns/nothing",
            ] {
                let answer = try await page.get(path)
                let policy = try #require(answer.headers.first(name: "Content-Security-Policy"), "\(path)")
                // Figures have a script of this server, which asks for nothing.
                let isFigures = path == "/"
                #expect(
                    policy
                        == "default-src 'none'; style-src 'self'; img-src 'self' data:;"
                        + (isFigures ? " script-src 'self';" : "")
                        + " form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
                #expect(answer.text.matches(of: /<script/).count == (isFigures ? 1 : 0))
                #expect(!isFigures || answer.text.contains("<script src=\"/copy.js\" defer></script>"))
                #expect(answer.headers.first(name: "X-Content-Type-Options") == "nosniff")
                #expect(answer.headers.first(name: "X-Frame-Options") == "DENY")
                #expect(answer.headers.first(name: "Referrer-Policy") == "same-origin")
                let isAsset = path.hasPrefix("/page") || path.hasPrefix("/icon")
                #expect(answer.headers.first(name: "Cache-Control") == (isAsset ? "max-age=300" : "no-store"))
                #expect(!answer.text.contains(" style="))
            }
        }

        @Test(
            "A link of another site leads to a page that goes on by itself, since the browser keeps the cookie back",
            .installation)
        func foreignLink() async throws {
            let page = try await page()
            let stranger = page.stranger()
            let answer = try await stranger.get(
                "/campaigns?network=a%22%3E%3Cscript%3E", [("Sec-Fetch-Site", "cross-site")])
            #expect(answer.status == 200)
            #expect(
                answer.text.contains(
                    "<meta http-equiv=\"refresh\" content=\"0; url=/campaigns?network=a%22%3E%3Cscript%3E\">"))
            // The next request comes from this page.
            let next = try await stranger.get("/campaigns", [("Sec-Fetch-Site", "same-origin")])
            #expect(next.status == 303)
        }

        @Test("The bearer token does not open the page, and a session does not open the API", .installation)
        func apart() async throws {
            let page = try await page()
            let report = try await page.get("/v1/reports")
            #expect(report.status == 401)
            let stranger = page.stranger()
            #expect(try await stranger.get("/", Installation.authorization).status == 303)
        }
    }
}
