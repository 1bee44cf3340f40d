import AdAttribution
import Foundation
import PostbackSimulation
import TestSupport
import Testing

extension ServerTests {
    @Suite("PostbackServer reconcile", .installation)
    struct ReconcileTests {
        private static let apps: [Int64] = [525_463_029, 1_234_567_891, 10_738_027_756, 1_588_000_001, 1_588_000_002]
        /// The network's installation has these two; the third one of the simulation is another company's.
        private static let networks = ["example123.skadnetwork", "example789.adattributionkit"]

        /// A line of an archive, with what it says.
        private struct Line {
            var bytes: [UInt8]
            let key: String
            let value: String
            let network: String
            let app: Int64
            let hasCopy: Bool
            let receivedAt: Int64

            init(_ bytes: [UInt8]) throws {
                let archived = try ArchivedPostback(parsing: bytes)
                let postback = archived.postback
                self.bytes = bytes
                key = [
                    postback.adNetworkID.lowercased, postback.transactionID.uuid.uuidString.lowercased(),
                    "\(postback.sequenceIndex.value)", "\(postback.didWin)",
                ].joined(separator: " ")
                value =
                    postback.conversionValue.fine.map { "\($0.value)" } ?? postback.conversionValue.coarse?.rawValue
                    ?? "-"
                network = postback.adNetworkID.lowercased
                app = postback.advertisedAppID.value
                hasCopy = postback.didWin && postback.version?.description != "1.0"
                receivedAt = archived.receivedAt?.milliseconds ?? 0
            }

            /// The same line with a fine value that is one higher, or 62 instead of 63; nil if it has none.
            func changed() throws -> Line? {
                guard let value = Int(value) else { return nil }
                let text = String(decoding: bytes, as: UTF8.self)
                let name = #""conversion-value":"#
                let other = text.replacing("\(name)\(value)", with: "\(name)\(value < 63 ? value + 1 : 62)")
                return try Line(Array(other.utf8))
            }
        }

        /// The rows of the differences, those with both values first.
        private static let differences = """
            SELECT concat_ws(' ', outcome, ad_network_id, transaction_id, sequence_index, did_win::text,
                             concat(coalesce(conversion_value::text, coarse_value, '-'), '/',
                                    coalesce(other_conversion_value::text, other_coarse_value, '-')))
              FROM attribution.copy_difference_all
            """
        private static let sums = """
            SELECT concat_ws(' ', sum(matched), sum(value_differs), sum(only_here), sum(only_there), sum(not_copied),
                             sum(before_begin), sum(postbacks), sum(raised_here + raised_there + signed_differs))
              FROM attribution.report_copy_agreement_all
            """
        private static let counted = """
            SELECT concat_ws(' ', (SELECT count(*) FROM attribution.postback_state),
                             (SELECT count(*) FROM attribution.postback_log),
                             (SELECT count(*) FROM attribution.rejected_postback))
            """

        /// Lines by their keys; of several deliveries the first one counts.
        private static func byKey(_ lines: [Line]) -> [String: Line] {
            Dictionary(lines.map { ($0.key, $0) }) { first, _ in first }
        }

