import AdAttribution
import DatabaseSchema
import PostgresClient
import Synchronization
import TestSupport
import Testing

@testable import DatabaseSchema
@testable import PostbackStore

extension Definitions {
    /// This build's definitions and one more file, with a later number.
    fileprivate static func later(_ script: String, by number: Int32 = 1) -> Definitions {
        Definitions(
            revision: Definitions.all.revision + number,
            files: Definitions.all.files + [File(name: "later", script: script)])
    }
}

/// A flag that is set once.
private final class Flag: Sendable {
    private let value = Mutex(false)

    var isSet: Bool { value.withLock { $0 } }

    func set() { value.withLock { $0 = true } }
}

extension TestDatabase {
    /// The revision of the definitions that a database has.
    fileprivate func revision() async throws -> Int32? {
        try await value("SELECT revision FROM attribution.schema_definitions").flatMap { Int32($0) }
    }

    /// Each object of the definitions with its OID and the transaction that wrote it last.
    fileprivate func objects() async throws -> [String?] {
        try await column(
            """
            SELECT concat_ws(' ', oid, xmin, proname) FROM pg_proc WHERE pronamespace = 'attribution'::regnamespace
            UNION ALL
            SELECT concat_ws(' ', oid, xmin, relname) FROM pg_class
             WHERE relkind = 'v' AND relnamespace IN ('attribution'::regnamespace, 'appsflyer'::regnamespace)
             ORDER BY 1
            """)
    }
}

@Suite(
    "Replacing definitions", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .onEachDatabase,
    .database)
struct DefinitionTests {
    private var database: TestDatabase { TestDatabase.current }

    private static let probe = """
        CREATE OR REPLACE VIEW attribution.probe AS SELECT 1 AS figure, 'one'::text AS word;
        COMMENT ON VIEW attribution.probe IS 'What it is';
        CREATE OR REPLACE FUNCTION attribution.probed(a integer) RETURNS SETOF integer LANGUAGE sql AS
        'SELECT figure + $1 FROM attribution.probe';
        """

    @Test("Definitions that a database has already are not touched")
    func unchanged() async throws {
        let before = try await database.objects()
        #expect(before.count > 200)
        #expect(try await database.migrate() == [])
        #expect(try await database.objects() == before)
    }

    @Test(
        "What changed only its text, or has more columns or defaults at its end, is replaced in place, under what uses it"
    )
    func inPlace() async throws {
        try await database.migrate(definitions: .later(Self.probe))
        try await database.run(
            """
            CREATE SCHEMA mine;
            CREATE VIEW mine.shown AS SELECT figure, attribution.probed(10) AS probed FROM attribution.probe;
            """)
        let oids =
            "SELECT concat_ws(' ', 'attribution.probe'::regclass::oid, p.oid) FROM pg_proc AS p WHERE proname = 'probed'"
        let before = try await database.value(oids)
        let applied = try await database.migrate(
            definitions: .later(
                """
                CREATE OR REPLACE VIEW attribution.probe AS SELECT 2 AS figure, 'two'::text AS word, true AS more;
                CREATE OR REPLACE FUNCTION attribution.probed(a integer DEFAULT 7) RETURNS SETOF integer LANGUAGE sql AS
                'SELECT figure * $1 FROM attribution.probe';
                """, by: 2))
        #expect(applied == ["definitions \(Definitions.all.revision + 2)"])
        #expect(try await database.revision() == Definitions.all.revision + 2)
        #expect(try await database.value(oids) == before)
        try await database.expect("SELECT * FROM mine.shown", "figure  probed\n2  20")
        #expect(try await database.value("SELECT attribution.probed()") == "14")
    }

