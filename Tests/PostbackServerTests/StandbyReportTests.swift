import Foundation
import NIOHTTP1
import PostgresClient
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("Reports from a standby")
    struct StandbyReportTests {
        private static let path = "/v1/reports/campaign_daily?environment=test"

        private func report(_ admin: PostbackClient) async throws -> PostbackClient.Answer {
            try await admin.request(.GET, Self.path, headers: Installation.authorization)
        }

        private func lag(_ answer: PostbackClient.Answer) throws -> Double {
            let text = try #require(answer.headers["replication-lag"].first)
            #expect(text.wholeMatch(of: /[0-9]+\.[0-9]{3}/) != nil, "\(text)")
            return try #require(Double(text))
        }

        /// How many installs a report shows.
        private func installs(_ answer: PostbackClient.Answer) throws -> Int {
            let object = try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [String: Any]
            return try #require(object?["rows"] as? [[String: Any]]).reduce(0) { $0 + ($1["installs"] as? Int ?? 0) }
        }

        @Test("The standby makes the reports, and each says how far it was behind")
        func lag() async throws {
            try await TestCluster.with { cluster in
                try await Installation.with(on: cluster.url) { installation in
                    let key = installation.keys.postbackKey
                    try await cluster.withStandby { standby in
                        let replica = try installation.database.copy(on: standby.url)
                        try await installation.withServer(["REPORTS_DATABASE_URL": replica.serving.url]) {
                            server, client in
                            let admin = try await client.admin(of: server)
                            #expect(server.lines.contains { $0.contains("\"reports_database\":\"own\"") })
                            #expect(try await client.post(TestPostback().body(key)).status == 200)
                            try await eventually("the standby has the postback, and says that it has all") {
                                let answer = try await report(admin)
                                #expect(answer.status == 200)
                                return try lag(answer) == 0 && installs(answer) == 1 ? true : nil
                            }
                            try await replica.run("SELECT pg_wal_replay_pause()")
                            #expect(try await client.post(TestPostback().body(key)).status == 200)
                            let early = try await eventually("the standby is behind") {
                                let answer = try await report(admin)
                                return try lag(answer) > 0 ? answer : nil
                            }
                            #expect(try installs(early) == 1)
                            let (first, csv) = (
                                try lag(early),
                                try await admin.request(
                                    .GET, Self.path + "&format=csv", headers: Installation.authorization)
                            )
                            #expect(try lag(csv) >= first)
                            try await replica.run("SELECT pg_wal_replay_resume()")
                            try await eventually("the standby has both") {
                                let answer = try await report(admin)
                                return try lag(answer) == 0 && installs(answer) == 2 ? true : nil
                            }
                        }
                    }
                }
            }
        }

        @Test("If the standby is gone, reports are refused, unless the setting names the primary too")
        func gone() async throws {
            try await TestCluster.with { cluster in
                try await Installation.with(on: cluster.url) { installation in
                    let body = try TestPostback().body(installation.keys.postbackKey)
                    try await cluster.withStandby { standby in
                        let replica = try installation.database.copy(on: standby.url)
                        let both = try installation.database.copy(on: standby.url, cluster.url)
                        try await installation.withServer(["REPORTS_DATABASE_URL": replica.serving.url]) {
                            alone, client in
                            try await installation.withServer(["REPORTS_DATABASE_URL": both.serving.url]) { other, _ in
                                let strict = try await client.admin(of: alone)
                                let lenient = try await client.admin(of: other)
                                for admin in [strict, lenient] {
                                    let answer = try await report(admin)
                                    #expect(answer.status == 200)
                                    _ = try lag(answer)
                                }
                                try await standby.run("stop")
                                #expect(try await client.post(body).status == 200)
                                let refused = try await eventually("the standby is missed") {
                                    let answer = try await report(strict)
                                    return answer.status == 503 ? answer : nil
                                }
                                #expect(refused.text.contains("\"field\":\"reports_database\""), "\(refused.text)")
                                #expect(refused.headers["replication-lag"].isEmpty)
                                #expect(try await strict.request(.GET, "/ready").status == 200)
                                let answer = try await eventually("the primary makes the report") {
                                    let answer = try await report(lenient)
                                    return answer.status == 200 ? answer : nil
                                }
                                #expect(answer.headers["replication-lag"].isEmpty)
                                #expect(try installs(answer) == 1)
                            }
                        }
                    }
                }
            }
        }

        @Test("A standby can make every report: none writes, or takes a lock that a standby refuses")
        func everyReport() async throws {
            try await TestCluster.with { cluster in
                try await Installation.with(on: cluster.url) { installation in
                    let bodies = try installation.keys.simulate(seed: 7, count: 500)
                    try await installation.withServer { _, client in
                        #expect(await client.stream(bodies, clients: 4).allSatisfy { $0?.status == 200 })
                    }
                    try await cluster.withStandby { standby in
                        let replica = try installation.database.copy(on: standby.url)
                        try await eventually("the standby has all") {
                            (try? await replica.value("SELECT count(*) FROM attribution.postback_state"))
                                == (try await installation.database.value(
                                    "SELECT count(*) FROM attribution.postback_state")) ? true : nil
                        }
                        let calls = try await replica.column(Self.reports).compactMap { $0 }
                        #expect(calls.count > 20)
                        for call in calls {
                            await #expect(throws: Never.self, "\(call)") {
                                _ = try await replica.value("SELECT count(*) FROM \(call)")
                            }
                        }
                        #expect(try await replica.recounts() == [])
                        // Advisory locks are taken on a standby as on a primary.
                        #expect(try await replica.value("SELECT pg_try_advisory_xact_lock(1)") == "true")
                    }
                }
            }
        }

        /// Each view, and a call of each function whose name begins as a report's; for days of this week.
        private static let reports = """
            SELECT 'attribution.' || quote_ident(relname) FROM pg_class
             WHERE relnamespace = 'attribution'::regnamespace AND relkind = 'v'
            UNION ALL
            SELECT format('attribution.%I(%s)', proname, (
                       SELECT string_agg(
                                  CASE type WHEN 'date'::regtype THEN 'current_date'
                                            ELSE format('NULL::%s', type) END, ', ' ORDER BY place)
                         FROM unnest(proargtypes::regtype[]) WITH ORDINALITY AS argument (type, place)
                        WHERE place <= pronargs - pronargdefaults))
              FROM pg_proc
             WHERE pronamespace = 'attribution'::regnamespace AND proretset AND proname LIKE 'report%'
            """
    }
}
