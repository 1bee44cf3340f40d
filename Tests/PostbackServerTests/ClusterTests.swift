import Foundation
import TestSupport
import Testing

extension ServerTests {
    @Suite(
        "PostbackServer on a Citus cluster", .enabled(if: TestEnvironment.hasCluster, TestEnvironment.clusterReason))
    struct ClusterTests {
        @Test("distribute says what it does, is refused while a server runs, and servers then count as before")
        func commands() async throws {
            try await TestDatabase.$isDistributed.withValue(true) {
                try await Installation.with(migrated: false) { installation in
                    try await installation.database.migrate(lanes: 2)
                    let bodies = try installation.keys.simulate(seed: 31, count: 400)
                    try await installation.withServer { _, client in
                        #expect(await client.stream(Array(bodies[..<200]), clients: 8).allSatisfy { $0?.status == 200 })
                        let refused = try await installation.run(["distribute"])
                        #expect(refused.code == 78 && refused.errors.contains("stop them first"), "\(refused)")
                    }
                    let dry = try await installation.run(["distribute", "--dry-run"])
                    #expect(dry.code == 0 && dry.output.contains("to 16 new ones"), "\(dry)")
                    #expect(try await installation.database.value("SELECT attribution.is_distributed()") == "false")
                    let done = try await installation.run(["distribute"])
                    #expect(done.code == 0 && done.output.hasSuffix("recount: all figures are right\n"), "\(done)")

                    let archive = try installation.write(bodies, to: "a.ndjson")
                    try await installation.withServer { server, client in
                        #expect(await client.stream(bodies, clients: 8).allSatisfy { $0?.status == 200 })
                        let imported = try await installation.run(["import", archive])
                        #expect(imported.output.hasPrefix("imported: 0 accepted, 0 raised"), "\(imported)")
                        server.terminate()
                        #expect(try await server.exitCode() == 0)
                    }
                    #expect(try await installation.database.value("SELECT count(*) FROM attribution.postback") == "400")
                    for command in [["fold"], ["report", "campaign"], ["undistribute"], ["distribute"]] {
                        let result = try await installation.run(command)
                        #expect(result.code == 0 && result.errors.isEmpty, "\(command) \(result)")
                    }
                    #expect(try await installation.database.recount() == [])
                    let python = try await installation.database.recountInPython()
                    #expect(python.code == 0, "\(python.text)")
                }
            }
        }
    }
}
