import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("Guessing the admin token")
    struct WrongTokenTests {
        @Test(
            "A wrong token is answered 401 in both ways in, however many come; it is counted and logged, and not shown",
            .server)
        func guessing() async throws {
            let (_, server, client) = try RunningServer.current
            let admin = try await client.admin(of: server)
            let guess = "not-the-token-4711"
            // Far more than may wait, at once.
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<30 {
                    group.addTask {
                        try await admin.request(.POST, "/sign-in", body: Array("token=\(guess)".utf8)).status
                    }
                    group.addTask {
                        try await admin.request(
                            .GET, "/v1/reports", headers: [("Authorization", "Bearer \(guess)")]
                        ).status
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 401, count: 60), "\(statuses)")
            // No token is no guess.
            #expect(try await admin.request(.GET, "/v1/reports").status == 401)
            let metrics = try await admin.request(.GET, "/metrics").text
            #expect(metrics.contains("\nadattribution_sign_in_failures_total{way=\"bearer\"} 30\n"))
            #expect(metrics.contains("\nadattribution_sign_in_failures_total{way=\"form\"} 30\n"))
            // Nobody is locked out, and who signs in is in the log.
            let right = try await admin.request(.GET, "/v1/reports", headers: Installation.authorization)
            #expect(right.status == 200)
            try await PageClient.with(port: admin.port) { try await $0.signIn() }
            try await eventually("the sign-in is logged") {
                server.lines.contains { $0.contains("signed in to the page") && $0.contains("127.0.0.1") }
                    ? true : nil
            }
            let lines = server.lines.filter { $0.contains("a wrong admin token was refused") }
            #expect(!lines.isEmpty && lines.count < 60)
            #expect(lines.allSatisfy { $0.contains("\"from\":\"127.0.0.1\"") && $0.contains("\"way\":") }, "\(lines)")
            #expect(!server.lines.joined().contains("4711"))
            #expect(!server.lines.joined().contains(Installation.token))
        }
    }
}
