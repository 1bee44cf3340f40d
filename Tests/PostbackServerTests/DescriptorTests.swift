import NIOHTTP1
import TestSupport
import Testing

extension ServerTests {
    @Suite("File descriptors", .installation)
    struct DescriptorTests {
        @Test("If few files may be open, silent clients leave room for health, readiness and the database")
        func fewDescriptors() async throws {
            let installation = try Installation.current
            try await installation.withServer(openFiles: 256) { server, client in
                let line = try #require(server.lines.first { $0.contains("limit of open files") })
                #expect(line.contains("\"open_files\":\"256\"") && line.contains("\"wanted\":\"4096\""), "\(line)")
                let adminPort = try await server.port(of: "admin")
                // This connection stays open while the silent ones are there.
                #expect(try await client.post(TestKeys.apple()).outcome == "accepted")
                let silent = HostileSockets(port: client.port)
                try silent.open(600)
                defer { silent.close() }
                let statuses = try await PostbackClient.with(port: adminPort) { admin in
                    var statuses: [Int] = []
                    for path in Array(repeating: ["/health", "/ready"], count: 20).joined() {
                        statuses.append(try await admin.request(.GET, path).status)
                    }
                    return statuses
                }
                #expect(statuses == Array(repeating: 200, count: 40))
                // Postbacks of both lanes and of new campaigns need every kind of connection to the database.
                let bodies = try installation.keys.simulate(seed: 8, count: 40)
                for body in bodies { #expect(try await client.post(body).outcome == "accepted") }
                #expect(try await client.post(Array("{}".utf8)).status == 400)
                #expect(server.isRunning)
            }
            let stored = try await installation.database.value("SELECT count(*) FROM attribution.postback")
            #expect(stored == "41")
        }

        @Test("A limit that leaves no connection for clients stops the start")
        func tooFewDescriptors() async throws {
            let installation = try Installation.current
            let server = try ServerProcess(environment: installation.environment(), openFiles: 64)
            #expect(try await server.exitCode() == 78)
            #expect(server.lines.contains { $0.contains("HTTP_MAX_CONNECTIONS: ") && $0.contains("is 64") })
        }
    }
}
