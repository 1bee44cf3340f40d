import AdAttribution
import Foundation
import TestSupport
import Testing

extension ServerTests {
    @Suite("PostbackServer reprocess", .installation)
    struct ReprocessTests {
        /// A ring that knows one network more, one app, and none of the test keys but the one on P-192.
        private static let mendedKeyRing = """
            {
              "networks": [
                { "ad-network-id": "com.example" },
                { "ad-network-id": "example123.skadnetwork", "private-key": "network.pem" },
                { "ad-network-id": "later.skadnetwork" }
              ],
              "developer-apps": [ 777 ],
              "postback-keys": [
                { "name": "load-test", "environment": "test", "public-key": "test.pub.pem" },
                { "name": "load-test-p256", "environment": "test", "public-key": "test-p256.pub.pem" }
              ]
            }
            """

        @Test(
            "`reprocess` counts what a corrected key ring accepts, on its first day, by the same rules, and leaves the rest"
        )
        func mended() async throws {
            let installation = try Installation.current
            let keys = installation.keys
            let later = TestPostback {
                $0.adNetworkID = "Later.skadnetwork"
                $0.conversionValue = 7
            }
            let raised = TestPostback {
                $0.adNetworkID = "Later.skadnetwork"
                $0.transactionID = later.transactionID
                $0.conversionValue = 9
            }
            let copy = TestPostback {
                $0.version = "3.0"
                $0.adNetworkID = "com.other"
                $0.appID = 777
            }
            let kit = TestAdAttributionKitPostback { $0.adNetworkIdentifier = "later.adattributionkit" }
            let forged = TestPostback { $0.adNetworkID = "com.example" }
            let foreign = TestPostback { $0.adNetworkID = "com.stranger" }
            let bodies = [
                try later.body(keys.postbackKey), try raised.body(keys.postbackKey),
                try copy.body(keys.postbackKeyP256), try kit.body(keys.postbackKeyP256),
                try forged.body(SigningKey.generate(.p192)), try foreign.body(keys.postbackKey),
                Array("not a postback".utf8),
            ]
            try await installation.withServer { _, client in
                for body in bodies + [bodies[0]] {
                    let answer = try await client.post(body)
                    #expect(answer.status != 200)
                }
            }
            let database = installation.database
            #expect(try await database.value("SELECT count(*) FROM attribution.rejected_postback") == "7")
            // They came in long ago.
            try await database.run(
                "UPDATE attribution.rejected_postback SET first_seen_at = first_seen_at - interval '400 days'")
            let unchanged = try await installation.run(["reprocess"])
            #expect(unchanged.code == 0)
            #expect(unchanged.output == "moved in: 0 accepted, 0 raised, 0 duplicate; left: 7 still refused\n")

            try installation.write(Self.mendedKeyRing, to: "keyring.json")
            let moved = try await installation.run(["reprocess"])
            #expect(moved.code == 0)
            #expect(moved.output == "moved in: 3 accepted, 1 raised, 0 duplicate; left: 3 still refused\n")
            #expect(
                try await database.column(
                    """
                    SELECT concat_ws(' ', ad_network_id, coalesce(first_conversion_value::text, '-'),
                                     coalesce(conversion_value::text, '-'), developer_copy,
                                     received_at < clock_timestamp() - interval '399 days')
                      FROM attribution.postback ORDER BY ad_network_id
                    """) == ["com.other - - t t", "later.adattributionkit - - f t", "later.skadnetwork 7 9 f t"])
            #expect(try await database.value("SELECT count(*) FROM attribution.rejected_postback") == "3")
            #expect(try await database.value("SELECT sum(rows) FROM attribution.rejected_postback_usage") == "3")
            #expect(try await database.recounts() == [])

            // Again, and beside a server that is given the same bodies.
            let (_, client) = try await installation.start()
            for body in bodies[..<4] { #expect(try await client.post(body).outcome == "duplicate") }
            let again = try await installation.run(["reprocess"])
            #expect(again.output == "moved in: 0 accepted, 0 raised, 0 duplicate; left: 3 still refused\n")
        }

        @Test("A flood of forged bodies pushes out none that Apple signed for a network that is added later")
        func flooded() async throws {
            let ring = """
                { "networks": [ { "ad-network-id": "example123.skadnetwork" } ], "developer-apps": [],
                  "postback-keys": [] }
                """
            let installation = try Installation.current
            try installation.write(ring, to: "keyring.json")
            let database = installation.database
            let stranger = try SigningKey.generate(.p192)
            try await installation.withServer(["QUARANTINE_MAX_ROWS": "5"]) { _, client in
                for value in [20, 7, 40] {
                    let answer = try await client.post(TestKeys.apple(conversionValue: value))
                    #expect(answer.status == 403)
                    #expect(answer.outcome == "unknown_network")
                }
                for network in ["com.example", "example123.skadnetwork", "com.stranger"] {
                    for _ in 0..<10 {
                        let forged = TestPostback { $0.adNetworkID = network }
                        #expect(try await client.post(forged.body(stranger)).status == 403)
                    }
                }
                #expect(
                    try await database.column(
                        """
                        SELECT concat_ws(' ', protected, reason, count(*), sum(attempts))
                          FROM attribution.rejected_postback GROUP BY protected, reason ORDER BY protected
                        """) == ["f unknown_network 5 5", "t unknown_network 1 3"])
            }
            try await database.run(
                """
                UPDATE attribution.rejected_postback
                   SET first_seen_at = first_seen_at - interval '400 days' WHERE protected
                """)
            let unchanged = try await installation.run(["reprocess"])
            #expect(unchanged.output == "moved in: 0 accepted, 0 raised, 0 duplicate; left: 7 still refused\n")
            try installation.write(Self.mendedKeyRing, to: "keyring.json")
            let moved = try await installation.run(["reprocess"])
            #expect(moved.output.hasPrefix("moved in: 1 accepted, 1 raised, 0 duplicate; left: 5 still refused"))
            #expect(
                try await database.column(
                    """
                    SELECT concat_ws(' ', environment, ad_network_id, first_conversion_value, conversion_value,
                                     received_at < clock_timestamp() - interval '399 days',
                                     raised_at > clock_timestamp() - interval '1 day')
                      FROM attribution.postback
                    """) == ["production com.example 20 40 t t"])
            #expect(try await database.value("SELECT count(*) FROM attribution.rejected_postback") == "5")
            #expect(try await database.recounts() == [])
        }

        @Test("`reprocess` never counts twice what Apple has delivered again meanwhile")
        func redelivered() async throws {
            let installation = try Installation.current
            let postback = TestPostback { $0.adNetworkID = "later.skadnetwork" }
            let body = try postback.body(installation.keys.postbackKey)
            try await installation.withServer { _, client in
                let answer = try await client.post(body)
                #expect(answer.outcome == "unknown_network")
            }
            try installation.write(Self.mendedKeyRing, to: "keyring.json")
            try await installation.withServer { _, client in
                let answer = try await client.post(body)
                #expect(answer.outcome == "accepted")
            }
            let result = try await installation.run(["reprocess"])
            #expect(result.output == "moved in: 0 accepted, 0 raised, 1 duplicate; left: 0 still refused\n")
            #expect(
                try await installation.database.column(
                    "SELECT installs FROM attribution.report_campaign_daily_all") == ["1"])
            #expect(try await installation.database.recounts() == [])
        }
    }
}
