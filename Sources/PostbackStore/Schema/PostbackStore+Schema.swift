public import PostgresClient

extension PostbackStore {
    /// Applies the migrations that the database lacks, each in a transaction of its own, under an advisory lock.
    ///
    /// Two servers may do this at once: the second waits and finds nothing to do.
    /// - Returns: the names of those applied now.
    /// - Throws: `SchemaError` where the folder or the database is not what this build knows; then nothing is applied.
    public static func migrate(_ migrations: [Migration], over pool: PostgresPool) async throws -> [String] {
        for (index, migration) in migrations.enumerated() {
            guard index < Schema.steps.count, Schema.steps[index] == migration.step else {
                throw SchemaError.unknownFolder(migration.name)
            }
        }
        if migrations.count < Schema.steps.count {
            throw SchemaError.unknownFolder(Schema.steps[migrations.count].name)
        }
        var applied: [String] = []
        for migration in migrations {
            let isNew = try await pool.withTransaction("migrate") { connection in
                try connection.execute(script: prepareScript)
                let known = try Schema.applied(over: connection)
                try Schema.checkNothingUnknown(among: known)
                guard known.count == Int(migration.number) - 1 else { return false }
                try connection.execute(script: migration.script)
                var bindings = PostgresBindings()
                bindings.append(migration.number)
                bindings.append(migration.name)
                bindings.append(migration.checksum)
                _ = try connection.query(insertMigration, bindings)
                return true
            }
            if isNew { applied.append(migration.name) }
        }
        return applied
    }

    /// Checks that the database has exactly the schema that this build knows.
    ///
    /// - Throws: `SchemaError`, or `PostgresError` where the database can't be asked.
    public func checkSchema() async throws {
        let applied = try await pool.withConnection { connection in
            let exists = try connection.query(Self.hasMigrationTable).first?.decode(Bool.self, at: 0) ?? false
            return exists ? try Schema.applied(over: connection) : []
        }
        try Schema.check(applied: applied)
    }

    /// Any fixed number does; the lock is held to the end of the transaction.
    private static let prepareScript = """
        SELECT pg_advisory_xact_lock(7421001642);
        CREATE SCHEMA IF NOT EXISTS attribution;
        CREATE TABLE IF NOT EXISTS attribution.schema_migration (
            number     integer PRIMARY KEY,
            name       text NOT NULL,
            checksum   text NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now()
        );
        """

    private static let insertMigration = PostgresStatement(
        "migration_insert",
        "INSERT INTO attribution.schema_migration (number, name, checksum) VALUES ($1, $2, $3)")

    private static let hasMigrationTable = PostgresStatement(
        "migration_table", "SELECT to_regclass('attribution.schema_migration') IS NOT NULL")
}

extension Schema {
    /// What the database has applied, in order.
    fileprivate static func applied(over connection: isolated PostgresConnection) throws -> [Step] {
        try connection.query(
            PostgresStatement(
                "migration_list", "SELECT name, checksum FROM attribution.schema_migration ORDER BY number")
        ).map { row in
            Step(name: try row.decode(String.self, at: 0), checksum: try row.decode(String.self, at: 1))
        }
    }
}

extension Migration {
    fileprivate var step: Schema.Step { Schema.Step(name: name, checksum: checksum) }
}
