import AdAttribution
package import DatabaseSchema
package import PostgresClient

extension PostbackStore {
    /// The default number of lanes: the best of 1, 2 and 4 on two cores, see docs/performance.md.
    package static var defaultLanes: Int { 2 }

    /// Brings the schema of a database to what this build knows, under an advisory lock.
    ///
    /// One transaction applies the migrations that the database lacks, and replaces its definitions if they are older.
    /// Then the lanes are made, if there are none, and the partitions of the next days.
    ///
    /// Two servers may do this at once: the second one waits and finds nothing to do. Servers may run meanwhile.
    /// - Parameters:
    ///   - lanes: The number of lanes, 1 to 1,024. If nil, existing lanes are kept, else there are `defaultLanes`.
    ///   - timeZone: The time zone of the days of reports, a name of the IANA database. If nil, that of the database is
    ///     kept, which is UTC at first.
    ///   - definitions: The set that the database is to have.
    /// - Returns: The names of what was applied: migrations, and `definitions N`.
    /// - Throws: `SchemaError` or `DefinitionsInUse`: nothing was changed. If the number of lanes or the
    ///   time zone is another one (`otherLanes`, `otherTimeZone`, `unknownTimeZone`), the rest was applied.
    package static func migrate(
        lanes: Int? = nil, timeZone: String? = nil, definitions: Definitions = .all, over pool: PostgresPool
    ) async throws -> [String] {
        let applied = try await applyPatiently(definitions, over: pool)
        try await makeLanes(lanes, timeZone, over: pool)
        try await PostbackStore(pool: pool).addPartitions()
        return applied
    }

    /// Checks that the database has exactly the schema that this build knows.
    ///
    /// - Parameters:
    ///   - limit: The greatest time that each statement may take; nil for that of the configuration.
    ///   - isRunning: Whether this server has been running already: then newer definitions do no harm.
    /// - Throws: `SchemaError`, or `PostgresError` if the query failed.
    package func checkSchema(within limit: Duration? = nil, isRunning: Bool = false) async throws {
        try await pool.withTransaction("check_schema", statementTimeout: limit) { connection in
            let (applied, defined) = try Schema.read(over: connection)
            let isNewer = defined.map { $0.revision > Definitions.all.revision } ?? false
            let isDefined = try isRunning && isNewer || Schema.has(.all, defined)
            try Schema.check(applied: applied)
            guard isDefined else { throw SchemaError.behind(missing: Definitions.all.name) }
        }
    }

    /// When the first migration was applied: a time that tells this database from others, also after a move.
    ///
    /// - Throws: `SchemaError` if there is none; `PostgresError`.
    package func installedAt() async throws -> PostgresTimestamp {
        try await pool.withStatement("installed_at") { connection in
            guard let row = try connection.query(Self.firstMigration).first else {
                throw SchemaError.behind(missing: Migration.all[0].name)
            }
            return try row.decode(PostgresTimestamp.self, at: 0)
        }
    }

    /// Applies migrations and definitions.
    ///
    /// If reports use the definitions, it lets them go on and tries again.
    private static func applyPatiently(_ definitions: Definitions, over pool: PostgresPool) async throws -> [String] {
        let start = ContinuousClock.now
        while true {
            let waited = ContinuousClock.now - start
            do {
                return try await apply(
                    definitions, waitingAtMost: waited < gentleTime ? shortWait : longWait, over: pool)
            } catch let error as DefinitionsInUse {
                guard waited < longestTime else { throw error }
                try await Task.sleep(for: pause)
            }
        }
    }

