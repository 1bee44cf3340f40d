import AdAttribution
import Foundation
import PostbackSimulation
import Synchronization
import TestSupport
import Testing

extension ServerReportTests {
    @Suite(
        "PostbackServer export on a Citus cluster",
        .enabled(if: TestEnvironment.hasCluster, TestEnvironment.clusterReason))
    struct ClusterExportTests {
        /// Whether all shards have moved.
        private final class End: Sendable {
            private let state = Mutex(false)

            var isReached: Bool { state.withLock { $0 } }

            func reach() { state.withLock { $0 = true } }
        }

        /// Runs `export --follow` and kills it, again and again.
        private func followAndKill(_ folder: String, _ installation: Installation, until end: End) async throws {
            var round = 0
            while !end.isReached {
                round += 1
                try await EventFiles.followAndKill(round: round, reader: "killed", folder, installation) {
                    end.isReached
                }
            }
        }

        /// Delivers bodies so slowly that some are left for the last move.
        private func deliver(_ bodies: some Sequence<[UInt8]>, to client: PostbackClient, until end: End) async {
            _ = await client.stream(Array(bodies), clients: 2) { _, _ in
                try? await Task.sleep(for: .milliseconds(20))
                return !end.isReached
            }
        }

        @Test(
            "If servers and exports are killed while shards move, each event is exported once, and they give every report"
        )
        func killedWhileShardsMove() async throws {
            try await TestDatabase.$isDistributed.withValue(true) {
                try await Installation.with { installation in
                    let (database, folder) = (installation.database, installation.folder + "/events")
                    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                    let networks = ["example123.skadnetwork", "com.example"].compactMap(AdNetworkID.init)
                    let bodies = try await installation.keys.simulator(
                        .everything(seed: 41, count: 3_000, adNetworkIDs: networks)
                    ).bodiesConcurrently()
                    try await installation.withServer { second, other in
                        try await installation.withServer { first, client in
                            let end = End()
                            try await withThrowingTaskGroup(of: Void.self) { group in
                                group.addTask { await deliver(bodies.prefix(1_500), to: client, until: end) }
                                group.addTask { await deliver(bodies.suffix(1_500), to: other, until: end) }
                                group.addTask { try await followAndKill(folder, installation, until: end) }
                                do {
                                    defer { end.reach() }
                                    let lanes = try await database.openLanes()
                                    try await database.moveShard(ofLane: lanes[0])
                                    async let moved: Void = database.moveShard(ofLane: lanes[1])
                                    try await eventually("the shard is being copied") {
                                        try await database.isMovingShard() ? true : nil
                                    }
                                    try await first.kill()
                                    try await moved
                                    try await database.moveShard(ofLane: lanes[0])
                                }
                                try await group.waitForAll()
                            }
                        }
                        #expect(await other.stream(bodies, clients: 8).allSatisfy { $0?.status == 200 })
                        second.terminate()
                        #expect(try await second.exitCode() == 0)
                    }
                    let last = try await installation.run(["export", "--reader", "killed", folder])
                    #expect(last.code == 0, "\(last.errors)")
                    #expect(try EventFiles.events(in: folder) == (try await database.exportedEvents()))
                    let recount = try await database.recountInPython(["--events", folder])
                    #expect(recount.code == 0, "\(recount.text)")
                }
            }
        }
    }
}
