package import PostgresClient

/// Compares the migrations that a database has with those of this build.
package enum Schema {
    /// One applied migration.
    package struct Step: Equatable {
        package let name: String
        let checksum: String
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

    /// Checks that the definitions that a database has are those of this build.
    package static func check(defined: Step) throws(SchemaError) {
        guard defined == Definitions.all.step else { throw .unknown(applied: defined.name) }
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

    /// The definitions that the database has; nil if it has none.
    package static func defined(over connection: isolated PostgresConnection) throws -> Step? {
        try connection.query(
            PostgresStatement("definitions", "SELECT checksum FROM attribution.schema_definitions")
        ).first.map { Step(name: Definitions.all.step.name, checksum: try $0.decode(String.self, at: 0)) }
    }

    /// The migrations that the database has, in order.
    package static func applied(over connection: isolated PostgresConnection) throws -> [Step] {
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
