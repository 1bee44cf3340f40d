import DatabaseSchema
import PostbackQuarantine
import PostgresClient
import TestSupport
import Testing

@testable import AdAttribution
@testable import PostbackStore

@Suite("Rights in the database", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason))
struct RightsTests {
    private let database = TestDatabase.current

    /// What the schemas hold that is nobody's business but the owner's.
    private static let secrets = ["203.0.113.77", "secret/7", "8d1f0f35-7a5e-4f0b-9d55-1c1f0a7b5c77", "5ec3e75ec3e7"]

    /// All functions of ours; Citus has schemas of its own.
    private static let functions = """
        pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
         WHERE nspname !~ '^(pg_|citus|information_schema$|public$)' AND prokind <> 'a'
        """

    @Test(
        "A function that runs as its owner names pg_temp last in its path, and is for nobody by default",
        .onEachDatabase, .database)
    func definers() async throws {
        let definers = try await database.column(
            """
            SELECT concat_ws(' ', proname, has_function_privilege('public', pg_proc.oid, 'EXECUTE'), setting)
              FROM \(Self.functions.replacing(" WHERE", with: ", unnest(proconfig) AS setting WHERE"))
               AND prosecdef AND setting LIKE 'search_path=%' ORDER BY proname
            """)
        #expect(
            definers.compactMap(\.self)
                == (ServiceRights.servingFunctions + ServiceRights.reportFunctions).sorted().map {
                    "\($0) f search_path=pg_catalog, pg_temp"
                })
        let count = try await database.value("SELECT count(*) FROM \(Self.functions) AND prosecdef")
        #expect(count == "\(definers.count)")
        // A function with a path of its own can't become part of a query.
        let others = try await database.column(
            """
            SELECT proname FROM \(Self.functions) AND NOT prosecdef AND proconfig::text LIKE '%search_path=%'
            """)
        #expect(others == [])
        let open = try await database.column(
            """
            SELECT concat_ws(' ', nspname, can) FROM pg_namespace, unnest(ARRAY['USAGE', 'CREATE']) AS can
             WHERE nspname IN ('attribution', 'appsflyer') AND has_schema_privilege('public', oid, can)
            """)
        #expect(open == [])
    }

    /// Calls of all functions, and reads of all tables and views: a name and a statement that returns text.
    private static let walk = """
        SELECT 'function ' || proname || chr(10)
               || format('SELECT pg_catalog.to_jsonb(f)::pg_catalog.text FROM %I.%I(%s) AS f', nspname, proname,
                         (SELECT string_agg(
                                     coalesce(quote_literal(
                                         CASE WHEN proargnames[number] = 'first_day' THEN '-infinity'
                                              WHEN typname = 'date' THEN 'infinity'
                                              WHEN proargnames[number] = 'day_of' THEN 'install'
                                              WHEN proargnames[number] = 'split_by' THEN 'campaign'
                                              WHEN typname = 'bool' THEN 'true'
                                              WHEN typcategory = 'A' THEN '{}'
                                              WHEN proargnames[number] ~ 'app' THEN NULL
                                              WHEN typcategory = 'N' THEN '1' END), 'NULL')
                                     || '::pg_catalog.' || quote_ident(typname), ', ' ORDER BY number)
                            FROM unnest(proargtypes) WITH ORDINALITY AS argument (type, number)
                            JOIN pg_type ON pg_type.oid = type))
          FROM \(functions)
        UNION ALL
        SELECT 'relation ' || relname || chr(10)
               || format('SELECT pg_catalog.to_jsonb(r)::pg_catalog.text FROM %I.%I AS r', nspname, relname)
          FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
         WHERE nspname IN ('attribution', 'appsflyer') AND relkind IN ('r', 'v', 'p')
        """

    /// What a role gets that has put code of its own wherever it can: the text of the rows, or a SQLSTATE.
    private static func walk(_ database: TestDatabase, as role: TestRole) async throws -> [String: String] {
        let calls = try await database.column(walk).compactMap { $0 }.map { $0.split(separator: "\n", maxSplits: 1) }
        let createsInPublic = try await database.value(
            "SELECT has_schema_privilege('\(role.name)', 'public', 'CREATE')")
        return try await role.on(database).withPool(size: 1) { pool in
            try await pool.withConnection { connection in
                if createsInPublic == "true" {
                    try connection.execute(script: role.replaceFunctions(in: "public"))
                }
                try connection.execute(script: role.replaceTypesAndTables)
                try connection.execute(script: "SET search_path = pg_temp, public, pg_catalog")
                var results: [String: String] = [:]
                for call in calls {
                    let name = String(call[0])
                    do {
                        let rows = try connection.query(PostgresStatement("walk", String(call[1])))
                        results[name] = try rows.map { try $0.decode(String?.self, at: 0) ?? "" }
                            .joined(separator: "\n")
                    } catch let error as PostgresError {
                        results[name] = error.sqlState?.code ?? "\(error)"
                    }
                }
                return results
            }
        }
    }

    /// A database with a few postbacks, and with secrets.
    private func withSecrets(_ body: (TestDatabase) async throws -> Void) async throws {
        let deliveries = try Deliveries()
        let origin = DeliveryOrigin(address: IPAddress(Self.secrets[0]), userAgent: Self.secrets[1])
        try await TestDatabase.with { database in
            try await database.withStore { store in
                let batch = try (0..<3).map { _ in try deliveries.one(origin: origin) }
                _ = try await store.record(batch).map { try $0.get() }
                try await store.quarantine([
                    RejectedPostback(
                        body: Array("{".utf8),
                        rejection: PostbackRejection(.malformed, field: "body", rule: "is made up"),
                        receivedAt: PostbackStore.now(), origin: origin)
                ])
            }
            try await database.run(
                """
                INSERT INTO attribution.web_ad (
                    nonce, ad_network_id, source_identifier, itunes_item_id, destination_host, created_at, expires_at)
                VALUES ('\(Self.secrets[2])', 'example123.skadnetwork', 1, 2, 'example.com', now(), 'infinity');
                INSERT INTO attribution.page_session (key, signed_in_at, seen_at)
                VALUES (decode(repeat('\(Self.secrets[3])', 5) || '0000', 'hex'), now(), now());
                INSERT INTO attribution.page_draft (session_key, path, fields, has_files, kept_at)
                VALUES (decode(repeat('\(Self.secrets[3])', 5) || '0000', 'hex'), '/spend', '\(Self.secrets[1])', false, now());
                INSERT INTO attribution.destination (name, document, sha256, loaded_at, loaded_by, state_since)
                VALUES ('branch', '\(Self.secrets[1])', sha256(''), now(), 'system user root', now());
                INSERT INTO attribution.delivery (
                    destination, lane, position, ordinal, transaction_id, event, received_at, state, attempt,
                    first_failed_at, last_failed_at, is_sendable, method, url, headers, body, webhook_id, signing)
                VALUES ('branch', 0, 1, 1, gen_random_uuid(), 'accepted', now(), 'dead', 1, now(), now(), true, 'POST',
                        'https://example.com/?ip=\(Self.secrets[0])', '', '\(Self.secrets[1])', 'pb_0-1-1', '');
                INSERT INTO attribution.store_product (bundle_id, product_id) VALUES ('com.example', 'monthly');
                INSERT INTO attribution.store_transaction (
                    environment, transaction_id, original_transaction_id, product, purchased_at, received_at,
                    account_hash)
                VALUES ('test', '1', '1', 1, now(), now(), decode('\(Self.secrets[3])', 'hex'));
                INSERT INTO attribution.store_body (environment, notification_id, received_at, body)
                VALUES ('test', gen_random_uuid(), now(), decode('\(Self.secrets[3])', 'hex'));
                INSERT INTO attribution.rejected_notification (
                    key, reason, field, rule, body, source_address, attempts, first_seen_at, last_seen_at)
                VALUES ('k', 'malformed', 'body', 'is made up', decode('\(Self.secrets[3])', 'hex'),
                        '\(Self.secrets[0])', 1, now(), now());
                INSERT INTO attribution.apple_ads_token (
                    digest, token, advertised_app_id, state, received_at, next_at)
                VALUES (sha256('t'), '\(Self.secrets[1])', 1, 'waiting', now(), now());
                INSERT INTO attribution.apple_ads_attribution (digest, day, advertised_app_id, is_attributed)
                VALUES (decode(repeat('\(Self.secrets[3])', 5) || '0000', 'hex'), '2026-03-01', 1, false);
                """)
            try await body(database)
        }
    }

    @Test("A role that may only use the schemas runs nothing as the owner, and reads no row", arguments: [false, true])
    func use(createsInPublic: Bool) async throws {
        try await TestRole.with { role in
            try await withSecrets { database in
                try await database.run("GRANT USAGE ON SCHEMA attribution, appsflyer TO \(role.name)")
                if createsInPublic { try await database.run("GRANT CREATE ON SCHEMA public TO \(role.name)") }
                let results = try await Self.walk(database, as: role)
                #expect(results.count > 250)
                for (name, result) in results {
                    #expect(result != TestRole.stolen, "\(name)")
                    #expect(!name.hasPrefix("relation ") || result == "42501", "\(name): \(result)")
                    #expect(!Self.secrets.contains { result.contains($0) }, "\(name)")
                }
                for name in ServiceRights.servingFunctions + ServiceRights.reportFunctions {
                    #expect(results["function \(name)"] == "42501", "\(name)")
                }
            }
        }
    }

    @Test("A role that may read reports, and create in public, runs nothing as the owner, and reads no secret")
    func read() async throws {
        try await TestRole.with { role in
            try await withSecrets { database in
                try await database.run(try AnalystRights.script(for: role.name))
                try await database.run("GRANT CREATE ON SCHEMA public TO \(role.name)")
                let results = try await Self.walk(database, as: role)
                for (name, result) in results {
                    #expect(result != TestRole.stolen, "\(name)")
                    #expect(!Self.secrets.contains { result.contains($0) }, "\(name)")
                }
                // They are reached.
                #expect(results["function unfolded"]?.split(separator: "\n").count == 3)
                #expect(results["function answers_up_to"]?.hasPrefix("\"20") == true)
                #expect(results["relation postback"]?.contains("transaction_id") == true)
            }
        }
    }

    @Test(
        "The rights to read reports refuse addresses, User-Agents, nonces, sessions, drafts, refused bodies, deliveries"
    )
    func secrets() async throws {
        try await TestRole.with { role in
            try await withSecrets { database in
                try await database.run(try AnalystRights.script(for: role.name))
                let analyst = try role.on(database)
                for secret in [
                    "source_address FROM attribution.postback_origin", "user_agent FROM attribution.postback_origin",
                    "source_address FROM attribution.postback_body", "payload FROM attribution.postback_body",
                    "nonce FROM attribution.web_ad", "key FROM attribution.page_session",
                    "fields FROM attribution.page_draft",
                    "source_address FROM attribution.rejected_postback", "body FROM attribution.rejected_postback",
                    "document FROM attribution.destination", "url FROM attribution.delivery",
                    "body FROM attribution.delivery", "account_hash FROM attribution.store_transaction",
                    "body FROM attribution.store_body", "body FROM attribution.rejected_notification",
                    "token FROM attribution.apple_ads_token", "digest FROM attribution.apple_ads_attribution",
                ] {
                    let refused = await #expect(throws: PostgresError.self, "\(secret)") {
                        try await analyst.column("SELECT \(secret)")
                    }
                    #expect(refused?.sqlState?.code == "42501", "\(secret)")
                    #expect(try await database.column("SELECT \(secret)").isEmpty == false, "\(secret)")
                }
                let writable = try await database.column(
                    """
                    SELECT relname FROM pg_class
                     WHERE relnamespace IN ('attribution'::regnamespace, 'appsflyer'::regnamespace)
                       AND relkind IN ('r', 'v', 'p')
                       AND has_table_privilege(
                               '\(role.name)', oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
                    """)
                #expect(writable == [])
            }
        }
    }
}