    /// Applies migrations and definitions in one transaction.
    private static func apply(
        _ definitions: Definitions, waitingAtMost limit: Duration, over pool: PostgresPool
    ) async throws -> [String] {
        try await pool.withTransaction("migrate") { connection in
            try connection.execute(script: prepareScript)
            let (known, defined) = try Schema.read(over: connection)
            let isDefined = try Schema.has(definitions, defined)
            try Schema.checkNothingUnknown(among: known)
            let replacement =
                isDefined || defined == nil
                ? nil
                : try DefinitionReplacement.begin(
                    foldLocks: FoldingReader.allCases.map(\.lockNumber), waitingAtMost: limit, over: connection)
            var applied: [String] = []
            for migration in Migration.all.dropFirst(known.count) {
                try connection.execute(script: migration.script, named: migration.name + ".sql")
                var bindings = PostgresBindings()
                bindings.append(migration.number)
                bindings.append(migration.name)
                bindings.append(migration.checksum)
                _ = try connection.query(insertMigration, bindings)
                applied.append(migration.name)
            }
            guard !isDefined else { return applied }
            let objects =
                try replacement?.run(definitions, over: connection)
                ?? DefinitionReplacement.runFirst(definitions, over: connection)
            try definitions.note(objects, version: BuildVersion.current, over: connection)
            return applied + [definitions.name]
        }
    }

    /// How long `migrate` waits for reports at a time, at first; new reports wait behind it.
    ///
    /// If a transaction waits for `migrate` and `migrate` for it, PostgreSQL ends one of them after `deadlock_timeout`,
    /// a second. So `migrate` gives way before.
    private static var shortWait: Duration { .milliseconds(500) }
    /// How long at a time, if the short waits were in vain.
    private static var longWait: Duration { .seconds(10) }
    /// When the waits become long.
    private static var gentleTime: Duration { .seconds(60) }
    /// When it gives up.
    private static var longestTime: Duration { .seconds(600) }
    /// How long reports may begin in between.
    private static var pause: Duration { .seconds(1) }

    private static func makeLanes(_ wanted: Int?, _ timeZone: String?, over pool: PostgresPool) async throws {
        try await pool.withTransaction("make_lanes") { connection in
            try connection.execute(script: "SELECT pg_advisory_xact_lock(7421001642)")
            let stored = try connection.query(LaneStatements.select).count { try !$0.decode(Bool.self, at: 3) }
            guard stored == 0 else {
                if let wanted, wanted != stored { throw SchemaError.otherLanes(stored: stored) }
                let storedZone = try storedTimeZone(over: connection)
                if let timeZone, timeZone != storedZone { throw SchemaError.otherTimeZone(stored: storedZone) }
                return
            }
            if let timeZone { try choose(timeZone: timeZone, over: connection) }
            let lanes = LaneMap.equalShares(wanted ?? defaultLanes)
            var bindings = PostgresBindings()
            bindings.append(lanes.map(\.number))
            bindings.append(lanes.map { Int64($0.hashes.lowerBound) })
            bindings.append(lanes.map { Int64($0.hashes.upperBound) })
            _ = try connection.query(LaneStatements.insert, bindings)
            _ = try connection.query(LaneStatements.addOwnReaders)
        }
    }

    /// The lock has an arbitrary fixed number, and is held until the transaction ends.
    private static let prepareScript = """
        SELECT pg_advisory_xact_lock(7421001642);
        CREATE SCHEMA IF NOT EXISTS attribution;
        CREATE TABLE IF NOT EXISTS attribution.schema_migration (
            number     integer PRIMARY KEY,
            name       text NOT NULL,
            checksum   text NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now()
        );
        CREATE TABLE IF NOT EXISTS attribution.schema_definitions (
            revision   integer NOT NULL,
            checksum   text NOT NULL,
            version    text NOT NULL,
            objects    text[] NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now()
        );
        """

    private static let insertMigration = PostgresStatement(
        "migration_insert",
        "INSERT INTO attribution.schema_migration (number, name, checksum) VALUES ($1, $2, $3)")

    private static let firstMigration = PostgresStatement(
        "migration_first", "SELECT applied_at FROM attribution.schema_migration ORDER BY number LIMIT 1")
}
