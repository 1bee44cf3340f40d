import AdAttribution
import Foundation
import PostbackSimulation
import PostgresClient
import TestSupport
import Testing

extension ServerTests {
    @Suite("PostbackServer import", .installation)
    struct ImportTests {
        /// Postbacks of all kinds and all that happens to them, in the order of time.
        private func mixed(_ count: Int, _ keys: TestKeys) async throws -> [[UInt8]] {
            let networks = ["example123.skadnetwork", "com.example"].compactMap(AdNetworkID.init)
            return try await keys.simulator(.everything(seed: 21, count: count, adNetworkIDs: networks))
                .bodiesConcurrently()
        }

        private static let everything = """
            SELECT concat_ws(' ', environment, protocol, ad_network_id, transaction_id, sequence_index, did_win,
                             conversion_value, first_conversion_value, coarse_value, first_coarse_value, conflicts)
              FROM attribution.postback ORDER BY 1
            """

        /// Of each lane: whether it is at the end of the file, and at which line.
        private static let ends = """
            SELECT concat_ws(' ', (position = size)::text, lines)
              FROM attribution.import_progress
              JOIN attribution.import_file USING (fingerprint)
             ORDER BY lane
            """

        /// What each lane has counted.
        private static let counts = """
            SELECT concat_ws(' ', accepted, raised, duplicates, refused) FROM attribution.import_progress ORDER BY lane
            """

        @Test("An import counts as a server does, once however often it is run, and skips what is done")
        func counts() async throws {
            let installation = try Installation.current
            let bodies = try await mixed(3_000, installation.keys)
            let path = try installation.write(bodies, to: "a.ndjson")
            let first = try await installation.run(["import", path])
            #expect(first.code == 0, "\(first.errors)")
            let database = installation.database
            let postbacks = try await database.column(Self.everything)
            #expect(first.output.hasPrefix("imported: \(postbacks.count) accepted, "), "\(first.output)")
            #expect(try await database.recounts() == [])
            #expect(try await database.column("SELECT 1 FROM attribution.unfolded()") == [])

            let second = try await installation.run(["import", path])
            #expect(second.code == 0)
            #expect(second.output.hasPrefix("imported: 0 accepted, 0 raised, 0 duplicate, 0 refused"))
            #expect(try await database.column(Self.everything) == postbacks)
            // It says why, and how a third run reads the file again.
            let same = "\(path): a file of this size, beginning and end was read to its end before (3000 lines, "
            #expect(!first.errors.contains("was read to its end before"), "\(first.errors)")
            #expect(
                second.errors.contains("\(same)none refused), so it is skipped; import --again reads it all the same"),
                "\(second.errors)")
            let third = try await installation.run(["import", "--again", path])
            #expect(third.code == 0, "\(third.errors)")
            #expect(third.output.hasPrefix("imported: 0 accepted, 0 raised, 3000 duplicate, "), "\(third.output)")
            #expect(third.errors.contains("\(same)0 refused); it is read again from its beginning"), "\(third.errors)")
            #expect(try await database.column(Self.ends) == ["true 3000", "true 3000"])
            #expect(
                try await database.value("SELECT sum(duplicates) FROM attribution.import_progress") == "3000")

