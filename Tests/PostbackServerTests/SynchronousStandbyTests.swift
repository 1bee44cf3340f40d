import Foundation
import NIOHTTP1
import PostgresClient
import TestSupport
import Testing

extension ServerTests {
    @Suite("A synchronous standby")
    struct SynchronousStandbyTests {
        /// Makes commits wait for a standby with this name, or for none.
        private func setStandby(_ name: String, of database: TestDatabase) async throws {
            try await database.run("ALTER SYSTEM SET synchronous_standby_names = '\(name)'")
            try await database.run("SELECT pg_reload_conf()")
            try await eventually("the setting is there") {
                try await database.value("SELECT current_setting('synchronous_standby_names')") == name ? true : nil
            }
        }

        /// Cancels the wait for a standby, as soon as a statement with this name waits.
        private func cancelWait(of statement: String, in database: TestDatabase) async throws {
            try await eventually("a commit waits for the standby") {
                try await database.value(
                    """
                    SELECT bool_or(pg_cancel_backend(pid)) FROM pg_stat_activity
                     WHERE wait_event = 'SyncRep' AND query LIKE '-- \(statement)%' AND datname = current_database()
                    """) == "true" ? true : nil
            }
        }

        @Test("However the client commits, it says that the standby may lack the work if the wait was cancelled")
        func everyCommit() async throws {
            let insert = PostgresStatement("insert", "INSERT INTO public.kept VALUES (1)")
            let commits: [(String, @Sendable (isolated PostgresConnection) throws -> Void)] = [
                ("insert", { _ = try $0.query(insert) }),
                ("insert", { _ = try $0.pipeline([PostgresPipelineStep(insert), PostgresPipelineStep(insert)]) }),
                ("unit", { try $0.transaction("unit") { _ = try $0.query(insert) } }),
                ("script", { try $0.execute(script: "INSERT INTO public.kept VALUES (1)") }),
            ]
            try await TestCluster.with { cluster in
                try await TestDatabase.with(migrated: false, on: cluster.url) { database in
                    try await database.run("CREATE TABLE public.kept (a integer)")
                    try await setStandby("nobody", of: database)
                    try await database.withPool(size: 1) { pool in
                        for (statement, commit) in commits {
                            async let cancelled: Void = cancelWait(of: statement, in: database)
                            let error = await #expect(throws: PostgresError.self) {
                                try await pool.withConnection { try commit($0) }
                            }
                            try await cancelled
                            #expect(error?.code == .notReplicated)
                            #expect(error?.isOutcomeUnknown == true && error?.isUnavailable == true)
                            // Reading waits for nobody, and the connection is as good as before.
                            #expect(pool.state.idle == 1)
                        }
                        #expect(try await database.value("SELECT count(*) FROM public.kept") == "5")
                    }
                    try await setStandby("", of: database)
                }
            }
        }

        @Test(
            "If the standby stops, nothing is acknowledged that it lacks: neither a postback whose wait was cancelled, nor its duplicate"
        )
        func stoppedStandby() async throws {
            try await TestCluster.with { cluster in
                try await Installation.with(on: cluster.url) { installation in
                    let (database, key) = (installation.database, installation.keys.postbackKey)
                    let kit = try TestAdAttributionKitPostback().body(installation.keys.postbackKeyP256)
                    let (first, second) = (try TestPostback().body(key), try TestPostback().body(key))
                    try await cluster.withStandby { standby in
                        try await setStandby("*", of: database)
                        try await eventually("the standby is synchronous") {
                            try await database.value("SELECT sync_state FROM pg_stat_replication") == "sync"
                                ? true : nil
                        }
                        try await installation.withServer { server, client in
                            let admin = try await client.admin(of: server)
                            // The dimensions' rows are there before, and the days of both lanes are known.
                            for _ in 0..<20 {
                                #expect(try await client.post(TestPostback().body(key)).status == 200)
                                let kit = try TestAdAttributionKitPostback().body(installation.keys.postbackKeyP256)
                                #expect(try await client.post(kit).status == 200)
                            }
                            try await standby.whileStopped {
                                for (body, status) in [(first, 503), (kit, 500)] {
                                    async let cancelled: Void = cancelWait(of: "postback_count", in: database)
                                    let answer = try await client.post(body)
                                    try await cancelled
                                    #expect(answer.status == status)
                                    #expect(answer.outcome == "storage_unavailable")
                                }
                                // They are stored here all the same.
                                #expect(try await database.value("SELECT count(*) FROM attribution.postback") == "42")
                                let metrics = try await admin.request(.GET, "/metrics").text
                                #expect(
                                    metrics.contains("\nadattribution_commits_not_replicated_total 2\n"), "\(metrics)")
                                #expect(server.lines.contains { $0.contains("perhaps not on the standby") })
                                // What is there is no duplicate for the client until the standby has it too.
                                #expect(try await client.post(first).status == 503)
                                for _ in 0..<5 { #expect(try await admin.request(.GET, "/ready").status == 503) }
                                #expect(
                                    try await database.value(
                                        """
                                        SELECT count(*) FROM pg_stat_activity
                                         WHERE wait_event = 'SyncRep' AND query LIKE '-- check_writing%'
                                        """) == "1")
                            }
                            for body in [first, kit] { #expect(try await client.post(body).outcome == "duplicate") }
                            #expect(try await client.post(second).outcome == "accepted")
                            #expect(try await admin.request(.GET, "/ready").status == 200)
                        }
                        // Else what follows would wait for the standby, which is gone.
                        try await setStandby("", of: database)
                    }
                    #expect(try await database.recounts() == [])
                }
            }
        }
    }
}
