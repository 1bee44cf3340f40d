package import PostgresClient

/// Compares the migrations and the definitions that a database has with those of this build.
package enum Schema {
    /// One applied migration.
    package struct Step: Equatable {
        package let name: String
        let checksum: String
    }

    /// The set of definitions that a database has.
    package struct DefinedSet {
        package let revision: Int32
        let checksum: String
        /// The version of the program that put it there.
        let version: String
    }

    /// The first migration of builds before the new schema.
    private static let firstBeforeLog = "0001_postback"

    /// Checks that a database has exactly this build's migrations.
    ///
    /// - Throws: `SchemaError` for the first migration that differs.
    package static func check(applied: [Step]) throws(SchemaError) {
        try checkNothingUnknown(among: applied)
        guard applied.count == Migration.all.count else { throw .behind(missing: Migration.all[applied.count].name) }
    }

    /// Checks that the database has no migration that this build does not know, and none with another text.
    package static func checkNothingUnknown(among applied: [Step]) throws(SchemaError) {
        if applied.first?.name == firstBeforeLog { throw .beforeLog }
        for (index, step) in applied.enumerated() {
            guard index < Migration.all.count, step == Migration.all[index].step else {
                throw .unknown(applied: step.name)
            }
        }
    }

    /// Whether a database has these definitions already: not if it has older ones, or none.
    ///
    /// - Throws: `SchemaError` if it has newer ones, or others of the same revision.
    package static func has(_ definitions: Definitions, _ defined: DefinedSet?) throws(SchemaError) -> Bool {
        guard let defined, defined.revision >= definitions.revision else { return false }
        guard defined.revision == definitions.revision else {
            throw .newer(
                revision: defined.revision, version: defined.version, revisionOfBuild: definitions.revision)
        }
        guard defined.checksum == definitions.checksum else { throw .otherText(revision: defined.revision) }
        return true
    }

    /// The migrations that the database has, in order, and its definitions; nil if it has none with a number.
    package static func read(
        over connection: isolated PostgresConnection
    ) throws -> (applied: [Step], defined: DefinedSet?) {
        guard let tables = try connection.query(tables).first else { return ([], nil) }
        let applied = try tables.decode(Bool.self, at: 0) ? connection.query(migrations) : nil
        let defined = try tables.decode(Bool.self, at: 1) ? connection.query(DefinitionStatements.stored) : nil
        return (
            try applied?.map { Step(name: try $0.decode(at: 0), checksum: try $0.decode(at: 1)) } ?? [],
            try defined?.first.map { row in
                DefinedSet(
                    revision: try row.decode(at: 0), checksum: try row.decode(at: 1), version: try row.decode(at: 2))
            }
        )
    }

    /// Whether the state and bodies of postbacks are on the workers of a cluster.
    package static func isDistributed(over connection: isolated PostgresConnection) throws -> Bool {
        try connection.query(distribution).first?.decode(Bool.self, at: 0) == true
    }

    private static let tables = PostgresStatement(
        "schema_tables",
        """
        SELECT to_regclass('attribution.schema_migration') IS NOT NULL,
               EXISTS (SELECT FROM pg_attribute
                        WHERE attrelid = to_regclass('attribution.schema_definitions') AND attname = 'revision')
        """)

    private static let migrations = PostgresStatement(
        "migration_list", "SELECT name, checksum FROM attribution.schema_migration ORDER BY number")

    private static let distribution = PostgresStatement("distribution", "SELECT attribution.is_distributed()")
}

extension Migration {
    fileprivate var step: Schema.Step { Schema.Step(name: name, checksum: checksum) }
}
