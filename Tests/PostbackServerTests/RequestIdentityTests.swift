import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("Ids of requests and traces")
    struct RequestIdentityTests {
        private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        private static let headers = [
            ("X-Request-ID", "from-the-proxy.1"), ("traceparent", "00-\(trace)-00f067aa0ba902b7-01"),
        ]
        private static let unsigned = Array("{\"version\":\"4.0\"}".utf8)

        private func id(_ answer: PostbackClient.Answer) throws -> String {
            let ids = answer.headers["X-Request-ID"]
            #expect(ids.count == 1)
            return try #require(ids.first)
        }

        /// The line of the log with a message and the id of a request.
        private func line(_ message: String, _ id: String, _ server: ServerProcess) async throws -> String {
            try await eventually("\(message) is logged with \(id)") {
                server.lines.first { $0.contains("\"\(message)\"") && $0.contains("\"request_id\":\"\(id)\"") }
            }
        }

        @Test(
            "A trusted peer's id and trace stand in the log, and the id in the answer, on both listeners", .installation
        )
        func trusted() async throws {
            let (server, client) = try await Installation.current.start([
                "FORWARDED_HEADER": "X-Forwarded-For", "TRUSTED_PROXIES": "127.0.0.1",
                "ADMIN_TRUSTED_PROXIES": "127.0.0.1", "LOG_LEVEL": "debug",
            ])
            let admin = try await client.admin(of: server)
            let refused = try await client.request(
                .POST, PostbackClient.path, headers: Self.headers, body: Self.unsigned)
            #expect(try id(refused) == "from-the-proxy.1")
            let guess = try await admin.request(
                .GET, "/v1/reports", headers: Self.headers + [("Authorization", "Bearer not-the-token")])
            #expect(guess.status == 401)
            #expect(try id(guess) == "from-the-proxy.1")
            for message in ["postback refused", "a wrong admin token was refused"] {
                let line = try await line(message, "from-the-proxy.1", server)
                #expect(
                    line.contains("\"trace_id\":\"\(Self.trace)\"") && line.contains("\"span_id\":\"00f067aa0ba902b7\"")
                )
                #expect(!line.contains("hb.request.id"))
            }
        }

        @Test("Ids of trusted peers that are not well formed, too long or there twice are replaced", .installation)
        func malformed() async throws {
            let (server, client) = try await Installation.current.start([
                "FORWARDED_HEADER": "X-Forwarded-For", "TRUSTED_PROXIES": "127.0.0.1",
                "ADMIN_TRUSTED_PROXIES": "127.0.0.1",
            ])
            let admin = try await client.admin(of: server)
            let wrong = [
                ["a b"], ["a\"b"], ["é"], [String(repeating: "a", count: 129)], ["one", "two"], [""],
            ].map { $0.map { ("X-Request-ID", $0) } }
            for headers in wrong {
                for (target, path) in [(client, PostbackClient.path), (admin, "/health")] {
                    let answer = try await target.request(
                        target.port == admin.port ? .GET : .POST, path, headers: headers,
                        body: target.port == admin.port ? nil : Self.unsigned)
                    #expect(try id(answer).wholeMatch(of: /[0-9a-f]{16}-[0-9a-f]+/) != nil, "\(headers)")
                }
            }
            let longest = String(repeating: "a", count: 128)
            #expect(try id(try await admin.request(.GET, "/health", headers: [("X-Request-ID", longest)])) == longest)
        }

        @Test(
            "Nothing of a peer that is not trusted is taken: each answer has an id of the server's own", .installation)
        func untrusted() async throws {
            let (server, client) = try await Installation.current.start(["LOG_LEVEL": "debug"])
            let admin = try await client.admin(of: server)
            var ids: Set<String> = []
            for _ in 0..<3 {
                ids.insert(
                    try id(
                        try await client.request(
                            .POST, PostbackClient.path, headers: Self.headers, body: Self.unsigned)))
                ids.insert(try id(try await client.request(.GET, "/nowhere", headers: Self.headers)))
                ids.insert(try id(try await admin.request(.GET, "/health", headers: Self.headers)))
                ids.insert(try id(try await admin.request(.GET, "/v1/reports", headers: Self.headers)))
            }
            #expect(ids.count == 12 && ids.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{16}-[0-9a-f]+/) != nil }, "\(ids)")
            try await eventually("a refused postback is logged with one of these ids") {
                server.lines.contains { line in
                    line.contains("postback refused") && ids.contains { line.contains("\"request_id\":\"\($0)\"") }
                } ? true : nil
            }
            #expect(!server.lines.joined().contains(Self.trace))
            #expect(!server.lines.joined().contains("from-the-proxy"))
        }
    }
}
