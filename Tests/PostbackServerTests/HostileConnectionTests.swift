import NIOHTTP1
import TestSupport
import Testing

extension ServerTests {
    @Suite("Hostile connections", .installation)
    struct HostileConnectionTests {
        private static let get = "GET /nothing HTTP/1.1\r\nHost: h\r\n\r\n"
        /// What each kind of them sends.
        private static let kinds = [
            "", "GET / HT", "POST \(PostbackClient.path) HTTP/1.1\r\nHost: h\r\nContent-Length: 500\r\n\r\n{",
            String(repeating: get, count: 20_000), get,
        ]

        /// Sums a metric of the public listener.
        private func metric(_ name: String, _ label: String, _ admin: PostbackClient) async throws -> Int {
            try await admin.request(.GET, "/metrics").text.split(separator: "\n")
                .filter { $0.hasPrefix(name + "{") && $0.contains("listener=\"postbacks\"") && $0.contains(label) }
                .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }
                .reduce(0) { $0 + Int($1) }
        }

        @Test("If hostile connections fill the listener, each postback on a new connection is still served")
        func everyoneIsServed() async throws {
            let installation = try Installation.current
            try await installation.withServer(["HTTP_MAX_CONNECTIONS": "64"]) { server, client in
                let adminPort = try await server.port(of: "admin")
                let hostile = HostileSockets(port: client.port)
                for kind in Self.kinds { try hostile.open(60, sending: kind) }
                let bodies = try installation.keys.simulate(seed: 21, count: 100)
                for (number, body) in bodies.enumerated() {
                    try hostile.open(3, sending: Self.kinds[number % Self.kinds.count])
                    let answer = try await client.request(
                        .POST, PostbackClient.path, headers: [("Connection", "close")], body: body)
                    #expect(answer.status == 200)
                }
                try await PostbackClient.with(port: adminPort) { admin in
                    let open = try await metric("adattribution_http_connections", "", admin)
                    #expect(open <= 64 + 32)
                    let closed = try await metric(
                        "adattribution_http_connections_closed_total", "reason=\"room\"", admin)
                    #expect(closed > 400)
                }
                hostile.close()
            }
            let stored = try await installation.database.value("SELECT count(*) FROM attribution.postback")
            #expect(stored == "100")
        }

        @Test("Clients that pipeline thousands of requests are closed after a few of them, and nobody else is", .server)
        func neverReading() async throws {
            let (_, server, client) = try RunningServer.current
            let adminPort = try await server.port(of: "admin")
            let hostile = HostileSockets(port: client.port)
            try hostile.open(50, sending: Self.kinds[3])
            _ = try await PostbackClient.with(port: adminPort) { admin in
                try await eventually("all of them are closed") {
                    let answer = try await client.post(TestKeys.apple())
                    #expect(answer.status == 200)
                    let closed = try await metric(
                        "adattribution_http_connections_closed_total", "reason=\"requests\"", admin)
                    #expect(closed <= 50)
                    let left = try await metric("adattribution_http_connections", "state=\"new\"", admin)
                    return closed == 50 && left == 0 ? true : nil
                }
            }
            hostile.close()
        }
    }
}
