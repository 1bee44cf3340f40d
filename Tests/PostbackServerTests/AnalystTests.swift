import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("Servers and reports beside other roles")
    struct AnalystTests {
        @Test(
            "Servers, commands and recounts run nothing that is in public; the rights to read reports read all of each"
        )
        func quarter() async throws {
            try await TestRole.with { role in
                try await Installation.with { installation in
                    let database = installation.database
                    try await database.run("GRANT CREATE ON SCHEMA public TO \(role.name)")
                    try await role.on(database).run(role.replaceFunctions(in: "public"))
                    // A session that does not set its path finds these functions before those of pg_catalog.
                    try await database.run(
                        """
                        DO $$ BEGIN
                            EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database());
                        END $$
                        """)
                    let trapped = try await installation.psql(["-c", "SELECT now()"])
                    #expect(trapped.code != 0)
                    let quarter = RecountedQuarter(installation: installation)
                    try await quarter.load()
                    try await quarter.finish()
                    let recount = try await database.recountInPython()
                    #expect(recount.code == 0, "\(recount.text)")
                    let bodies = try await installation.psql(
                        ["-f", TestEnvironment.root + "tools/recount-bodies.sql"])
                    #expect(bodies.code == 0 && bodies.output.isEmpty, "\(bodies.output) \(bodies.errors)")
                    try await reports(database, role)
                    try await serve(installation)
                    try FileManager.default.createDirectory(
                        atPath: installation.folder + "/events", withIntermediateDirectories: true)
                    for command in [
                        ["export", installation.folder + "/events"], ["report", "campaign_daily"], ["scheme", "list"],
                        ["mapping", "list"], ["reprocess"], ["fold"], ["recount"],
                    ] { try await installation.succeed(command) }
                }
            }
        }

        /// A postback, reports and the page.
        private func serve(_ installation: Installation) async throws {
            try await installation.withServer { server, client in
                #expect(try await client.post(TestKeys.apple()).outcome == "accepted")
                let port = try await server.port(of: "admin")
                let admin = try await client.admin(of: server)
                #expect(try await admin.request(.GET, "/ready").status == 200)
                for report in ["campaign_daily", "install_campaign", "cost", "modelled_revenue"] {
                    let answer = try await admin.request(
                        .GET, "/v1/reports/\(report)?from=2026-07-01&to=2026-08-01",
                        headers: Installation.authorization)
                    #expect(answer.status == 200, "\(report): \(answer.text)")
                }
                try await PageClient.with(port: port) { page in
                    try await page.signIn()
                    for path in ["/", "/live", "/refused", "/system", "/schemes"] {
                        let answer = try await page.get(path)
                        #expect(answer.status == 200, "\(path): \(answer.status)")
                    }
                }
            }
        }

        /// Each report, a view or a function of days, has the same rows for the analyst and for the owner.
        private func reports(_ database: TestDatabase, _ role: TestRole) async throws {
            try await database.run(try AnalystRights.script(for: role.name))
            let analyst = try role.on(database)
            try await database.run(
                """
                INSERT INTO attribution.delivery_daily (destination, day, sent, retried, failed, dead, latencies)
                VALUES ('partner', '2026-07-02', 1, 0, 0, 0, 1::bigint || array_fill(0::bigint, ARRAY[15]));
                INSERT INTO attribution.store_product (bundle_id, product_id) VALUES ('com.example', 'monthly');
                INSERT INTO attribution.store_transaction (
                    environment, transaction_id, original_transaction_id, product, purchased_at, expires_at,
                    received_at, currency, price, revoked_at)
                SELECT 'production', '1', '1', product, now(), now() + interval '30 days', now(), 'USD', 9990, now()
                  FROM attribution.store_product WHERE bundle_id = 'com.example';
                INSERT INTO attribution.store_app_id (bundle_id, app_id) VALUES ('com.example', 525463029);
                INSERT INTO attribution.apple_ads_attribution (
                    digest, day, advertised_app_id, is_attributed, org_id, campaign_id, ad_group_id, country_or_region,
                    conversion_type, claim_type)
                VALUES (sha256('1'), attribution.day_of(now()), 525463029, true, 1, 2, 3, 'US', 'Download', 'Click');
                INSERT INTO attribution.store_renewal (
                    environment, original_transaction_id, product, is_in_billing_retry, renewal_price, currency)
                SELECT 'production', '1', product, true, 9990, 'USD' FROM attribution.store_product
                 WHERE bundle_id = 'com.example';
                INSERT INTO attribution.answer_daily (
                    answer_table, line, day, sequence_index, did_win, currency, postbacks)
                SELECT attribution.answer_table('install', 'campaign'), min(line), attribution.day_of(now()), 0, true,
                       '', 60
                  FROM attribution.line
                  JOIN attribution.store_sides(NULL) USING (environment, developer_copy, advertised_app_id)
                  JOIN attribution.store_app ON app_id = advertised_app_id AND bundle_id = 'com.example'
                 WHERE environment = 'production'
                """)
            let sources = try await database.column(
                """
                SELECT format('%I.%I', nspname, relname)
                  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                 WHERE relkind = 'v'
                   AND (nspname = 'appsflyer'
                        OR nspname = 'attribution' AND relname ~ '^(report_.*|postback(_answer)?|copy_difference.*)$')
                UNION ALL
                SELECT format('attribution.%I(''-infinity'', ''infinity'', an_environment => NULL%s)', proname,
                              CASE WHEN 'copies' = ANY (proargnames) THEN ', copies => NULL' END)
                  FROM pg_proc WHERE pronamespace = 'attribution'::regnamespace AND proname LIKE 'report\\_%'
                """
            ).compactMap { $0 }
            #expect(sources.count > 110)
            for source in sources {
                let rows = "SELECT concat(count(*), ' ', sum(hashtextextended(r::text, 0))) FROM \(source) AS r"
                let seen = try await analyst.value(rows)
                #expect(try await database.value(rows) == seen, "\(source)")
                #expect(seen != "0 ", "\(source)")
            }
            // Of these installs there are no postbacks.
            try await database.run("DELETE FROM attribution.answer_daily WHERE postbacks = 60 AND fine IS NULL")
            #expect(try await analyst.value("SELECT count(*) FROM attribution.missing_day") == "0")
            let origins = "SELECT num_nonnulls(max(ip), max(user_agent)) FROM appsflyer.skad_inapps_all"
            #expect(try await analyst.value(origins) == "0")
        }
    }
}
