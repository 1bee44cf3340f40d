import AdAttribution
import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("The admin listener")
    struct AdminTests {
        private func admin(_ changes: [String: String] = [:]) async throws -> (
            Installation, PostbackClient, admin: PostbackClient
        ) {
            let installation = try Installation.current
            let (server, client) = try await installation.start(changes)
            return (installation, client, try await client.admin(of: server))
        }

        private func sign(
            _ admin: PostbackClient, _ body: String, _ query: String = ""
        ) async throws -> PostbackClient.Answer {
            try await admin.request(
                .POST, "/v1/impressions\(query)", headers: Installation.authorization, body: Array(body.utf8))
        }

        @Test("Signing works for OpenRTB, StoreKit and AdAttributionKit, and counts an ad once", .installation)
        func formats() async throws {
            let impression = """
                {"ad-network-id":"example123.skadnetwork","source-identifier":5239,"itunes-item-id":525463029,
                 "source-app-id":1234567891}
                """
            let (installation, _, admin) = try await admin()
            let openRTB = try await sign(admin, impression, "?format=openrtb")
            #expect(openRTB.status == 200)
            let skadn = try #require(try JSONSerialization.jsonObject(with: Data(openRTB.text.utf8)) as? [String: Any])
            #expect((skadn["fidelities"] as? [[String: Any]])?.count == 2)
            #expect(skadn["sourceidentifier"] as? String == "5239")
            let storeKit = try await sign(admin, impression, "?format=storekit")
            #expect(storeKit.text.contains("\"SKStoreProductParameterAdNetworkAttributionSignature\""))
            let kit = try await sign(admin, "[\(impression),{}]", "?format=jws")
            let items = try #require(try JSONSerialization.jsonObject(with: Data(kit.text.utf8)) as? [[String: Any]])
            let jws = try #require(items.first?["jws-string"] as? String)
            let signed = try SignedAdAttributionKitImpression(compactJWS: jws)
            #expect(signed.isValid(under: installation.networkKey.publicKey))
            #expect(items.last?["error"] != nil)
            // Without a fidelity type there is no app ad of 4.0 under Apple's names.
            #expect(try await sign(admin, impression, "?format=json").status == 400)
            try await eventually("three impressions are counted") {
                try await installation.database.column(
                    """
                    SELECT concat_ws(' ', protocol, impressions) FROM attribution.report_campaign
                     WHERE campaign = '5239' ORDER BY 1
                    """) == ["adattributionkit 1", "skadnetwork 2"] ? true : nil
            }
            let metrics = try await admin.request(.GET, "/metrics").text
            #expect(metrics.contains("adattribution_impressions_signed_total{version=\"none\"} 1\n"))
            #expect(metrics.contains("adattribution_impressions_signed_total{version=\"4.0\"} 2\n"))
        }

        @Test(
            "One impression or up to a thousand are signed, each with its own answer, and counted beside the installs",
            .installation)
        func signing() async throws {
            let (installation, _, admin) = try await admin()
            let one = try await sign(admin, Installation.impression)
            #expect(one.status == 200)
            let key = installation.networkKey.publicKey
            #expect(try SignedImpression(json: Array(one.text.utf8)).isValid(under: key))
            let bad = Installation.impression.replacing(":42", with: ":101")
            let three = try await sign(admin, "[\(Installation.impression),\(bad),\(Installation.impression)]")
            #expect(three.status == 200)
            let items = try #require(try JSONSerialization.jsonObject(with: Data(three.text.utf8)) as? [[String: Any]])
            #expect(items.map { $0["signature"] != nil } == [true, false, true])
            #expect((items[1]["error"] as? [String: String])?["field"] == "campaign-id")
            let thousand = Array(repeating: Installation.impression, count: 1_000).joined(separator: ",")
            #expect(try await sign(admin, "[\(thousand)]").status == 200)
            #expect(try await sign(admin, "[\(thousand),\(Installation.impression)]").status == 400)
            for body in [
                "", "[", "{}", "[1]x", bad, Installation.impression.replacing("example123", with: "example124"),
            ] {
                let refused = try await sign(admin, body)
                #expect(refused.status == 400, "\(body) \(refused.text)")
                #expect(refused.text.contains("\"field\""))
            }
            for query in ["format=xml", "format=json&format=jws", "form=jws", "format="] {
                let refused = try await sign(admin, Installation.impression, "?" + query)
                #expect(refused.status == 400, "\(query)")
            }
            let view = "SELECT impressions FROM attribution.report_campaign_daily WHERE campaign = '42'"
            try await eventually("1,003 impressions are counted") {
                try await installation.database.value(view) == "1003" ? true : nil
            }
        }

        @Test("Signing works while the database can't be reached, and the counts are added when it is back")
        func signsWithoutDatabase() async throws {
            try await TestCluster.with { cluster in
                try await Installation.with(on: cluster.url) { installation in
                    let (server, client) = try await installation.start()
                    let admin = try await client.admin(of: server)
                    try await cluster.run("kill")
                    for _ in 0..<5 { #expect(try await sign(admin, Installation.impression).status == 200) }
                    try await cluster.run("start")
                    try await eventually("5 impressions are counted") {
                        try await installation.database.value(
                            "SELECT impressions FROM attribution.report_campaign_daily") == "5" ? true : nil
                    }
                }
            }
        }

        @Test("Signing and reports need the token; health, readiness and metrics do not", .installation)
        func token() async throws {
            let (_, _, admin) = try await self.admin()
            for path in ["/health", "/ready", "/metrics"] {
                #expect(try await admin.request(.GET, path).status == 200)
            }
            for headers in [[], [("Authorization", "Bearer wrong")], [("Authorization", Installation.token)]] {
                let report = try await admin.request(.GET, "/v1/reports/campaign_daily", headers: headers)
                #expect(report.status == 401)
                let signing = try await admin.request(
                    .POST, "/v1/impressions", headers: headers, body: Array(Installation.impression.utf8))
                #expect(signing.status == 401)
            }
            #expect(try await admin.request(.POST, PostbackClient.path, body: []).status == 404)
            let (_, _, other) = try await self.admin(["ADMIN_TOKEN": ""])
            let report = try await other.request(
                .GET, "/v1/reports/campaign_daily", headers: Installation.authorization)
            #expect(report.status == 401)
        }

        @Test("The metrics say how far each reader of the log is behind", .installation)
        func logReaderLag() async throws {
            let (_, _, admin) = try await admin()
            while true {
                let text = try await admin.request(.GET, "/metrics").text
                // It is asked for soon after the start.
                guard text.contains("\nadattribution_log_reader_lag_seconds") else {
                    try await Task.sleep(for: .milliseconds(50))
                    continue
                }
                #expect(text.contains("# TYPE adattribution_log_reader_lag_seconds gauge\n"))
                #expect(text.contains("# HELP adattribution_log_reader_lag_seconds Age of the oldest event"))
                #expect(text.contains("\nadattribution_log_reader_lag_seconds{reader=\"figures\"} 0\n"))
                return
            }
        }

        @Test("The metrics have their documented names and types", .installation)
        func metrics() async throws {
            let (_, client, admin) = try await admin()
            #expect(try await client.post(TestKeys.apple()).outcome == "accepted")
            #expect(try await sign(admin, Installation.impression).status == 200)
            let answer = try await admin.request(.GET, "/metrics")
            #expect(answer.headers["content-type"] == ["text/plain; version=0.0.4; charset=utf-8"])
            for (name, type) in [
                ("adattribution_postbacks_total", "counter"), ("adattribution_postback_conflicts_total", "counter"),
                ("adattribution_postback_duration_seconds", "histogram"),
                ("adattribution_postback_verify_seconds", "histogram"),
                ("adattribution_commit_duration_seconds", "histogram"),
                ("adattribution_commit_batch_postbacks", "histogram"),
                ("adattribution_ingest_queue_postbacks", "gauge"),
                ("adattribution_impressions_signed_total", "counter"),
                ("adattribution_database_connections", "gauge"), ("adattribution_quarantine_rows", "gauge"),
            ] {
                #expect(answer.text.contains("# TYPE \(name) \(type)\n"), "\(name)")
            }
            #expect(
                answer.text.contains(
                    "adattribution_postbacks_total{environment=\"production\",outcome=\"accepted\",protocol=\"skadnetwork\","
                        + "version=\"2.0\"} 1\n"))
            #expect(answer.text.contains("adattribution_impressions_signed_total{version=\"2.0\"} 1\n"))
            #expect(answer.text.contains("\nadattribution_postback_duration_seconds_count 1\n"))
        }
    }
}
