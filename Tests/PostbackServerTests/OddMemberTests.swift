import Foundation
import TestSupport
import Testing

extension ServerTests {
    /// A relay can add members to a genuine postback, or change those that are not signed.
    @Suite("Genuine postbacks with odd members", .installation)
    struct OddMemberTests {
        @Test("Views, recounts and archives read bodies that PostgreSQL or Python would refuse")
        func read() async throws {
            let installation = try Installation.current
            let (keys, database) = (installation.keys, installation.database)
            let zero = TestPostback { $0.unsigned = ["note": #""\u0000""#] }
            let long = TestPostback { $0.unsigned = ["note": String(repeating: "1", count: 4_301)] }
            // These versions have no coarse value, so it is not signed.
            let coarse = TestPostback { ($0.version, $0.coarseConversionValue) = ("3.0", "high") }
            let tried = TestPostback { ($0.version, $0.coarseConversionValue) = ("3.0", "low") }
            let archive = try installation.write(
                [
                    zero.body(keys.postbackKey), long.body(keys.postbackKey), coarse.body(keys.postbackKeyP256),
                    tried.body(keys.developmentKeyP256),
                ], to: "odd.ndjson")
            try await installation.succeed(["import", archive])

            let signatures = "SELECT count(skad_attribution_signature) FROM appsflyer.skad_postbacks_all"
            #expect(try await database.value(signatures) == "4")
            let bodies = try await installation.psql(
                ["-v", "since=2020-01-01", "-f", TestEnvironment.root + "tools/bodies-since.sql"])
            #expect(bodies.code == 0 && bodies.output.split(separator: "\n").count == 4, "\(bodies)")
            #expect(bodies.output.contains(#""note":"\u0000""#))
            let recount = try await database.recountInPython()
            #expect(recount.code == 0, "\(recount.text)")
            #expect(try await database.recounts() == [])
        }

        @Test("A missing raise is written again with the value that counted, not with a number in quotes")
        func repair() async throws {
            let installation = try Installation.current
            let transactionID = UUID().uuidString.lowercased()
            let bodies = try [nil, "low", "medium", "high"].map { value in
                try TestPostback {
                    ($0.version, $0.transactionID, $0.coarseConversionValue) = (nil, transactionID, value)
                    if value == "low" { $0.unsigned = ["conversion-value": #""63""#] }
                }.body(installation.keys.postbackKey)
            }
            try await installation.succeed(["import", try installation.write(bodies, to: "raises.ndjson")])
            let log =
                "SELECT concat_ws(' ', event, value, previous_value) FROM attribution.postback_log WHERE event < 3"
            let raises = try await installation.database.column("\(log) ORDER BY position, ordinal")
            #expect(raises == ["0 -1 -1", "1 101 -1", "2 102 101", "2 103 102"])
            try await installation.database.run("DELETE FROM attribution.postback_log WHERE value = 101")
            try await installation.succeed(["repair-log"])
            #expect(try await installation.database.column("\(log) ORDER BY position, ordinal") == raises)
        }
    }
}