    @Test("What has other columns or types is made anew, with all that uses it in the set; what is gone is dropped")
    func madeAnew() async throws {
        try await database.migrate(
            definitions: .later(
                Self.probe + """
                    CREATE VIEW attribution.above AS SELECT word FROM attribution.probe;
                    CREATE FUNCTION attribution.rows() RETURNS SETOF attribution.above LANGUAGE sql AS
                    'SELECT * FROM attribution.above';
                    CREATE FUNCTION attribution.note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
                    CREATE TRIGGER noted AFTER INSERT ON attribution.campaign_mapping EXECUTE FUNCTION attribution.note();
                    """))
        try await database.migrate(
            definitions: .later(
                """
                CREATE OR REPLACE VIEW attribution.probe AS SELECT 'three'::text AS word, 3::bigint AS figure;
                CREATE OR REPLACE VIEW attribution.above AS SELECT word FROM attribution.probe;
                CREATE OR REPLACE FUNCTION attribution.rows() RETURNS SETOF attribution.above LANGUAGE sql AS
                'SELECT * FROM attribution.above';
                """, by: 2))
        try await database.expect(
            "SELECT word, figure, (SELECT r.word FROM attribution.rows() AS r) AS row FROM attribution.probe",
            "word  figure  row\nthree  3  three")
        #expect(
            try await database.column(
                """
                SELECT proname FROM pg_proc WHERE proname IN ('probed', 'note')
                UNION ALL
                SELECT tgname FROM pg_trigger WHERE tgname = 'noted'
                """) == [])
        #expect(
            try await database.value("SELECT count(*) FROM pg_trigger WHERE tgname = 'campaign_mapping_changed'") == "1"
        )
        try await database.migrate(definitions: .later("", by: 3))
        #expect(try await database.value("SELECT to_regclass('attribution.probe')") == nil)
    }

    @Test(
        "If something of the user's own uses a definition that must be dropped, it is named, and nothing is changed",
        arguments: [
            (
                "CREATE VIEW mine.shown AS SELECT figure FROM attribution.probe",
                "view mine.shown uses view attribution.probe"
            ),
            (
                "CREATE MATERIALIZED VIEW mine.stored AS SELECT * FROM attribution.above",
                "materialized view mine.stored uses view attribution.above"
            ),
            (
                "CREATE FUNCTION mine.taking(attribution.probe) RETURNS integer LANGUAGE sql AS 'SELECT 1'",
                "function mine.taking(attribution.probe) uses view attribution.probe"
            ),
            (
                "CREATE TABLE mine.kept (rows attribution.probe[])",
                "table mine.kept uses view attribution.probe"
            ),
            (
                "CREATE TABLE mine.checked (a integer CONSTRAINT small CHECK (a < attribution.limit_of()))",
                "constraint small on table mine.checked uses function attribution.limit_of()"
            ),
            (
                "CREATE VIEW attribution.own AS SELECT attribution.limit_of() AS limit_of",
                "view attribution.own uses function attribution.limit_of()"
            ),
        ])
    func user(_ statement: String, _ named: String) async throws {
        let old = Definitions.later(
            Self.probe + """
                CREATE VIEW attribution.above AS SELECT word FROM attribution.probe;
                CREATE FUNCTION attribution.limit_of() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 5';
                """)
        try await database.migrate(definitions: old)
        try await database.run("CREATE SCHEMA mine; \(statement)")
        let before = try await database.objects()
        let new = Definitions.later(
            """
            CREATE OR REPLACE VIEW attribution.probe AS SELECT 'three'::text AS word;
            CREATE OR REPLACE VIEW attribution.above AS SELECT word FROM attribution.probe;
            CREATE OR REPLACE FUNCTION attribution.limit_of() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 5::bigint';
            """, by: 2)
        await #expect(throws: SchemaError.inUse([named])) { try await database.migrate(definitions: new) }
        #expect(SchemaError.inUse([named]).description.contains(named))
        #expect(try await database.objects() == before)
        #expect(try await database.revision() == old.revision)
        try await database.run("DROP SCHEMA mine CASCADE; DROP VIEW IF EXISTS attribution.own")
        #expect(try await database.migrate(definitions: new) == [new.name])
    }

    @Test("An object of the user's own that has the name of a new definition is named, and nothing is changed")
    func taken() async throws {
        try await database.run("CREATE VIEW attribution.probe AS SELECT 5 AS figure, 'mine'::text AS word")
        await #expect(throws: SchemaError.taken(["view attribution.probe"])) {
            try await database.migrate(definitions: .later(Self.probe))
        }
        #expect(try await database.value("SELECT word FROM attribution.probe") == "mine")
        #expect(try await database.revision() == Definitions.all.revision)
    }

    @Test("A trigger of the user's own that has the name of a new one is named, and nothing is changed")
    func takenTrigger() async throws {
        try await database.run(
            """
            CREATE SCHEMA mine;
            CREATE FUNCTION mine.watch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
            CREATE TRIGGER watched AFTER INSERT ON attribution.app_name FOR EACH ROW EXECUTE FUNCTION mine.watch();
            """)
        let triggers = """
            SELECT pg_get_triggerdef(oid) FROM pg_trigger
             WHERE tgrelid = 'attribution.app_name'::regclass AND NOT tgisinternal ORDER BY tgname
            """
        let (mine, before) = (try await database.column(triggers), try await database.objects())
        let later = Definitions.later(
            """
            CREATE OR REPLACE FUNCTION attribution.watch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
            CREATE OR REPLACE TRIGGER watched AFTER INSERT ON attribution.app_name
                FOR EACH ROW EXECUTE FUNCTION attribution.watch();
            """)
        let taken = SchemaError.taken(["trigger watched ON attribution.app_name"])
        await #expect(throws: taken) { try await database.migrate(definitions: later) }
        #expect(
            taken.description.hasPrefix("schema: trigger watched ON attribution.app_name is not of the definitions"))
        #expect(try await database.column(triggers) == mine)
        #expect(try await database.objects() == before)
        #expect(try await database.revision() == Definitions.all.revision)
        // Under another name it stays beside the new one, and belongs to the user through further sets.
        try await database.run("ALTER TRIGGER watched ON attribution.app_name RENAME TO own")
        #expect(try await database.migrate(definitions: later) == [later.name])
        let last = Definitions.later("SELECT 1", by: 2)
        #expect(try await database.migrate(definitions: last) == [last.name])
        let kept = try await database.column(triggers)
        #expect(kept.count == 1 && kept[0]?.contains("TRIGGER own AFTER INSERT") == true, "\(kept)")
    }

    @Test("An older program is told the version that it needs, and never puts older definitions back")
    func older() async throws {
        let later = Definitions.later(Self.probe)
        try await database.withStore { running in
            try await database.migrate(definitions: later)
            let before = try await database.objects()
            let newer = SchemaError.newer(
                revision: later.revision, version: BuildVersion.current, revisionOfBuild: Definitions.all.revision)
            await #expect(throws: newer) { try await database.migrate() }
            await #expect(throws: newer) { try await running.checkSchema() }
            #expect(newer.description.contains("version \(BuildVersion.current) or a later one"))
            #expect(try await database.objects() == before)
            // What runs already goes on.
            _ = try await running.checkReadiness(within: .seconds(60))
        }
    }

    @Test("Definitions that are missing, older, or have another text under this number are refused")
    func refused() async throws {
        let check = { @Sendable (database: TestDatabase) in
            try await database.withPool { try await PostbackStore(pool: $0).checkSchema() }
        }
        try await database.run("UPDATE attribution.schema_definitions SET checksum = 'x'")
        let other = SchemaError.otherText(revision: Definitions.all.revision)
        await #expect(throws: other) { try await check(database) }
        await #expect(throws: other) { try await database.migrate() }
        try await database.run("UPDATE attribution.schema_definitions SET revision = revision - 1")
        let behind = SchemaError.behind(missing: Definitions.all.name)
        await #expect(throws: behind) { try await check(database) }
        #expect(try await database.migrate() == [Definitions.all.name])
        try await check(database)
        try await database.run("DELETE FROM attribution.schema_definitions")
        await #expect(throws: behind) { try await check(database) }
    }

    @Test(
        "Owners, rights and comments of what is made anew stay, also of columns and with grant options",
        .onPlainDatabase("A role is of all databases of a server"))
    func rights() async throws {
        let old = """
            CREATE VIEW attribution.probe AS SELECT 1 AS figure, 'one'::text AS word, 2 AS other;
            CREATE FUNCTION attribution.probed(a integer) RETURNS integer LANGUAGE sql AS 'SELECT 1';
            CREATE FUNCTION attribution.longer(a integer) RETURNS integer LANGUAGE sql AS 'SELECT 1';
            CREATE FUNCTION attribution.opened(a integer) RETURNS integer LANGUAGE sql AS 'SELECT 1';
            """
        let new = """
            CREATE OR REPLACE VIEW attribution.probe AS SELECT 'one'::text AS word, 1::bigint AS figure;
            CREATE OR REPLACE FUNCTION attribution.probed(a integer) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint';
            CREATE OR REPLACE FUNCTION attribution.longer(a integer, b integer) RETURNS integer LANGUAGE sql AS 'SELECT 1';
            CREATE OR REPLACE FUNCTION attribution.opened(a integer) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint';
            COMMENT ON COLUMN attribution.probe.word IS 'New';
            """
        let database = database
        try await TestRole.with { analyst in
            try await database.migrate(definitions: .later(old))
            try await database.run(
                """
                GRANT CREATE ON SCHEMA attribution TO \(analyst.name);
                ALTER VIEW attribution.probe OWNER TO \(analyst.name);
                GRANT SELECT ON attribution.probe TO \(analyst.name) WITH GRANT OPTION;
                REVOKE INSERT ON attribution.probe FROM \(analyst.name);
                GRANT SELECT ON attribution.probe TO PUBLIC;
                GRANT SELECT (figure), UPDATE (word) ON attribution.probe TO PUBLIC;
                REVOKE EXECUTE ON FUNCTION attribution.probed, attribution.longer FROM PUBLIC;
                GRANT EXECUTE ON FUNCTION attribution.probed, attribution.longer TO \(analyst.name) WITH GRANT OPTION;
                GRANT EXECUTE ON FUNCTION attribution.opened TO \(analyst.name);
                COMMENT ON VIEW attribution.probe IS 'Kept';
                COMMENT ON COLUMN attribution.probe.word IS 'Old';
                COMMENT ON FUNCTION attribution.probed IS 'Kept too';
                """)
            let rights = """
                SELECT format('%s %s %s', proname, obj_description(oid, 'pg_proc'),
                              (SELECT string_agg(a::text, ' ' ORDER BY a::text) FROM unnest(proacl) AS a))
                  FROM pg_proc WHERE proname IN ('probed', 'longer', 'opened')
                UNION ALL
                SELECT format('%s %s %s %s', relname, pg_get_userbyid(relowner), obj_description(oid, 'pg_class'),
                              (SELECT string_agg(a::text, ' ' ORDER BY a::text) FROM unnest(relacl) AS a))
                  FROM pg_class WHERE relname = 'probe'
                UNION ALL
                SELECT format('%s %s', attname, attacl)
                  FROM pg_attribute
                 WHERE attrelid = 'attribution.probe'::regclass AND attname IN ('figure', 'word')
                 ORDER BY 1
                """
            let before = try await database.column(rights)
            let oid = "SELECT 'attribution.probe'::regclass::oid"
            let oldOID = try await database.value(oid)
            try await database.migrate(definitions: .later(new, by: 2))
            #expect(try await database.value(oid) != oldOID)
            #expect(try await database.column(rights) == before)
            #expect(
                try await database.value("SELECT col_description('attribution.probe'::regclass, 1)") == "New")
            // What belongs to a role goes with it.
            try await database.run("DROP OWNED BY \(analyst.name) CASCADE")
        }
    }

    @Test("While definitions are replaced, postbacks are counted once, and reports and folds go on")
    func underLoad() async throws {
        let deliveries = try Deliveries().simulated(1_200, seed: 11)
        let database = database
        let store = try database.store(size: 6)
        let reports = try database.openPool(size: 2)
        let isDone = Flag()
        let outcomes = try await withThrowingTaskGroup(of: [DeliveryOutcome].self) { group in
            group.addTask {
                var outcomes: [DeliveryOutcome] = []
                for start in stride(from: 0, to: deliveries.count, by: 20) {
                    outcomes += try await store.record(Array(deliveries[start..<start + 20])).map { try $0.get() }
                }
                return outcomes
            }
            for view in ["report_campaign_all", "campaign_figure"] {
                group.addTask {
                    let report = "SELECT sum(installs)::bigint FROM attribution.\(view)"
                    while !isDone.isSet {
                        try await reports.withStatement("report") { connection in
                            _ = try connection.query(PostgresStatement("report", report))
                        }
                    }
                    return []
                }
            }
            group.addTask {
                while !isDone.isSet {
                    _ = try await store.fold(waits: true)
                    _ = try await store.foldAnswers(waits: true)
                }
                return []
            }
            for number in 1...4 {
                let view = "CREATE OR REPLACE VIEW attribution.probe AS SELECT \(number) AS a\(number)"
                try await database.migrate(definitions: .later(view, by: Int32(number)))
            }
            isDone.set()
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(outcomes.count == deliveries.count)
        let stored = try await database.value("SELECT count(*) FROM attribution.postback_state")
        #expect(stored == "\(outcomes.count { $0 == .accepted })")
        #expect(try await database.recount() == [])
        #expect(try await database.logProblems() == [])
    }

    @Test(
        "A transaction that reads one definition after the other is not ended: migrate gives way, and waits for its end"
    )
    func givesWay() async throws {
        let database = database
        let (gate, later) = (Gate(), Definitions.later(Self.probe))
        try await database.withPool(size: 1) { pool in
            async let report: Void = pool.withTransaction("report") { connection in
                // However long migrate takes to come this far.
                try connection.execute(script: "SET LOCAL idle_in_transaction_session_timeout = 0")
                _ = try connection.query(PostgresStatement("a", "SELECT 1 FROM attribution.report_campaign"))
                gate.held()
                gate.waitForRelease()
                // Used by the view above, so migrate has locked it by then or will.
                _ = try connection.query(PostgresStatement("b", "SELECT 1 FROM attribution.campaign_figure"))
                _ = try connection.query(PostgresStatement("c", "SELECT 1 FROM attribution.postback_answer"))
            }
            try await gate.waitUntilHeld()
            async let migrated = database.migrate(definitions: later)
            try await eventually("migrate waits for the report") {
                let waiting = try await database.value(
                    """
                    SELECT count(*) FROM pg_locks
                     WHERE NOT granted AND mode = 'AccessExclusiveLock'
                       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                    """)
                return waiting == "0" ? nil : true
            }
            gate.release()
            try await report
            #expect(try await migrated == [later.name])
        }
    }
}

