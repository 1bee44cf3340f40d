import Foundation
import PostgresClient
import TestSupport
import Testing

extension ServerTests {
    @Suite("A standby that takes over")
    struct FailoverTests {
        @Test(
            "If the standby lacks rows of dimensions that the server remembers, postbacks count for the right campaign")
        func lostDimensions() async throws {
            try await TestCluster.with { cluster in
                try await Installation.with(on: cluster.url) { installation in
                    let key = installation.keys.postbackKey
                    func body(_ campaign: Int) throws -> [UInt8] {
                        try TestPostback { $0.campaignID = campaign }.body(key)
                    }
                    try await cluster.withStandby { standby in
                        let replica = try installation.database.copy(on: standby.url)
                        let both = try installation.database.copy(on: cluster.url, standby.url)
                        try await installation.withServer(["DATABASE_URL": both.serving.url]) { server, client in
                            for _ in 0..<10 { #expect(try await client.post(body(1)).status == 200) }
                            try await eventually("the standby has them") {
                                try await replica.value("SELECT count(*) FROM attribution.postback_state") == "10"
                                    ? true : nil
                            }
                            try await replica.run("ALTER SYSTEM SET primary_conninfo = ''")
                            try await replica.run("SELECT pg_reload_conf()")
                            try await eventually("the standby receives nothing more") {
                                try await replica.value("SELECT count(*) FROM pg_stat_wal_receiver") == "0" ? true : nil
                            }
                            // The standby never gets this campaign's number, which the server remembers.
                            for _ in 0..<10 { #expect(try await client.post(body(2)).status == 200) }
                            try await cluster.run("kill")
                            try await replica.run("SELECT pg_promote()")
                            // Nor does it know that one of the old primary's numbers belonged to another campaign.
                            for campaign in [2, 3, 2, 3] {
                                let body = try body(campaign)
                                try await eventually("the server has found the new primary") {
                                    try await client.post(body).status == 200 ? true : nil
                                }
                            }
                            #expect(server.isRunning)
                        }
                        #expect(
                            try await replica.column(
                                "SELECT campaign || ' ' || count(*) FROM attribution.postback GROUP BY campaign ORDER BY 1"
                            )
                                == ["1 10", "2 2", "3 2"])
                        #expect(try await replica.recounts() == [])
                    }
                }
            }
        }
    }
}
