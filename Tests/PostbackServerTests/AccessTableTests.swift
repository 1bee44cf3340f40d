import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerReportTests {
    /// docs/access.md says for each route and each button who may use it.
    @Suite("What each scope may do")
    struct AccessTableTests {
        /// A table of the document: what is asked, and what each column says of it.
        private struct Table {
            let callers: [String]
            let rows: [(request: [String], may: [Bool])]

            /// The table whose header begins with a text.
            init(_ beginning: String) throws {
                let text = String(decoding: try TestEnvironment.file("docs/access.md"), as: UTF8.self)
                let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
                let start = try #require(lines.firstIndex { $0.hasPrefix("| \(beginning) |") })
                func cells(_ line: Substring) -> [String] {
                    line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                }
                callers = Array(cells(lines[start]).dropFirst())
                rows = try lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
                    let cells = cells(line)
                    let may = try cells.dropFirst().map { cell in
                        try #require(["yes": true, "no": false][cell] as Bool?, "\(line)")
                    }
                    return (cells[0].matches(of: /`([^`]+)`/).map { String($0.1) }, may)
                }
            }
        }

        /// The tokens of an installation, by the names of columns.
        private func tokens(_ installation: Installation, with more: [String] = []) async throws -> [String: String] {
            var tokens: [String: String] = [:]
            for scope in ["read", "load", "sign", "operate"] {
                let scopes = Set(more + [scope]).sorted().flatMap { ["--scope", $0] }
                let text = try await installation.succeed(["token", "add", "\(scope)-\(more.count)"] + scopes)
                tokens[scope] = text.trimmingCharacters(in: .whitespacesAndNewlines)
            }
            return tokens
        }

        @Test("Each route allows what the table says to a token of each scope, and no route is left out", .installation)
        func routes() async throws {
            let installation = try Installation.current
            let tokens = try await tokens(installation)
            let (server, client) = try await installation.start()
            let admin = try await client.admin(of: server)
            let table = try Table("request")
            #expect(table.callers == ["no token", "read", "load", "sign", "operate"])
            for (request, may) in table.rows {
                let parts = try #require(request.first).split(separator: " ")
                let path = [
                    "{kind}": "not_found", "{name}": "nothing", "{app}": "1", "{time}": "2026-01-01", "{load}": "1",
                ].reduce(String(parts[1])) { $0.replacing($1.key, with: $1.value) }
                for (caller, may) in zip(table.callers, may) {
                    let answer = try await admin.request(
                        HTTPMethod(rawValue: String(parts[0])), path,
                        headers: tokens[caller].map { [("Authorization", "Bearer \($0)")] } ?? [],
                        body: parts[0] == "POST" ? [] : nil)
                    let isRefused = [401, 403].contains(answer.status)
                    #expect(isRefused != may, "\(request) \(caller): \(answer.status)")
                    guard isRefused else { continue }
                    // Who is not known, and who lacks a scope.
                    #expect(answer.status == (tokens[caller] == nil ? 401 : 403), "\(request) \(caller)")
                    #expect(answer.headers["Content-Type"] == ["application/problem+json"])
                    let challenge = answer.headers.first(name: "WWW-Authenticate")
                    #expect(
                        tokens[caller] == nil
                            ? challenge == "Bearer" : challenge?.contains("insufficient_scope") == true)
                }
            }
            let description = try JSONSerialization.jsonObject(
                with: Data(try TestEnvironment.file("docs/openapi.json")))
            let paths = try #require((description as? [String: Any])?["paths"] as? [String: [String: Any]])
            let methods = ["get", "put", "post", "delete"]
            // The other paths are those of the public listener.
            let isPublic = { (path: String) in
                path.hasPrefix("/.well-known") || path == "/v1/app-store/notifications"
            }
            let described = paths.filter { !isPublic($0.key) }.flatMap { path, operations in
                operations.keys.filter(methods.contains).map { "\($0.uppercased()) \(path)" }
            }
            #expect(described.sorted() == table.rows.compactMap(\.request.first).sorted())
        }

        @Test("Metrics need a token with the scope read if METRICS_ACCESS says so", .installation)
        func metrics() async throws {
            let installation = try Installation.current
            let tokens = try await tokens(installation)
            let (server, client) = try await installation.start(["METRICS_ACCESS": "token"])
            let admin = try await client.admin(of: server)
            #expect(try await admin.request(.GET, "/metrics").status == 401)
            for (scope, token) in tokens {
                let answer = try await admin.request(
                    .GET, "/metrics", headers: [("Authorization", "Bearer \(token)")])
                #expect(answer.status == (scope == "read" ? 200 : 403), "\(scope)")
            }
            #expect(try await admin.request(.GET, "/health").status == 200)
        }

        @Test(
            "Each screen and button allows what the table says, shows nothing else, and none is left out", .installation
        )
        func page() async throws {
            let installation = try Installation.current
            let tokens = try await tokens(installation, with: ["read"])
            let (server, _) = try await installation.start()
            let nobody = try PageClient.start(port: try await server.port(of: "admin"))
            let table = try Table("screen or button")
            #expect(table.callers == ["nobody", "read", "load", "sign", "operate"])
            let absent = ["BODY": String(repeating: "0", count: 64), "NAME": "nothing", "EVENT": "0-0-0"]
            func path(_ request: [String]) -> String {
                absent.reduce(request[0]) { $0.replacing($1.key, with: $1.value) }
            }
            for (caller, place) in zip(table.callers, 0...) {
                let page = nobody.stranger()
                var csrf = ""
                if let token = tokens[caller] {
                    let answer = try await page.post("/sign-in", [("token", token)])
                    #expect(answer.status == 303, "\(caller): \(answer.text)")
                    page.cookie = answer.headers.first(name: "Set-Cookie").map { String($0.prefix { $0 != ";" }) }
                    csrf = try PageClient.csrf(try await page.get("/"))
                }
                for (request, may) in table.rows {
                    let answer =
                        try await request.count == 1
                        ? page.get(path(request)) : page.post(path(request), [("csrf", csrf), ("do", request[1])])
                    let isRefused = [303, 401, 403].contains(answer.status)
                    #expect(isRefused != may[place], "\(caller) \(request): \(answer.status)")
                    guard isRefused else { continue }
                    #expect(answer.status == (caller == "nobody" ? 303 : 403), "\(caller) \(request)")
                }
                guard caller != "nobody" else { continue }
                // What is shown is what may be used.
                let links = try await page.get("/").text.matches(
                    of: /<li><a href="([^"?]+)[^"]*"( aria-current="page")?>/
                )
                .map { String($0.1) }
                let screens = table.rows.filter { $0.request.count == 1 && $0.may[place] }.map(\.request[0])
                #expect(Set(links).isSubset(of: screens), "\(caller): \(links)")
                for screen in screens {
                    let shown = try await page.get(screen).text.matches(of: /name="do" value="([^"]*)"/)
                        .map { String($0.1) }
                    let allowed = table.rows.filter {
                        $0.request.count == 2 && $0.request[0] == screen && $0.may[place]
                    }
                    #expect(Set(shown).isSubset(of: allowed.map(\.request[1])), "\(caller) \(screen): \(shown)")
                }
            }
            // Whoever may do everything sees all screens; each of them is in the table.
            try await nobody.signIn()
            let all = try await nobody.get("/").text.matches(of: /<li><a href="([^"?]+)[^"]*"( aria-current="page")?>/)
                .map { String($0.1) }
            let rows = table.rows.filter { $0.request.count == 1 && $0.request[0] != "/campaign" }.map(\.request[0])
            #expect(Set(rows).isSubset(of: all), "\(all)")
            for screen in rows {
                let shown = try await nobody.get(screen).text.matches(of: /name="do" value="([^"]*)"/).map {
                    String($0.1)
                }
                let known = table.rows.filter { $0.request.count == 2 && $0.request[0] == screen }.map(\.request[1])
                #expect(Set(shown).isSubset(of: known), "\(screen): \(shown)")
                // Nothing was loaded, so nothing can be taken back.
                #expect(Set(known).subtracting(["take-back"]).isSubset(of: shown), "\(screen): \(shown)")
            }
        }
    }
}