@Suite(
    "Replacing definitions on a Citus cluster",
    .enabled(if: TestEnvironment.hasCluster, TestEnvironment.clusterReason))
struct DistributedDefinitionTests {
    /// This build's definitions with changes in the functions that workers run.
    ///
    /// One has another text, and one has a parameter with another name, so it can't be replaced in place.
    private func changed() -> Definitions {
        let files = Definitions.all.files.map { file in
            Definitions.File(
                name: file.name,
                script: file.script.replacing(
                    "-- The lock that Citus's own", with: "-- Later: the lock that Citus's own"
                )
                .replacing("a_day date, waits boolean", with: "a_day date, is_patient boolean")
                .replacing("ARRAY['lane_day'], waits)", with: "ARRAY['lane_day'], is_patient)"))
        }
        return Definitions(revision: Definitions.all.revision + 1, files: files)
    }

    @Test("Views and functions stay as they are on a cluster, workers get the new text, and batches go on")
    func distributed() async throws {
        let deliveries = try Deliveries().simulated(300, seed: 3)
        try await CitusCluster.withDistributedDatabase(lanes: 4) { database in
            func count(_ deliveries: ArraySlice<PostbackDelivery>, workers: WorkerAddresses?) async throws {
                try await database.withStore(workers: workers) { store in
                    for result in await store.record(Array(deliveries)) { _ = try result.get() }
                }
            }
            let form = """
                SELECT concat_ws(' ', proname, proconfig, distribution_argument_index, force_delegation)
                  FROM pg_proc
                  LEFT JOIN pg_dist_object ON classid = 'pg_proc'::regclass AND objid = oid
                 WHERE pronamespace = 'attribution'::regnamespace AND (proname LIKE '%shard%' OR proname = 'answer')
                UNION ALL
                SELECT md5(pg_get_viewdef('attribution.appsflyer_postback'::regclass))
                UNION ALL
                SELECT md5(view || definition) FROM attribution.plain_view
                 ORDER BY 1
                """
            try await count(deliveries[..<100], workers: nil)
            let before = try await database.column(form)
            #expect(before.contains { $0?.contains("jit=off") == true })
            let definitions = changed()
            #expect(try await database.migrate(definitions: definitions) == [definitions.name])
            #expect(try await database.column(form) == before)
            let texts = """
                SELECT concat_ws(' ', oid::regprocedure, md5(prosrc), proargnames, proconfig)
                  FROM pg_proc
                 WHERE pronamespace = 'attribution'::regnamespace
                   AND (proname LIKE '%\\_in\\_shard' OR proname IN ('lane_shards', 'hold_shards')) ORDER BY 1
                """
            let own = try await database.column(texts)
            #expect(own.contains { $0?.contains("is_patient") == true })
            for number in 0...1 {
                let worker = try CitusCluster.worker(number, of: database)
                #expect(try await worker.column(texts) == own)
                let text = try await worker.value(
                    "SELECT prosrc LIKE '%Later: the lock%' FROM pg_proc WHERE proname = 'hold_shards'")
                #expect(text == "true")
            }
            try await count(deliveries[100..<200], workers: nil)
            try await count(deliveries[200...], workers: .init())
            try await database.withStore { _ = try await $0.foldAnswers(waits: true) }
            #expect(try await database.value("SELECT count(*) FROM appsflyer.skad_postbacks") != nil)
            #expect(try await database.recount() == [])
        }
    }
}
