import PostgresClient
import TestSupport
import Testing

@testable import EventLog
@testable import PostbackStore

@Suite(
    "Distributing a database over a Citus cluster",
    .enabled(if: TestEnvironment.hasCluster, TestEnvironment.clusterReason))
struct DistributionTests {
    private func count(_ deliveries: [PostbackDelivery], in database: TestDatabase) async throws -> [DeliveryOutcome] {
        try await database.withStore { store in try await store.record(deliveries).map { try $0.get() } }
    }

    /// The text of all events from a cursor on, by page, and the cursor behind them.
    private func events(
        after cursor: LogCursor, of database: TestDatabase, atMost limit: Int = .max
    ) async throws -> (lines: [String], next: LogCursor) {
        try await database.withStore { store in
            var cursor = cursor
            var lines: [String] = []
            while lines.count < limit {
                let page = try await store.eventPage(after: cursor, limit: 40)
                try await page.write { part in
                    lines += String(decoding: part, as: UTF8.self).split(separator: "\n").map(String.init)
                }
                cursor = page.next
                if page.isAtEnd { break }
            }
            return (lines, cursor)
        }
    }

    /// A digest of the rows of each report, by name.
    private func reports(_ database: TestDatabase) async throws -> [String: String] {
        let sources = try await database.column(
            """
            SELECT format('%I.%I', schemaname, viewname)
              FROM pg_views
             WHERE schemaname = 'appsflyer' OR schemaname = 'attribution'
                   AND (viewname LIKE 'report%' OR viewname IN ('postback_answer', 'recount'))
            UNION ALL
            SELECT format('attribution.%I(''2026-01-01'', ''2026-12-31'')', proname)
              FROM pg_proc
             WHERE pronamespace = 'attribution'::regnamespace AND proname LIKE 'report\\_%'
               AND pronargs - pronargdefaults = 2 AND proargtypes[0] = 'date'::regtype AND proargtypes[1] = 'date'::regtype
            """
        ).compactMap(\.self)
        #expect(sources.count > 30)
        var digests: [String: String] = [:]
        for source in sources {
            // The lane is the number of the lane that has the postback now.
            digests[source] = try await database.value(
                """
                SELECT count(*) || ' ' || md5(coalesce(string_agg(row, ' ' ORDER BY row), ''))
                  FROM (SELECT (to_jsonb(report) - 'lane')::text AS row FROM \(source) AS report) AS rows
                """)
        }
        return digests
    }

    /// Comments and rights of views, which the reports' descriptions are made of.
    private func descriptions(_ database: TestDatabase) async throws -> [String?] {
        try await database.column(
            """
            SELECT concat_ws(' ', relname, relacl, objsubid, description,
                             (SELECT string_agg(attname || attacl::text, ' ' ORDER BY attname)
                                FROM pg_attribute WHERE attrelid = pg_class.oid))
              FROM pg_class
              LEFT JOIN pg_description ON objoid = pg_class.oid AND classoid = 'pg_class'::regclass
             WHERE relkind = 'v' AND relnamespace IN ('attribution'::regnamespace, 'appsflyer'::regnamespace)
             ORDER BY 1
            """)
    }

