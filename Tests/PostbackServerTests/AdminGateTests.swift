import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("What the admin listener refuses before anything else", .installation)
    struct AdminGateTests {
        /// The status of a request whose head is written as it stands here.
        private func status(_ port: Int, _ head: String) async throws -> Int {
            try await SocketClient.with(port: port) { client in
                let answer = try await client.exchange(Array("\(head)\r\n\r\n".utf8))
                return Int(answer.dropFirst("HTTP/1.1 ".count).prefix(3)) ?? 0
            }
        }

        @Test("A name that leads to this address is refused; localhost, addresses and the names of ADMIN_NAMES are not")
        func names() async throws {
            let installation = try Installation.current
            let names = ["ADMIN_NAMES": "attribution.internal, Postbacks.Example.com"]
            let (server, client) = try await installation.start(names)
            let port = try await server.port(of: "admin")
            for host in [
                "localhost", "localhost:\(port)", "LOCALHOST:1", "localhost.", "127.0.0.1:\(port)", "127.1.2.3",
                "[::1]:\(port)", "192.0.2.1", "a.localhost", "attribution.internal",
                "attribution.internal.:443", "postbacks.example.com:8081",
            ] {
                for path in ["/metrics", "/sign-in", "/health", "/errors/forbidden"] {
                    #expect(try await status(port, "GET \(path) HTTP/1.1\r\nHost: \(host)") == 200, "\(host)")
                }
            }
            for host in [
                "rebound.example.com", "rebound.example.com:\(port)", "internal", "x.attribution.internal",
                "localhost.example.com", "127.0.0.1.example.com", "127.1", "",
            ] {
                for path in ["/metrics", "/sign-in", "/health", "/", "/page.css", "/v1/reports", "/nothing"] {
                    #expect(try await status(port, "GET \(path) HTTP/1.1\r\nHost: \(host)") == 421, "\(host)")
                }
                #expect(try await status(port, "POST /sign-in HTTP/1.1\r\nHost: \(host)\r\nContent-Length: 0") == 421)
            }
            // A target in absolute form has the same host as Host.
            for (target, host, expected) in [
                ("http://localhost:1/metrics", "localhost:1", 200),
                ("http://LOCALHOST/metrics", "localhost", 200),
                ("http://rebound.example.com/metrics", "rebound.example.com", 421),
                ("http://rebound.example.com/metrics", "localhost", 400),
                ("http://localhost/metrics", "rebound.example.com", 400),
                ("http://localhost@rebound.example.com/metrics", "localhost", 400),
                ("http://rebound.example.com?a=://localhost/", "localhost", 400),
            ] {
                #expect(
                    try await status(port, "GET \(target) HTTP/1.1\r\nHost: \(host)") == expected,
                    "\(target) \(host)")
            }
            // No browser speaks HTTP/1.0, and probes do.
            #expect(try await status(port, "GET /metrics HTTP/1.0") == 200)
            #expect(try await status(port, "GET /metrics HTTP/1.0\r\nHost: rebound.example.com") == 421)
            #expect(try await status(port, "GET /metrics HTTP/1.1\r\nHost: a b") == 400)
            // The answer says what to do.
            let answer = try await client.admin(of: server).request(.GET, "/errors/misdirected")
            #expect(answer.text.contains("ADMIN_NAMES"))
            // Postbacks come under any name.
            let own = try await server.port(of: "postbacks")
            let path = PostbackClient.path
            #expect(try await status(own, "POST \(path) HTTP/1.1\r\nHost: x.example.com\r\nContent-Length: 0") == 400)
            #expect(try await status(own, "POST \(path) HTTP/1.1\r\nHost: \r\nContent-Length: 0") == 400)
        }

        @Test("The Unix socket, which no browser reaches, is asked by any name")
        func socketNames() async throws {
            let installation = try Installation.current
            let path = installation.folder + "/admin.sock"
            let (server, client) = try await installation.start(["ADMIN_SOCKET": path])
            try await server.listensOnSocket()
            let socket = try #require(path.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            for host in ["localhost", "any.example.com", "adattribution"] {
                var request = HTTPClientRequest(url: "http+unix://\(socket)/metrics")
                request.headers.add(name: "Host", value: host)
                let response = try await client.http.execute(request, timeout: .seconds(60))
                #expect(response.status == .ok, "\(host)")
                _ = try await response.body.collect(upTo: 1 << 22)
            }
        }

        @Test("A list with something else than names stops the start")
        func wrongNames() async throws {
            let installation = try Installation.current
            for names in ["a b", "a,,b", "http://a", "a:8081", "*.example.com", "[::1]", "10.0.0.1"] {
                let server = try ServerProcess(environment: installation.environment(["ADMIN_NAMES": names]))
                #expect(try await server.exitCode() == 78, "\(names)")
                #expect(server.lines.joined().contains("ADMIN_NAMES"))
            }
        }

        @Test("A path has one slash between its parts, and one behind them or none", .server)
        func slashes() async throws {
            let (_, server, _) = try RunningServer.current
            let page = try PageClient.start(port: try await server.port(of: "admin"))
            try await page.signIn()
            let cookie = try #require(page.cookie)
            for path in ["/metrics", "/metrics/", "/v1/reports", "/v1/reports/", "/live", "/live/", "/"] {
                #expect(try await page.get(path, Installation.authorization).status == 200, "\(path)")
            }
            for path in [
                "//metrics", "/metrics//", "/v1//reports", "//v1/reports", "//", "//live", "/live//",
                "//live/",
                "/campaigns//", "//sign-in", "//page.css",
            ] {
                let url = "GET \(path) HTTP/1.1\r\nHost: localhost\r\nCookie: \(cookie)"
                let token = "\r\nAuthorization: Bearer \(Installation.token)"
                #expect(try await status(page.port, url + token) == 404, "\(path)")
            }
            let port = try await server.port(of: "postbacks")
            let head = "HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0"
            #expect(try await status(port, "POST \(PostbackClient.path)/ \(head)") == 400)
            for path in [
                "/" + PostbackClient.path, PostbackClient.path + "//",
                "/.well-known//skadnetwork/report-attribution",
            ] {
                #expect(try await status(port, "POST \(path) \(head)") == 404, "\(path)")
            }
        }

        @Test("No answer of either listener lets a browser guess its type", .server)
        func types() async throws {
            let (_, server, client) = try RunningServer.current
            let admin = try await client.admin(of: server)
            for (path, headers) in [
                ("/health", []), ("/metrics", []), ("/ready", []), ("/openapi.json", []),
                ("/errors/forbidden", []),
                ("/nothing", []), ("/v1/reports", []), ("/v1/reports", Installation.authorization),
                ("/v1/reports/install_campaign?format=csv", Installation.authorization),
                ("/v1/reports/install_campaign?color=red", Installation.authorization),
                ("/v1/events", Installation.authorization), ("/", []), ("/sign-in", []), ("/page.css", []),
                ("/metrics", [("Host", "rebound.example.com")]),
                ("/health", [("X-Long", String(repeating: "x", count: 20_000))]),
            ] as [(String, [(String, String)])] {
                let answer = try await admin.request(.GET, path, headers: headers)
                #expect(answer.headers["X-Content-Type-Options"] == ["nosniff"], "\(path) \(answer.status)")
            }
            let link = try await admin.request(
                .POST, "/v1/impressions", headers: Installation.authorization, body: Array("{}".utf8))
            #expect(link.headers["X-Content-Type-Options"] == ["nosniff"])
            for answer in [
                try await client.post(TestKeys.apple()), try await client.post(Array("{}".utf8)),
                try await client.post([UInt8](repeating: 0x20, count: 20_000)),
                try await client.request(.GET, "/"), try await client.request(.GET, PostbackClient.path),
            ] {
                #expect(answer.headers["X-Content-Type-Options"] == ["nosniff"], "\(answer.status)")
            }
        }
    }
}
