import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerTests {
    @Suite("Apple's documentation postback", .server)
    struct DocumentationPostbackTests {
        private static let columns = """
            concat_ws(' ', first_conversion_value, conversion_value, coalesce(previous_conversion_value::text, '-'))
            """

        @Test(
            "The postback is accepted once; a higher value raises it, and a lower, equal or missing one is a duplicate")
        func steps() async throws {
            let (installation, _, client) = try RunningServer.current
            let paths = ["skadnetwork", "appattribution"].flatMap {
                ["/.well-known/\($0)/report-attribution", "/.well-known/\($0)/report-attribution/"]
            }
            let steps: [(Int?, String, String, String)] = [
                (20, "accepted", "20 20 -", "1 20.0000 0"), (20, "duplicate", "20 20 -", "1 20.0000 0"),
                (40, "raised", "20 40 20", "1 40.0000 1"), (40, "duplicate", "20 40 20", "1 40.0000 1"),
                (7, "duplicate", "20 40 20", "1 40.0000 1"), (nil, "duplicate", "20 40 20", "1 40.0000 1"),
            ]
            for (index, (value, outcome, row, view)) in steps.enumerated() {
                let body = try TestKeys.apple(conversionValue: value)
                let answer = try await client.post(body, to: paths[index % paths.count])
                #expect(answer.status == 200)
                #expect(answer.outcome == outcome)
                let database = installation.database
                #expect(try await database.column("SELECT \(Self.columns) FROM attribution.postback") == [row])
                for name in ["report_campaign_daily", "report_campaign", "report_source_app_daily"] {
                    #expect(
                        try await database.column(
                            """
                            SELECT concat_ws(' ', redownloads, value_average, raised)
                              FROM attribution.\(name) WHERE campaign = '42'
                            """) == [view])
                }
                #expect(
                    try await database.column(
                        """
                        SELECT concat_ws(' ', conversion_value, postbacks)
                          FROM attribution.report_conversion_value_daily
                        """) == ["\(row.split(separator: " ")[1]) 1"])
                #expect(try await database.recounts() == [])
            }
        }

        @Test("The postback counts once if fifty clients deliver it at the same time")
        func fifty() async throws {
            let (installation, _, client) = try RunningServer.current
            let body = try TestKeys.apple()
            let answers = await client.stream(Array(repeating: body, count: 50), clients: 50)
            #expect(answers.count { $0?.outcome == "accepted" } == 1)
            #expect(answers.count { $0?.outcome == "duplicate" } == 49)
            #expect(try await installation.database.recounts() == [])
        }

        @Test(
            "Under the policy `first` a higher value is a conflict and changes nothing else",
            .server(["CONVERSION_POLICY": "first"]))
        func policyFirst() async throws {
            let (installation, server, client) = try RunningServer.current
            #expect(try await client.post(TestKeys.apple()).outcome == "accepted")
            #expect(try await client.post(TestKeys.apple(conversionValue: 63)).outcome == "duplicate")
            #expect(
                try await installation.database.value(
                    """
                    SELECT concat_ws(' ', p.conversion_value, p.conflicts, c.conflicts, c.raised)
                      FROM attribution.postback AS p, attribution.report_campaign_daily AS c
                    """) == "20 1 1 0")
            let admin = try await client.admin(of: server)
            #expect(
                try await admin.request(.GET, "/metrics").text.contains("\nadattribution_postback_conflicts_total 1\n"))
            #expect(try await installation.database.recounts() == [])
        }

        @Test("A postback with the same ids under a test key does not change it")
        func testKey() async throws {
            let (installation, _, client) = try RunningServer.current
            #expect(try await client.post(TestKeys.apple()).outcome == "accepted")
            let genuine = "SELECT p::text FROM attribution.postback AS p WHERE environment = 'production'"
            let before = try await installation.database.column(genuine)
            let forged = TestPostback {
                $0.adNetworkID = "com.example"
                $0.transactionID = "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"
                $0.conversionValue = 63
            }
            let answer = try await client.post(forged.body(installation.keys.postbackKey))
            #expect(answer.outcome == "accepted")
            #expect(try await installation.database.column(genuine) == before)
            #expect(
                try await installation.database.column(
                    "SELECT concat_ws(' ', installs, redownloads) FROM attribution.report_campaign_daily")
                    == ["0 1"])
            #expect(try await installation.database.recounts() == [])
        }
    }
}
