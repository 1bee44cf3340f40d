import AdAttribution
import Foundation
import PostbackSimulation
import TestSupport
import Testing

extension ServerTests {
    @Suite("A mixed stream")
    struct MixedStreamTests {
        private static let developerApp: Int64 = 777

        /// Postbacks of all kinds for our networks, and copies for an app of ours of another network's.
        private func bodies(_ keys: TestKeys) async throws -> [[UInt8]] {
            func simulate(
                _ seed: UInt64, _ count: Int, _ networks: [String], _ apps: [Int64]
            ) throws -> PostbackSimulator {
                var configuration = PostbackSimulator.Configuration.everything(
                    seed: seed, count: count, adNetworkIDs: networks.compactMap(AdNetworkID.init))
                configuration.advertisedAppIDs = apps.compactMap { AppID($0) }
                configuration.lines = .campaigns(40)
                configuration.developmentRate = 0.1
                configuration.relayNoiseRate = 0.2
                configuration.isShuffled = true
                return try keys.simulator(configuration)
            }
            let ours = try simulate(
                1, 47_000, ["example123.skadnetwork", "com.example"], [525_463_029, 10_738_027_756])
            let copies = try simulate(2, 3_000, ["another.skadnetwork"], [Self.developerApp])
            return try await ours.bodiesConcurrently() + copies.bodiesConcurrently()
        }

        @Test("After 50,000 postbacks of all kinds to two servers, the reports equal both recounts", .installation)
        func twoServers() async throws {
            let log = try #require(TestEnvironment.databaseLog)
            let installation = try Installation.current
            try installation.write(
                Installation.keyRing.replacing(
                    "\"developer-apps\": []", with: "\"developer-apps\": [ \(Self.developerApp) ]"),
                to: "keyring.json")
            let bodies = try await bodies(installation.keys)
            let logSize = try Data(contentsOf: URL(filePath: log)).count
            let answers = try await installation.withServer { _, first in
                try await installation.withServer { _, second in
                    let halves = [0, 1].map { half in
                        bodies.enumerated().filter { $0.offset % 2 == half }.map(\.element)
                    }
                    async let left = first.stream(halves[0], clients: 16)
                    async let right = second.stream(halves[1], clients: 16)
                    return await left + right
                }
            }
            #expect(answers.count == 50_000)
            #expect(answers.allSatisfy { $0?.status == 200 })
            let database = installation.database
            let stored = try await database.value("SELECT count(*) FROM attribution.postback")
            #expect(stored == String(answers.count { $0?.outcome == "accepted" }))
            #expect(try await database.recountBodies() == [])
            #expect(try await database.recount() == [])
            // The simulation signs no source app id of 0: each was put there by a relay.
            #expect(
                try await database.column(
                    "SELECT campaign FROM attribution.report_source_app_daily_all WHERE source_app = '0'") == [])
            // All of it occurs, so that nothing was compared with nothing.
            let kinds = try await database.column(
                """
                SELECT concat_ws(' ', environment, developer_copy, protocol, sum(installs) > 0, sum(assists) > 0,
                                 sum(later_windows) > 0)
                  FROM attribution.report_campaign_daily_all
                 GROUP BY environment, developer_copy, protocol ORDER BY 1
                """)
            #expect(kinds.count == 8)
            #expect(kinds.allSatisfy { $0?.hasSuffix("t t t") == true }, "\(kinds)")
            let values = try await database.column(
                """
                SELECT concat_ws(' ', protocol, sum(fine) > 0, sum(coarse) > 0, sum(no_value) > 0,
                                 sum(raised) > 0)
                  FROM attribution.report_campaign_daily_all GROUP BY protocol ORDER BY 1
                """)
            #expect(values == ["adattributionkit t t t t", "skadnetwork t t t t"])
            #expect(try await database.value("SELECT sum(conflicts) > 100 FROM attribution.postback") == "true")
            #expect(
                try await database.value(
                    "SELECT count(*) > 1000 FROM attribution.postback WHERE relay_normalised") == "true")
            #expect(try await database.column("SELECT 1 FROM attribution.report_campaign_daily") == [])
            let written = try Data(contentsOf: URL(filePath: log)).dropFirst(logSize)
            #expect(!String(decoding: written, as: UTF8.self).contains("deadlock detected"))
        }
    }
}
