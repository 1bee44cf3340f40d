import DatabaseSchema
package import PostgresClient

extension PostbackStore {
    /// The default number of lanes: the best of 1, 2 and 4 on two cores, see docs/performance.md.
    package static var defaultLanes: Int { 2 }

    /// Applies the migrations that the database lacks, each in its own transaction, under an advisory lock.
    ///
    /// Then it creates the lanes, if there are none, and the partitions of the next days.
    ///
    /// Two servers may do this at once: the second one waits and finds nothing to do.
    /// - Parameter lanes: The number of lanes, 1 to 1,024. If nil, existing lanes are kept, else there are
    ///   `defaultLanes`.
    /// - Returns: The names of the migrations that were applied.
    /// - Throws: `SchemaError`. If this build does not know the schema, nothing was applied. If the number of lanes is
    ///   another one (`otherLanes`), missing migrations were applied.
    package static func migrate(lanes: Int? = nil, over pool: PostgresPool) async throws -> [String] {
        var applied: [String] = []
        for migration in Migration.all {
            let isNew = try await pool.withTransaction("migrate") { connection in
                try connection.execute(script: prepareScript)
                let known = try Schema.applied(over: connection)
                try Schema.checkNothingUnknown(among: known)
                guard known.count == Int(migration.number) - 1 else { return false }
                try connection.execute(script: migration.script, named: migration.name + ".sql")
                var bindings = PostgresBindings()
                bindings.append(migration.number)
                bindings.append(migration.name)
                bindings.append(migration.checksum)
                _ = try connection.query(insertMigration, bindings)
                return true
            }
            if isNew { applied.append(migration.name) }
        }
        try await define(over: pool)
        try await makeLanes(lanes, over: pool)
        try await PostbackStore(pool: pool).addPartitions()
        return applied
    }

    /// Checks that the database has exactly the schema that this build knows.
    ///
    /// - Parameter limit: The greatest time that each statement may take; nil for that of the configuration.
    /// - Throws: `SchemaError`, or `PostgresError` if the query failed.
    package func checkSchema(within limit: Duration? = nil) async throws {
        try await pool.withTransaction("check_schema", statementTimeout: limit) { connection in
            let exists = try connection.query(Self.hasMigrationTable).first?.decode(Bool.self, at: 0) ?? false
            try Schema.check(applied: exists ? Schema.applied(over: connection) : [])
            guard let defined = try Schema.defined(over: connection) else {
                throw SchemaError.behind(missing: Definitions.all.step.name)
            }
            try Schema.check(defined: defined)
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

    /// Runs the definitions in one transaction, if the database has none.
    private static func define(over pool: PostgresPool) async throws {
        try await pool.withTransaction("define") { connection in
            try connection.execute(script: "SELECT pg_advisory_xact_lock(7421001642)")
            if let defined = try Schema.defined(over: connection) { return try Schema.check(defined: defined) }
            for file in Definitions.all.files {
                try connection.execute(script: file.script, named: "definitions/" + file.name + ".sql")
            }
            var bindings = PostgresBindings()
            bindings.append(Definitions.all.checksum)
            _ = try connection.query(insertDefinitions, bindings)
        }
    }

    private static func makeLanes(_ wanted: Int?, over pool: PostgresPool) async throws {
        try await pool.withTransaction("make_lanes") { connection in
            try connection.execute(script: "SELECT pg_advisory_xact_lock(7421001642)")
            let stored = try connection.query(LaneStatements.select).count { try !$0.decode(Bool.self, at: 3) }
            guard stored == 0 else {
                if let wanted, wanted != stored { throw SchemaError.otherLanes(stored: stored) }
                return
            }
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
            checksum   text NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now()
        );
        """

    private static let insertMigration = PostgresStatement(
        "migration_insert",
        "INSERT INTO attribution.schema_migration (number, name, checksum) VALUES ($1, $2, $3)")

    private static let firstMigration = PostgresStatement(
        "migration_first", "SELECT applied_at FROM attribution.schema_migration ORDER BY number LIMIT 1")

    private static let insertDefinitions = PostgresStatement(
        "definitions_insert", "INSERT INTO attribution.schema_definitions (checksum) VALUES ($1)")

    private static let hasMigrationTable = PostgresStatement(
        "migration_table", "SELECT to_regclass('attribution.schema_migration') IS NOT NULL")
}
