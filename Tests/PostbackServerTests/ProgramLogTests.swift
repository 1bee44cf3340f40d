import NIOHTTP1
import TestSupport
import Testing

extension ServerTests {
    @Suite("The program's log", .installation)
    struct ProgramLogTests {
        @Test(
            "If nobody reads the log, the server goes on and ends as always, and dropped lines are counted",
            arguments: ["json", "text"])
        func unread(format: String) async throws {
            let installation = try Installation.current
            let server = try UnreadServer(
                environment: installation.environment(["LOG_LEVEL": "trace", "LOG_FORMAT": format]))
            try await PostbackClient.with(port: server.port(of: "postbacks")) { client in
                let admin = PostbackClient(http: client.http, port: try server.port(of: "admin"))
                // Each refusal is a line. The pipe holds 64 KiB and the queue 1 MiB.
                let refused = Array(repeating: Array("{}".utf8), count: 1_000)
                try await eventually("lines are dropped") {
                    let answers = await client.stream(refused, clients: 64)
                    #expect(answers.allSatisfy { $0?.status == 400 })
                    let metrics = try await admin.request(.GET, "/metrics").text
                    return metrics.firstMatch(of: /\nadattribution_log_lines_dropped_total [1-9]/).map { _ in true }
                }
                #expect(try await admin.request(.GET, "/health").status == 200)
                #expect(try await admin.request(.GET, "/ready").status == 200)
                let bodies = try installation.keys.simulate(seed: 7, count: 200)
                let answers = await client.stream(bodies, clients: 16)
                #expect(answers.allSatisfy { $0?.status == 200 })
            }
            #expect(try await server.terminate() == 0)
            #expect(try await installation.database.value("SELECT count(*) FROM attribution.postback") == "200")
        }

        @Test("If the reader of the log goes away, the server goes on")
        func closed() async throws {
            let installation = try Installation.current
            let server = try UnreadServer(environment: installation.environment(["LOG_LEVEL": "trace"]))
            try server.closeLog()
            try await PostbackClient.with(port: server.port(of: "postbacks")) { client in
                let admin = PostbackClient(http: client.http, port: try server.port(of: "admin"))
                #expect(try await client.post(Array("{}".utf8)).status == 400)
                try await eventually("the lines are counted") {
                    let metrics = try await admin.request(.GET, "/metrics").text
                    return metrics.firstMatch(of: /\nadattribution_log_lines_dropped_total [1-9]/).map { _ in true }
                }
                #expect(try await client.post(TestKeys.apple()).outcome == "accepted")
            }
            #expect(try await server.terminate() == 0)
        }
    }
}
