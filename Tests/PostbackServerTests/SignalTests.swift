import NIOHTTP1
import TestSupport
import Testing

extension ServerTests {
    @Suite("Signals")
    struct SignalTests {
        @Test("SIGHUP is logged and ends nothing, and SIGTERM still drains afterwards", .server)
        func hangup() async throws {
            let (_, server, client) = try RunningServer.current
            #expect(try await client.post(TestKeys.apple()).outcome == "accepted")
            for count in 1...2 {
                server.hangUp()
                try await eventually("the signal is logged") {
                    server.lines.count { $0.contains("\"message\":\"SIGHUP\"") } == count ? true : nil
                }
            }
            #expect(try await client.post(TestKeys.apple()).outcome == "duplicate")
            server.terminate()
            #expect(try await server.exitCode() == 0)
        }
    }
}
