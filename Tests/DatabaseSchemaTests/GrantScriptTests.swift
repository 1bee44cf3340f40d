import DatabaseSchema
import PostgresClient
import TestSupport
import Testing

@testable import PostbackStore

@Suite("Rights of roles", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason))
struct GrantScriptTests {
    private let database = TestDatabase.current

    /// Names in the schema, sorted.
    private func names(_ condition: String) async throws -> [String] {
        try await database.column(
            """
            SELECT relname FROM pg_class
             WHERE relnamespace = 'attribution'::regnamespace AND NOT relispartition AND \(condition)
             ORDER BY relname COLLATE "C"
            """
        ).compactMap(\.self)
    }

    @Test("Each table, view and function that runs as the owner has rights that are decided", .database)
    func decided() async throws {
        let tables = ServiceRights.tables.flatMap(\.names)
        #expect(try await names("relkind IN ('r', 'p')") == tables.sorted())
        #expect(Set(tables).count == tables.count)
        let views = ServiceRights.ownViews + ServiceRights.sharedViews
        #expect(try await names("relkind = 'v' AND relname NOT LIKE 'report\\_%'") == views.sorted())
        #expect(Set(ServiceRights.reportTables).subtracting(tables).isEmpty)
        let sequences = try await names("relkind = 'S'")
        #expect(Set(ServiceRights.sequences).isSubset(of: sequences))
        let definers = try await database.column(
            """
            SELECT proname FROM pg_proc WHERE pronamespace = 'attribution'::regnamespace AND prosecdef ORDER BY 1
            """
        ).compactMap(\.self)
        #expect(definers == (ServiceRights.servingFunctions + ServiceRights.reportFunctions).sorted())
    }

    @Test("The serving role has all that the list says, and nothing else on a table", .onEachDatabase, .database)
    func exact() async throws {
        try await PostbackStore.current.checkRights()
        let given = try await database.column(
            """
            SELECT concat_ws(' ', relname, string_agg(privilege_type, ' ' ORDER BY privilege_type))
              FROM pg_class, aclexplode(relacl)
             WHERE relnamespace = 'attribution'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
               AND grantee = 'test_serve'::regrole
             GROUP BY relname ORDER BY relname COLLATE "C"
            """
        ).compactMap(\.self)
        let listed = ServiceRights.tables.flatMap { group in
            group.names.map { ([$0] + (["SELECT"] + group.writing.map(\.rawValue)).sorted()).joined(separator: " ") }
        }
        #expect(given == listed.sorted())
    }

    @Test("Each right that is taken away is named", .database)
    func takenAway() async throws {
        let store = PostbackStore.current
        for right in ServiceRights.serving {
            let what = "\(right.privilege.rawValue) ON \(right.kind.rawValue) \(right.object)"
            try await database.run("REVOKE \(what) FROM test_serve")
            let missing = await #expect(throws: MissingRights.self, "\(what)") { try await store.checkRights() }
            #expect(missing?.role == "test_serve")
            #expect(missing?.rights == [right], "\(what)")
            #expect(missing?.description.contains("lacks \(right)") == true)
            try await database.run("GRANT \(what) TO test_serve")
        }
        try await store.checkRights()
    }

    @Test("A partition that lacks a right of its table is named", .database)
    func partition() async throws {
        let partition = try await database.value(
            """
            SELECT format('attribution.%I', relname) FROM pg_inherits JOIN pg_class ON oid = inhrelid
             WHERE inhparent = 'attribution.postback_log'::regclass ORDER BY 1 LIMIT 1
            """)
        let name = try #require(partition)
        try await database.run("REVOKE SELECT ON \(name) FROM test_serve")
        let missing = await #expect(throws: MissingRights.self) { try await PostbackStore.current.checkRights() }
        #expect(missing?.rights == [DatabaseRight(.select, on: .table, name)])
        // The script mends it.
        try await database.grantRights()
        try await PostbackStore.current.checkRights()
    }

    @Test("Two databases of a cluster can get their rights at once", .database(migrated: false))
    func atOnce() async throws {
        let role = "grants_at_once"
        let script = try GrantScript([.backup: role]).text
        try await database.run("CREATE ROLE \(role)")
        do {
            // As the script in the other database does before its commit.
            let running = try await database.holding("GRANT pg_read_all_data TO \(role)") {
                let running = Task { try await database.run(script) }
                try await eventually("the script waits") {
                    try await database.value(
                        """
                        SELECT count(*) FROM pg_stat_activity
                         WHERE datname = current_database() AND wait_event_type = 'Lock'
                        """) == "1" ? true : nil
                }
                return running
            }
            try await running.value
            #expect(try await database.value("SELECT pg_has_role('\(role)', 'pg_read_all_data', 'USAGE')") == "true")
        } catch {
            Issue.record(error)
        }
        try await database.run("DROP OWNED BY \(role); DROP ROLE \(role)")
    }

    @Test(
        "A name of a role can't become SQL, and the script may run twice, before and after migrate",
        .database(migrated: false))
    func quoting() async throws {
        let names: [GrantScript.Purpose: String] = [
            .owner: #"o"; DROP SCHEMA attribution; --"#, .serve: "s'; $grants$ \\", .read: #"R "%I" é"#, .backup: "b",
        ]
        let script = try GrantScript(names, createsRoles: true).text
        let roles = names.values.map { "'\($0.replacing("'", with: "''"))'" }.joined(separator: ", ")
        do {
            try await database.run(script)
            try await database.run(script)
            let made = try await database.value("SELECT count(*) FROM pg_roles WHERE rolname IN (\(roles))")
            #expect(made == "4")
            try await database.as(names[.owner] ?? "").migrate()
            for _ in 1...2 { try await database.run(script) }
            try await database.as(names[.serve] ?? "").withStore { try await $0.checkRights() }
            // The owner can run it too, once the roles have what they need beside the schema.
            try await database.as(names[.owner] ?? "").run(try GrantScript(names).text)
        } catch {
            Issue.record(error)
        }
        try await database.run(
            """
            DO $$
            DECLARE
                a_role text;
            BEGIN
                FOR a_role IN SELECT rolname FROM pg_roles WHERE rolname IN (\(roles)) LOOP
                    EXECUTE format('DROP OWNED BY %I CASCADE', a_role);
                    EXECUTE format('DROP ROLE %I', a_role);
                END LOOP;
            END $$
            """)
    }

    @Test("Names that can't be those of roles are refused")
    func refusedNames() {
        for name in ["", String(repeating: "x", count: 64), "a\nb", "a\0b"] {
            #expect(throws: GrantScript.Refusal.name(.serve)) { try GrantScript([.serve: name]) }
        }
        #expect(throws: GrantScript.Refusal.same(.owner, .backup)) { try GrantScript([.owner: "a", .backup: "a"]) }
    }
}
