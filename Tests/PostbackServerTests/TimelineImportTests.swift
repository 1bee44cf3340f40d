import AdAttribution
import Foundation
import PostbackSimulation
import TestSupport
import Testing

extension ServerTests {
    @Suite("Importing a simulation in time", .installation)
    struct TimelineImportTests {
        private static let apps: [Int64] = [525_463_029, 1_234_567_891, 10_738_027_756, 1_588_000_001, 1_588_000_002]

        /// What the database must hold of a postback.
        private static func row(_ truth: TimelineTruth, at receivedAt: Int64) -> String {
            let value = truth.sentFine.map(String.init) ?? truth.sentCoarse ?? "-"
            return [
                truth.transactionID.lowercased(), truth.adNetworkID, String(truth.sequenceIndex), String(truth.didWin),
                truth.version ?? "none", String(truth.appID), value, String(receivedAt),
            ].joined(separator: " ")
        }

        private static let rows = """
            SELECT concat_ws(' ', transaction_id, ad_network_id, sequence_index, did_win::text, version,
                             advertised_app_id, coalesce(conversion_value::text, coarse_value, '-'),
                             (extract(epoch FROM received_at) * 1000)::bigint)
              FROM attribution.postback
            """

        @Test("A quarter of three networks is imported with nothing refused, each postback as its truth says")
        func quarter() async throws {
            let installation = try Installation.current
            var settings = TimelineSettings()
            settings.installsADay = 15
            settings.relayShare = 0.1
            settings.delayedShare = 0.05
            settings.privacy.thresholds = [1, 3, 6]
            let archive = try await installation.keys.timeline(settings, seed: 12).archive()
            let truth = try archive.truth()
            #expect(truth.count > 1_500 && Set(truth.map(\.version)).count == 7)
            let networks = settings.networks.map(\.adNetworkID)
            try installation.write(Installation.keyRing(networks: networks, apps: []), to: "keyring.json")
            let output = try await installation.succeed(
                ["import", try installation.write(archive.network, to: "archive.ndjson")])
            let retries = archive.network.count - truth.count
            #expect(
                output.hasPrefix("imported: \(truth.count) accepted, 0 raised, \(retries) duplicate, 0 refused"),
                "\(output)")
            let database = installation.database
            let rows = try await database.column(Self.rows).compactMap { $0 }
            #expect(rows.sorted() == truth.map { Self.row($0, at: $0.receivedAt) }.sorted())
            #expect(try await database.value("SELECT sum(conflicts) FROM attribution.postback") == "0")
            #expect(try await database.recounts() == [])
        }

        @Test("A developer's installation imports the copies with nothing refused")
        func copies() async throws {
            let installation = try Installation.current
            var settings = TimelineSettings()
            settings.days = 20
            settings.installsADay = 20
            let archive = try await installation.keys.timeline(settings, seed: 13).archive()
            try installation.write(Installation.keyRing(networks: [], apps: Self.apps), to: "keyring.json")
            let output = try await installation.succeed(
                ["import", try installation.write(archive.copies, to: "archive.ndjson")])
            #expect(
                output.hasPrefix("imported: \(archive.copies.count) accepted, 0 raised, 0 duplicate, 0 refused"),
                "\(output)")
            let expected = try archive.truth().filter { $0.didWin && $0.version != "1.0" }
            let rows = try await installation.database.column(Self.rows).compactMap { $0 }
            #expect(rows.sorted() == expected.map { Self.row($0, at: $0.sentAt) }.sorted())
            #expect(
                try await installation.database.value("SELECT bool_and(developer_copy) FROM attribution.postback")
                    == "true")
        }
    }
}