            // The same through a server, into another database.
            try await Installation.with { other in
                for name in ["test.pub.pem", "test-p256.pub.pem"] {
                    let key = try String(contentsOfFile: installation.folder + "/" + name, encoding: .utf8)
                    try other.write(key, to: name)
                }
                try await other.withServer { _, client in
                    for body in bodies {
                        let answer = try await client.post(body)
                        #expect(answer.status == 200)
                    }
                }
                #expect(try await other.database.column(Self.everything) == postbacks)
            }
        }

        @Test("An import that is killed again and again continues where it was, and ends with the same figures")
        func killed() async throws {
            let installation = try Installation.current
            let path = try installation.write(try await mixed(12_000, installation.keys), to: "a.ndjson")
            let database = installation.database
            let position = "SELECT sum(position) FROM attribution.import_progress"
            for _ in 0..<3 {
                let before = Int(try await database.value(position) ?? "") ?? 0
                let process = try ServerProcess(["import", path], environment: installation.environment())
                try await eventually("the import moves on") {
                    let now = Int(try await database.value(position) ?? "") ?? 0
                    return now > before || !process.isRunning ? now : nil
                }
                try await process.kill()
                #expect(try await database.recounts() == [])
            }
            let last = try await installation.run(["import", path])
            #expect(last.code == 0, "\(last.errors)")
            #expect(try await database.column(Self.ends) == ["true 12000", "true 12000"])
            let killed = try await database.column(Self.everything)
            let counts = try await database.column(Self.counts)
            #expect(counts.count == 2)
            #expect(try await database.recounts() == [])

            // Once more from the beginning, in one go.
            try await database.run(
                """
                TRUNCATE attribution.postback_state, attribution.postback_body, attribution.postback_log,
                         attribution.campaign_daily, attribution.source_app_daily,
                         attribution.conversion_value_daily, attribution.import_file, attribution.import_progress;
                UPDATE attribution.log_reader SET position = 0, ordinal = 0;
                """)
            #expect(try await installation.run(["import", path]).code == 0)
            #expect(try await database.column(Self.everything) == killed)
            #expect(try await database.column(Self.counts) == counts)
            #expect(try await database.recounts() == [])
        }

        @Test(
            "If one lane is blocked, the other one is ahead; after a kill each lane continues where it was",
            arguments: [0, 1])
        func heldLane(_ lane: Int) async throws {
            let installation = try Installation.current
            // The line before the last is refused. Its number shows where the second run continued.
            let bodies = try await mixed(3_000, installation.keys)
            let path = try installation.write(bodies.dropLast() + [Array("{}".utf8)] + bodies.suffix(1), to: "a.ndjson")
            let database = installation.database
            try await database.withSession { session in
                try await session.execute(script: "SELECT pg_advisory_lock(742100164, \(lane))")
                let process = try ServerProcess(["import", path], environment: installation.environment())
                try await eventually("the other lane moves on") {
                    try await database.value(
                        "SELECT position > 0 FROM attribution.import_progress WHERE lane <> \(lane)") == "true"
                        ? true : nil
                }
                try await process.kill()
                #expect(
                    try await database.value(
                        "SELECT position FROM attribution.import_progress WHERE lane = \(lane)") == "0")
                #expect(try await database.recounts() == [])
            }
            let last = try await installation.run(["import", path])
            #expect(last.code == 65)
            #expect(last.errors.contains("\(path):3000: malformed: ad-network-id: "), "\(last.errors)")
            #expect(try await database.column(Self.ends) == ["true 3001", "true 3001"])
            #expect(
                try await database.value("SELECT sum(accepted) FROM attribution.import_progress")
                    == (try await database.value("SELECT count(*) FROM attribution.postback")))
            #expect(
                try await database.value(
                    "SELECT sum(accepted + raised + duplicates + refused) FROM attribution.import_progress")
                    == "3001")
            #expect(try await database.recounts() == [])
        }

        @Test("A file with a refused line is read again: a line corrected in its middle is counted")
        func corrected() async throws {
            let installation = try Installation.current
            let database = installation.database
            let sums = """
                SELECT concat_ws(' ', sum(accepted), sum(raised), sum(duplicates), sum(refused))
                  FROM attribution.import_progress
                """
            let bodies = try installation.keys.simulate(seed: 37, count: 1_000)
            var spoilt = bodies
            spoilt[500][0] = UInt8(ascii: "x")
            // Beginning and end do not reach the line.
            #expect(bodies.reduce(0) { $0 + $1.count } > 3 * 65_536)
            let path = try installation.write(spoilt, to: "a.ndjson")
            let first = try await installation.run(["import", path])
            #expect(first.code == 65, "\(first)")
            #expect(first.output.hasPrefix("imported: 999 accepted, 0 raised, 0 duplicate, 1 refused; "), "\(first)")

            // As it is, the line is refused again, and the counts are those of this reading.
            let same = "\(path): a file of this size, beginning and end was read to its end before (1000 lines, "
            let again = try await installation.run(["import", path])
            #expect(again.code == 65, "\(again)")
            #expect(again.output.hasPrefix("imported: 0 accepted, 0 raised, 999 duplicate, 1 refused; "), "\(again)")
            #expect(!again.output.contains("before"), "\(again)")
            #expect(again.errors.contains("\(same)1 refused); it is read again from its beginning"), "\(again)")
            #expect(again.errors.contains("\(path):501: malformed: "), "\(again)")
            #expect(try await database.value(sums) == "0 0 999 1")

            _ = try installation.write(bodies, to: "a.ndjson")
            let corrected = try await installation.run(["import", path])
            #expect(corrected.code == 0, "\(corrected)")
            #expect(
                corrected.output.hasPrefix("imported: 1 accepted, 0 raised, 999 duplicate, 0 refused; "),
                "\(corrected)")
            #expect(try await database.value(sums) == "1 0 999 0")
            #expect(try await database.column(Self.ends) == ["true 1000", "true 1000"])
            #expect(try await database.value("SELECT count(*) FROM attribution.import_file") == "1")
            #expect(try await database.value("SELECT count(*) FROM attribution.postback") == "1000")

            // Now nothing is refused, so it is skipped.
            let skipped = try await installation.run(["import", path])
            #expect(skipped.code == 0, "\(skipped)")
            #expect(skipped.errors.contains("\(same)none refused), so it is skipped"), "\(skipped)")
            #expect(try await database.value(sums) == "1 0 999 0")
            #expect(try await database.recounts() == [])
        }

        @Test("An import that goes on after a kill tells what was refused before, and ends with 65")
        func refusedBefore() async throws {
            let installation = try Installation.current
            let database = installation.database
            let bodies = try installation.keys.simulate(seed: 38, count: 2_500)
            let path = try installation.write([Array("{}".utf8)] + bodies, to: "a.ndjson")
            // The first lane counts the refused line with the first part. The other one waits, so the run stays there.
            try await database.withSession { session in
                try await session.execute(script: "SELECT pg_advisory_lock(742100164, 1)")
                let process = try ServerProcess(["import", path], environment: installation.environment())
                try await eventually("the first lane moves on") {
                    try await database.value(
                        "SELECT refused = 1 FROM attribution.import_progress WHERE lane = 0") == "true" ? true : nil
                }
                try await process.kill()
            }
            let last = try await installation.run(["import", path])
            #expect(last.code == 65, "\(last)")
            let told = try #require(
                last.output.wholeMatch(
                    of: /imported: (\d+) accepted, 0 raised, 0 duplicate, 0 refused; \d+ postbacks\/s; (.+)\n/))
            let before = try #require(
                told.output.2.wholeMatch(of: /counted before: (\d+) accepted, 0 raised, 0 duplicate, 1 refused/))
            let counts = [told.output.1, before.output.1].compactMap { Int($0) }
            #expect(counts.allSatisfy { $0 > 0 } && counts.reduce(0, +) == 2_500, "\(last)")
            #expect(last.errors.contains("1 lines were refused, 1 of them by an earlier run"), "\(last)")
            #expect(try await database.column(Self.ends) == ["true 2501", "true 2501"])
            #expect(try await database.value("SELECT sum(refused) FROM attribution.import_progress") == "1")
            #expect(try await database.value("SELECT count(*) FROM attribution.postback") == "2500")
            #expect(try await database.recounts() == [])
        }

        @Test("Two imports of one archive at the same time count nothing twice")
        func twoAtOnce() async throws {
            let installation = try Installation.current
            let path = try installation.write(try await mixed(4_000, installation.keys), to: "a.ndjson")
            async let first = installation.run(["import", path])
            async let second = installation.run(["import", path])
            let codes = try await [first.code, second.code].sorted()
            // The one that began last goes on, unless the other was done before it began.
            #expect(codes == [0, 69] || codes == [0, 0])
            let rows = "SELECT count(*) FROM attribution.postback"
            let accepted = "SELECT sum(accepted) FROM attribution.import_progress"
            let stored = try await installation.database.value(rows)
            #expect(try await installation.database.value(accepted) == stored)
            #expect(try await installation.database.recounts() == [])
        }

        @Test("An import takes the time of receipt from the line, and says which line broke which rule")
        func lines() async throws {
            let installation = try Installation.current
            let keys = installation.keys
            func line(_ addition: String, _ change: (inout TestPostback) -> Void = { _ in }) throws -> [UInt8] {
                try TestPostback(change).body(keys.postbackKey).dropLast() + Array("\(addition)}".utf8)
            }
            let lines: [[UInt8]] = [
                try line(#","received-at":"2025-03-01T23:59:59.999Z""#),
                [],
                try line(#","received-at":"2025-03-02T01:00:00+02:00""#),
                Array("   \r".utf8),
                try line(#","received-at":1740960000000"#) + [UInt8(ascii: "\r")],
                Array("{\"version\":\"9.9\"}".utf8),
                try line(#","received-at":"yesterday""#),
                try line(#","received-at":17"#),
                [UInt8](repeating: UInt8(ascii: "x"), count: 3_000_000),
                try TestPostback().body(SigningKey.generate(.p192)),
                try line("") { $0.adNetworkID = "com.stranger" },
                try line(""),
            ]
            let path = try installation.write(lines, to: "a.ndjson")
            let result = try await installation.run(["import", path])
            #expect(result.code == 65)
            #expect(result.output.hasPrefix("imported: 4 accepted, 0 raised, 0 duplicate, 6 refused"))
            let expected = [
                "6: unsupported_version: version: ", "7: malformed: received-at: ", "8: malformed: received-at: ",
                "9: too_large: body: ", "10: invalid_signature: attribution-signature: ",
                "11: unknown_network: ad-network-id: ",
            ]
            for start in expected { #expect(result.errors.contains("\(path):\(start)"), "\(result.errors)") }
            let database = installation.database
            #expect(
                try await database.column(
                    """
                    SELECT (received_at AT TIME ZONE 'UTC')::text FROM attribution.postback
                     WHERE received_at < '2025-12-31' ORDER BY 1
                    """) == ["2025-03-01 23:00:00", "2025-03-01 23:59:59.999", "2025-03-03 00:00:00"])
            #expect(try await database.value("SELECT count(*) FROM attribution.rejected_postback") == "5")
            #expect(try await database.column(Self.ends) == ["true 12", "true 12"])
            #expect(try await database.recounts() == [])
        }

        @Test("An import needs a file, and refuses one that does not exist")
        func usage() async throws {
            let installation = try Installation.current
            let missing = try await installation.run(["import", installation.folder + "/none"])
            #expect(missing.code == 66 && missing.errors.contains("none: can't be read"))
            #expect(try await installation.run(["import"]).code == 64)
            let empty = try installation.write([], to: "empty.ndjson")
            #expect(try await installation.run(["import", empty]).code == 0)
        }
    }
}