        @Test("A network and a developer find what was changed or lost in the other one's archive, and nothing else")
        func bothSides() async throws {
            let network = try Installation.current
            var settings = TimelineSettings()
            settings.days = 25
            settings.installsADay = 60
            settings.relayShare = 0.1
            settings.delayedShare = 0.05
            settings.privacy.thresholds = [1, 3, 6]
            let simulated = try await network.keys.timeline(settings, seed: 21).archive()
            var originals = try simulated.network.map(Line.init).filter { Self.networks.contains($0.network) }
            var copies = try simulated.copies.map(Line.init)

            // Each side loses some: not at the ends of the time, so that all of them must be found.
            let times = copies.map(\.receivedAt).sorted()
            let middle = times[times.count / 4]...times[times.count * 3 / 4]
            let both = Set(copies.map(\.key)).intersection(originals.map(\.key))
            let candidates = originals.filter { both.contains($0.key) && middle.contains($0.receivedAt) }
            let keys = candidates.map(\.key).reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
            let lostByNetwork = Set(keys.enumerated().filter { $0.offset % 40 == 3 }.map(\.element))
            let lostByDeveloper = Set(keys.enumerated().filter { $0.offset % 30 == 5 }.map(\.element))
                .subtracting(lostByNetwork)
            originals.removeAll { lostByNetwork.contains($0.key) }
            copies.removeAll { lostByDeveloper.contains($0.key) }
            // The developer, or somebody on the way, changed every 50th fine value.
            var expectedChanges: [String] = []
            let values = Self.byKey(originals)
            var number = 0
            for index in copies.indices where values[copies[index].key] != nil {
                guard let changed = try copies[index].changed() else { continue }
                number += 1
                guard number % 50 == 7 else { continue }
                expectedChanges.append("value_differs \(changed.key) \(copies[index].value)/\(changed.value)")
                copies[index] = changed
            }
            #expect(lostByNetwork.count > 5 && lostByDeveloper.count > 5 && expectedChanges.count > 5)

            try network.write(Installation.keyRing(networks: Self.networks, apps: []), to: "keyring.json")
            let networkArchive = try network.write(originals.map(\.bytes), to: "network.ndjson")
            let imported = try await network.run(["import", networkArchive])
            #expect(imported.code == 0, "\(imported.errors)")
            let state = try await network.database.value(Self.counted)
            let copyArchive = try network.write(copies.map(\.bytes), to: "copies.ndjson")

            // The network compares the developer's copies.
            let matched = both.count - lostByNetwork.count - lostByDeveloper.count - expectedChanges.count
            let notOurs = copies.count { !Self.networks.contains($0.network) }
            let atNetwork = try await network.run(["reconcile", copyArchive])
            #expect(atNetwork.code == 0 && atNetwork.errors.isEmpty, "\(atNetwork.errors)")
            let compared = both.count - lostByDeveloper.count
            #expect(
                atNetwork.output.hasPrefix(
                    "run 1: \(copyArchive), a developer's archive\n"
                        + "\(copies.count) lines: \(compared) postbacks, \(notOurs) lines not ours, 0 refused\n"),
                "\(atNetwork.output)")
            #expect(
                try await network.database.value(Self.sums)
                    == [
                        matched, expectedChanges.count, lostByDeveloper.count, lostByNetwork.count, 0, 0,
                        both.count, 0,
                    ].map(String.init).joined(separator: " "))
            func found(_ database: TestDatabase, _ outcome: String) async throws -> [String] {
                try await database.column("\(Self.differences) WHERE outcome = '\(outcome)'").compactMap(\.self)
                    .sorted()
            }
            func keysOnly(_ rows: [String]) -> Set<String> {
                Set(rows.map { $0.split(separator: " ").dropFirst().prefix(4).joined(separator: " ") })
            }
            #expect(try await found(network.database, "value_differs") == expectedChanges.sorted())
            #expect(keysOnly(try await found(network.database, "only_here")) == lostByDeveloper)
            #expect(keysOnly(try await found(network.database, "only_there")) == lostByNetwork)
            #expect(try await network.database.value(Self.counted) == state)
            #expect(try await network.database.recounts() == [])

            // The same archive once more is the same run, also under another name and beside a running server.
            let renamed = try network.write(copies.map(\.bytes), to: "again.ndjson")
            let again = try await network.withServer { _, client in
                let answer = try await client.post(originals[0].bytes)
                #expect(answer.status == 200)
                return try await network.run(["reconcile", renamed])
            }
            #expect(again.output == atNetwork.output.replacing(copyArchive, with: renamed))
            let files = "SELECT string_agg(file, ' ') FROM attribution.reconciliation"
            #expect(try await network.database.value(files) == renamed)