    @Test(
        "Each shard gets one new lane. Postbacks stay counted once, readers go on, and reports with events that are not folded are those of plain PostgreSQL"
    )
    func thereAndBack() async throws {
        let all = try Deliveries().simulated(600, seed: 5)
        let (first, second) = (Array(all[..<400]), Array(all[400...]))
        try await CitusCluster.withDatabase(lanes: 2) { database in
            try await database.run(
                """
                GRANT SELECT ON attribution.report_campaign TO PUBLIC;
                GRANT SELECT (received_at, source_address) ON attribution.postback_origin TO PUBLIC
                """)
            let outcomes = try await count(first, in: database)
            let descriptions = try await descriptions(database)
            let start = try await events(after: .start, of: database, atMost: 100)
            let rest = try await events(after: start.next, of: database)

            let plan = try await database.owner.withStore { try await $0.distributionPlan(lanes: 8) }
            #expect(plan.refusals == [] && plan.changesLanes && plan.presentLanes == 2 && plan.workers.count == 2)
            #expect(try await database.owner.withStore { try await $0.distribute(plan) }.differences == 0)
            await database.closeSession()
            // Sessions that the coordinator opens on workers are ours too.
            #expect(
                try await database.serving.column("SELECT result FROM run_command_on_workers('SHOW search_path')")
                    == ["pg_catalog, pg_temp", "pg_catalog, pg_temp"])
            #expect(
                try await database.column(
                    """
                    SELECT count(DISTINCT get_shard_id_for_distribution_column('attribution.postback_state', lane))
                      FROM attribution.lane WHERE NOT is_closed
                    """) == ["8"])
            #expect(
                try await database.column(
                    """
                    SELECT count(*)
                      FROM attribution.postback_state AS state
                      JOIN attribution.lane USING (lane)
                     WHERE is_closed
                        OR attribution.transaction_hash(transaction_id) NOT BETWEEN lane.first_hash AND lane.last_hash
                    """) == ["0"])

            let again = try await count(first, in: database)
            #expect(!again.contains(.accepted) && !again.contains(.raised))
            #expect(again.count { $0 == .conflict } == outcomes.count { $0 == .conflict })
            let later = try await count(second, in: database)
            #expect(later.contains(.accepted) && later.contains(.raised))
            let after = try await events(after: start.next, of: database)
            #expect(Array(after.lines.prefix(rest.lines.count)) == rest.lines)
            #expect(
                "\(start.lines.count + after.lines.count)"
                    == (try await database.value("SELECT count(*) FROM attribution.postback_log")))

            try await database.withStore { _ = try await $0.foldAnswers(waits: true) }
            let distributed = try await reports(database)
            #expect(try await database.value("SELECT count(*) FROM attribution.unfolded()") != "0")
            let second = try await database.owner.withStore { try await $0.distributionPlan() }
            #expect(second.isDistributed && !second.changesLanes && second.lanes == 8 && second.refusals == [])
            #expect(try await database.owner.withStore { try await $0.distribute(second) }.differences == 0)

            #expect(try await database.owner.withStore { try await $0.undistribute() }.differences == 0)
            await database.closeSession()
            #expect(try await database.value("SELECT attribution.is_distributed()") == "false")
            #expect(try await database.value("SELECT count(*) FROM attribution.unfolded()") != "0")
            let plain = try await reports(database)
            #expect(plain.keys.sorted().filter { plain[$0] != distributed[$0] } == [])
            #expect(try await self.descriptions(database) == descriptions)
            #expect(!(try await count(all, in: database)).contains(.accepted))
            #expect(try await database.recount() == [])
        }
    }

    @Test("A database without Citus, one without workers, and one that somebody uses are refused with reasons")
    func refusals() async throws {
        try await TestDatabase.with { database in
            let plan = try await database.owner.withStore { try await $0.distributionPlan() }
            #expect(plan.refusals.count == 1 && plan.refusals.first?.contains("CREATE EXTENSION") == true)
            await #expect(throws: DistributionError(reasons: plan.refusals)) {
                try await database.owner.withStore { try await $0.distribute(plan) }
            }
            await #expect(throws: DistributionError(reasons: ["the tables are not distributed"])) {
                try await database.owner.withStore { try await $0.undistribute() }
            }
        }
        try await CitusCluster.withDatabase { database in
            try await database.withPool(size: 1) { pool in
                try await pool.withConnection { _ = try $0.query(PostgresStatement("test", "SELECT 1")) }
                let used = try await database.owner.withStore { try await $0.distributionPlan() }
                #expect(used.refusals == ["1 sessions of servers or commands are open: stop them first"])
            }
            try await database.run("SELECT citus_remove_node(nodename, nodeport) FROM pg_dist_node WHERE groupid > 0")
            let alone = try await database.owner.withStore { try await $0.distributionPlan() }
            #expect(alone.refusals == ["there is no worker: run SELECT citus_add_node(…)"])
        }
    }
}
