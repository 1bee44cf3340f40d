import AdAttribution
import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerTests {
    @Suite("Postbacks of every version")
    struct VersionTests {
        /// What is stored of a postback, but for times and what it was made of.
        private static let columns = """
            concat_ws(' ', protocol, version, ad_network_id, sequence_index, did_win, campaign_type, campaign,
                      advertised_app_id, coalesce(source_app_id::text, source_domain, '-'),
                      coalesce(redownload::text, conversion_type, '-'), coalesce(fidelity_type::text, '-'),
                      coalesce(conversion_value::text, coarse_value, '-'), coalesce(country_code, '-'),
                      coalesce(ad_interaction_type, '-'), coalesce(marketplace_identifier, '-'),
                      relay_normalised, signing_key, environment)
            """

        /// A body, its key, and the row that it must leave.
        private struct Case {
            let body: [UInt8]
            let row: String
        }

        private func cases(_ keys: TestKeys) throws -> [Case] {
            func old(_ row: String, _ change: (inout TestPostback) -> Void) throws -> Case {
                Case(body: try TestPostback(change).body(keys.postbackKey), row: "skadnetwork \(row) load-test test")
            }
            func new(_ row: String, _ change: (inout TestPostback) -> Void) throws -> Case {
                Case(
                    body: try TestPostback(change).body(keys.postbackKeyP256),
                    row: "skadnetwork \(row) load-test-p256 test")
            }
            func kit(_ row: String, _ change: (inout TestAdAttributionKitPostback) -> Void) throws -> Case {
                Case(
                    body: try TestAdAttributionKitPostback(change).body(keys.postbackKeyP256),
                    row: "adattributionkit none \(row) load-test-p256 test")
            }
            let network = "example123.skadnetwork"
            return [
                try old("1.0 \(network) 0 t campaign-id 42 525463029 - - - - - - - f") { $0.version = nil },
                try old("1.0 \(network) 0 t campaign-id 42 525463029 - - - - - - - f") { $0.version = "1.0" },
                try old("2.0 \(network) 0 t campaign-id 42 525463029 1234567891 false - 63 - - - f") {
                    $0.conversionValue = 63
                },
                try new("2.1 \(network) 0 t campaign-id 100 525463029 - true - - - - - f") {
                    $0.version = "2.1"
                    $0.campaignID = 100
                    $0.sourceAppID = nil
                    $0.redownload = true
                },
                try new("2.2 \(network) 0 t campaign-id 42 525463029 1234567891 false 0 - DE - - f") {
                    $0.version = "2.2"
                    $0.fidelityType = 0
                    $0.unsigned = ["country-code": "\"DE\""]
                },
                // If the postback is not winning, a value does not count and stays in the payload.
                try new("3.0 \(network) 0 f campaign-id 42 525463029 - false 1 - - - - f") {
                    $0.version = "3.0"
                    $0.sourceAppID = nil
                    $0.didWin = false
                    $0.conversionValue = 64
                },
                try new("4.0 \(network) 0 t source-identifier 0239 525463029 example.com false 1 5 - - - f") {
                    $0.version = "4.0"
                    $0.sourceIdentifier = "0239"
                    $0.sourceAppID = nil
                    $0.sourceDomain = "example.com"
                    $0.conversionValue = 5
                    $0.coarseConversionValue = "high"
                },
                try new("4.0 \(network) 2 t source-identifier 39 525463029 - false 1 high - - - f") {
                    $0.version = "4.0"
                    $0.sourceIdentifier = "39"
                    $0.sourceAppID = nil
                    $0.sequenceIndex = 2
                    $0.conversionValue = 5
                    $0.coarseConversionValue = "high"
                },
                // What relays do: capitals, a field of another version, an absent source app turned into 0.
                try new("2.2 \(network) 0 t campaign-id 42 525463029 - false 1 medium - - - t") {
                    $0.version = "2.2"
                    $0.adNetworkID = "Example123.SKAdNetwork"
                    $0.sourceAppID = nil
                    $0.coarseConversionValue = "MEDIUM"
                    $0.unsigned = [
                        "source-app-id": "0", "did-win": "\"no\"", "adjust-id": "1", "timestamp": "1700000000",
                    ]
                },
                // A source app of 0 that is signed, as development builds do, beside unknown fields of any content.
                try old("2.0 \(network) 0 t campaign-id 42 525463029 0 false - 3 - - - f") {
                    $0.sourceAppID = 0
                    $0.conversionValue = 3
                    $0.unsigned = ["note": "\"\\u0000 \\\\u0000\"", "publisher": "{\"a\":[null,1.5e300]}"]
                },
                // Versions that know no value of a kind pass over what is no such value.
                try old("1.0 \(network) 0 t campaign-id 42 525463029 - - - - - - - f") {
                    $0.version = nil
                    $0.unsigned = ["conversion-value": "64", "coarse-conversion-value": "7"]
                },
                try kit(
                    "example123.adattributionkit 0 t source-identifier 5239 525463029 0 download - medium - - "
                        + "com.apple.AppStore f"
                ) {
                    $0.publisherItemIdentifier = 0
                    $0.envelope = [
                        "app-id": "\"none\"", "did-win": "7", "note": "\"\\u0000\"", "version": "4.0",
                        "coarse-conversion-value": "\"medium\"",
                    ]
                },
                try kit(
                    "example123.adattributionkit 0 t source-identifier 5239 525463029 1234567891 download - - - "
                        + "click com.apple.AppStore f"
                ) { _ in },
                try kit("example123.skadnetwork 1 t source-identifier 39 525463029 - re-engagement - low US view - t") {
                    $0.adNetworkIdentifier = "example123.skadnetwork"
                    $0.sourceIdentifier = "39"
                    $0.publisherItemIdentifier = nil
                    $0.marketplaceIdentifier = nil
                    $0.conversionType = "re-engagement"
                    $0.sequenceIndex = 1
                    $0.envelope = [
                        "ad-interaction-type": "\"view\"", "coarse-conversion-value": "\"Low\"",
                        "conversion-value": "1", "country-code": "\"US\"",
                    ]
                },
            ]
        }

        @Test(
            "Each postback is accepted once, and its columns have the fields that the version signs and no others",
            .server)
        func stored() async throws {
            let (installation, server, client) = try RunningServer.current
            let cases = try cases(installation.keys)
            for one in cases {
                let answer = try await client.post(one.body)
                #expect(answer.outcome == "accepted", "\(one.row): \(answer.text)")
                #expect(
                    try await installation.database.column(
                        """
                        SELECT \(Self.columns) FROM attribution.postback ORDER BY received_at DESC LIMIT 1
                        """) == [one.row])
                #expect(try await client.post(one.body).outcome == "duplicate")
            }
            let stored = try await installation.database.column("SELECT payload FROM attribution.postback")
            #expect(Set(stored) == Set(cases.map { String(decoding: $0.body, as: UTF8.self) }))
            #expect(try await installation.database.recounts() == [])
            let admin = try await client.admin(of: server)
            let metrics = try await admin.request(.GET, "/metrics").text
            #expect(
                metrics.contains(
                    "adattribution_postbacks_total{environment=\"test\",outcome=\"accepted\",protocol=\"adattributionkit\","
                        + "version=\"none\"} 3\n"))
        }

        @Test("Three windows of one transaction, winning or not, are separate postbacks", .server)
        func windows() async throws {
            let (installation, _, client) = try RunningServer.current
            let transaction = UUID().uuidString
            for didWin in [true, false] {
                for index in 0..<3 {
                    let postback = TestPostback {
                        $0.version = "4.0"
                        $0.transactionID = index == 0 ? transaction : transaction.lowercased()
                        $0.sourceAppID = nil
                        $0.didWin = didWin
                        $0.sequenceIndex = index
                    }
                    let body = try postback.body(installation.keys.postbackKeyP256)
                    #expect(try await client.post(body).outcome == "accepted")
                }
            }
            #expect(
                try await installation.database.column(
                    """
                    SELECT concat_ws(' ', installs, assists, no_value, later_windows)
                      FROM attribution.report_campaign_daily_all
                    """) == ["1 3 1 4"])
            #expect(try await installation.database.recounts() == [])
        }

        @Test("A genuine postback of a device's developer settings is known to every key ring, as development", .server)
        func developerSettings() async throws {
            let vectors = try JSONSerialization.jsonObject(
                with: Data(TestEnvironment.file("Tests/AdAttributionTests/Fixtures/adattributionkit.json")))
            let entries = try #require(vectors as? [[String: Any]])
            let postbacks = entries.filter { $0["kind"] as? String == "aak-postback" }
            try #require(postbacks.count == 2)
            let (installation, _, client) = try RunningServer.current
            for entry in postbacks {
                let postback = try #require(entry["postback"])
                let body = try JSONSerialization.data(withJSONObject: postback)
                let answer = try await client.post(Array(body))
                // The other one is a mock of the documentation for a network that is not in the ring.
                let verifies = entry["verifies"] as? Bool == true
                #expect(answer.outcome == (verifies ? "accepted" : "unknown_network"))
            }
            #expect(
                try await installation.database.column(
                    """
                    SELECT concat_ws(' ', environment, reengagements, ad_network_id)
                      FROM attribution.report_campaign_daily_all
                    """) == ["development 1 development.adattributionkit"])
            #expect(
                try await installation.database.column("SELECT campaign FROM attribution.report_campaign_daily") == [])
        }

        @Test(
            "A postback that can't be stored gets 500 in AdAttributionKit, for which Apple promises a retry, and else 503"
        )
        func unavailable() async throws {
            try await TestCluster.with { cluster in
                try await Installation.with(on: cluster.url) { installation in
                    let (_, client) = try await installation.start()
                    let kit = TestAdAttributionKitPostback()
                    let genuine = try kit.body(installation.keys.postbackKeyP256)
                    let forged = try kit.body(SigningKey.generate())
                    let old = try TestPostback().body(installation.keys.postbackKey)
                    try await cluster.run("kill")
                    for (body, status) in [(genuine, 500), (forged, 500), (old, 503), (Array("{".utf8), 503)] {
                        let answer = try await client.post(body)
                        #expect(answer.status == status)
                        #expect(answer.outcome == "storage_unavailable")
                        #expect(answer.headers["retry-after"] == ["30"])
                    }
                    try await cluster.run("start")
                    try await eventually("it is accepted") {
                        try await client.post(genuine).outcome == "accepted" ? true : nil
                    }
                    #expect(try await client.post(forged).outcome == "invalid_signature")
                }
            }
        }
    }
}