            // The developer compares the network's archive.
            try await Installation.with { developer in
                for name in ["test.pub.pem", "test-p256.pub.pem"] {
                    try developer.write(String(contentsOfFile: network.folder + "/" + name, encoding: .utf8), to: name)
                }
                try developer.write(Installation.keyRing(networks: [], apps: Self.apps), to: "keyring.json")
                #expect(try await developer.run(["import", copyArchive]).code == 0)
                let state = try await developer.database.value(Self.counted)
                let result = try await developer.run(["reconcile", networkArchive])
                #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
                let notCopied = Self.byKey(originals).values.count { !$0.hasCopy }
                #expect(notCopied > 50)
                #expect(
                    try await developer.database.value(Self.sums)
                        == [
                            matched, expectedChanges.count, lostByNetwork.count, lostByDeveloper.count, notCopied,
                            0,
                            both.count, 0,
                        ].map(String.init).joined(separator: " "))
                #expect(keysOnly(try await found(developer.database, "only_here")) == lostByNetwork)
                #expect(keysOnly(try await found(developer.database, "only_there")) == lostByDeveloper)
                let swapped = expectedChanges.map { row in
                    let words = row.split(separator: " ")
                    let values = words[words.count - 1].split(separator: "/").reversed().joined(separator: "/")
                    return (words.dropLast() + [values[...]]).joined(separator: " ")
                }
                #expect(try await found(developer.database, "value_differs") == swapped.sorted())
                #expect(try await developer.database.value(Self.counted) == state)
            }
        }

        @Test("Lines that are forged or no postback are refused and not kept, and the others are compared")
        func refused() async throws {
            let installation = try Installation.current
            let keys = installation.keys
            func line(_ change: (inout TestPostback) -> Void = { _ in }) throws -> [UInt8] {
                try TestPostback(change).body(keys.postbackKey)
            }
            let known = try line()
            let first = try installation.write([known], to: "first.ndjson")
            #expect(try await installation.run(["import", first]).code == 0)
            let lines: [[UInt8]] = [
                known, [], Array("{}".utf8), try TestPostback().body(SigningKey.generate(.p192)),
                try line { $0.adNetworkID = "com.stranger" }, try line { $0.transactionID = "x" },
                [UInt8](repeating: UInt8(ascii: "x"), count: 3_000_000), known,
            ]
            let path = try installation.write(lines, to: "bad.ndjson")
            let result = try await installation.run(["reconcile", path])
            #expect(result.code == 65)
            for start in ["3: malformed: ", "4: invalid_signature: ", "6: malformed: ", "7: too_large: "] {
                #expect(result.errors.contains("\(path):\(start)"), "\(result.errors)")
            }
            #expect(result.errors.hasSuffix("PostbackServer: 4 lines were refused\n"), "\(result.errors)")
            #expect(
                result.output.contains("\n7 lines: 1 postbacks, 1 lines not ours, 4 refused\n")
                    && result.output.contains("\nmatched        1\n"), "\(result.output)")
            #expect(try await installation.database.value("SELECT count(*) FROM attribution.rejected_postback") == "0")
            let stored =
                "SELECT concat_ws(' ', lines, postbacks, not_ours, refused) FROM attribution.reconciliation"
            #expect(try await installation.database.column(stored) == ["7 1 1 4"])
        }

        @Test("A wrong use, a file that can't be read and an archive without anything of ours say so")
        func wrongUse() async throws {
            let installation = try Installation.current
            let stranger = TestPostback { $0.adNetworkID = "com.stranger" }
            let path = try installation.write([try stranger.body(installation.keys.postbackKey)], to: "strange.ndjson")
            let strange = try await installation.run(["reconcile", path])
            #expect(strange.code == 65 && strange.errors.contains("there is nothing to compare"), "\(strange)")
            let missing = try await installation.run(["reconcile", path + ".x"])
            #expect(missing.code == 66, "\(missing)")
            #expect(missing.errors == "PostbackServer: \(path).x: can't be read: No such file or directory\n")
            for options in [
                ["--first-day", "2026-01-01"], ["--first-day", "2026-01-02", "--last-day", "2026-01-01"],
                ["--side", "both"], ["--first-day", "x", "--last-day", "2026-01-01"],
            ] {
                #expect(try await installation.run(["reconcile", path] + options).code == 64)
            }
        }
    }
}
