package import PostgresClient

/// The role of a session lacks rights that the service needs.
package struct MissingRights: Error, Sendable, Equatable, CustomStringConvertible {
    /// The role.
    package let role: String
    /// What it lacks; at least one.
    package let rights: [DatabaseRight]

    /// One line: which rights these are, and what to do.
    package var description: String { "database: \(rule)" }

    /// Which rights these are, at most ten, and what to do.
    package var rule: String {
        let named = rights.prefix(10).map(\.description).joined(separator: ", ")
        let more = rights.count > 10 ? " and \(rights.count - 10) more" : ""
        return
            "the role \(role) lacks \(named)\(more); run the SQL that PostbackServer grants prints, and use the role "
            + "of its --serve; that of --read is enough for report, and for what lists or shows names and schemes"
    }

    /// What the session's role lacks of some rights, in their order; those on objects that are not there are left out.
    ///
    /// A partition must have the rights of its table.
    ///
    /// - Returns: nil if nothing is missing.
    /// - Throws: `PostgresError`.
    package static func find(
        among rights: [DatabaseRight] = ServiceRights.serving, over connection: isolated PostgresConnection
    ) throws -> MissingRights? {
        var bindings = PostgresBindings()
        bindings.append(rights.map(\.privilege.rawValue))
        bindings.append(rights.map(\.kind.rawValue))
        bindings.append(rights.map(\.object))
        var role = ""
        let missing = try connection.query(statement, bindings).compactMap { row -> DatabaseRight? in
            role = try row.decode(at: 0)
            guard let privilege = DatabaseRight.Privilege(rawValue: try row.decode(at: 1)),
                let kind = DatabaseRight.Kind(rawValue: try row.decode(at: 2))
            else { return nil }
            return DatabaseRight(privilege, on: kind, try row.decode(at: 3))
        }
        return missing.isEmpty ? nil : MissingRights(role: role, rights: missing)
    }

    /// What explains an error of the database: the rights that are missing on the objects that its message names.
    ///
    /// PostgreSQL names the object, in the language of the server, and neither its schema nor the right.
    ///
    /// - Returns: nil if the error is another one, or no right is missing that the service needs.
    package static func explaining(
        _ error: PostgresError, over connection: isolated PostgresConnection
    ) throws -> MissingRights? {
        guard error.sqlState == .insufficientPrivilege, let message = error.message else { return nil }
        let words = Set(
            message.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")) }.map(String.init))
        let known = ServiceRights.serving.filter {
            words.contains($0.object.split(separator: ".").last.map(String.init) ?? "")
        }
        // Views that are found by their names.
        let views = ServiceRights.schemas.flatMap { schema in
            words.sorted().map { DatabaseRight(.select, on: .table, "\(schema).\($0)") }
        }
        return try find(among: known + views.filter { !known.contains($0) }, over: connection)
    }

    /// It reads the catalogs by name: a name with a schema can't be looked up without a right on the schema.
    private static let statement = PostgresStatement(
        "missing_rights",
        """
        WITH wanted AS (
            SELECT privilege, kind, object, number, split_part(object, '.', 1) AS space,
                   split_part(object, '.', 2) AS name
              FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS w (privilege, kind, object, number)
        ),
        relation AS (
            SELECT privilege, kind, object, number, pg_class.oid, relkind
              FROM wanted
              JOIN pg_namespace ON nspname = space
              JOIN pg_class ON relnamespace = pg_namespace.oid AND relname = name
             WHERE kind IN ('TABLE', 'SEQUENCE')
        ),
        found AS (
            SELECT privilege, kind, object, number, has_schema_privilege(pg_namespace.oid, privilege) AS has
              FROM wanted
              JOIN pg_namespace ON nspname = space
             WHERE kind = 'SCHEMA'
            UNION ALL
            SELECT privilege, kind, object, number,
                   CASE kind WHEN 'SEQUENCE' THEN has_sequence_privilege(oid, privilege)
                             ELSE has_table_privilege(oid, privilege) END
              FROM relation
            UNION ALL
            SELECT privilege, kind, 'attribution.' || part.relname, number, has_table_privilege(part.oid, privilege)
              FROM relation
              JOIN pg_inherits ON inhparent = relation.oid
              JOIN pg_class AS part ON part.oid = inhrelid
             WHERE object = ANY (ARRAY[\(dailyTables)])
            UNION ALL
            SELECT privilege, kind, object, number, has_function_privilege(pg_proc.oid, privilege)
              FROM wanted
              JOIN pg_namespace ON nspname = space
              JOIN pg_proc ON pronamespace = pg_namespace.oid AND proname = name
             WHERE kind = 'FUNCTION'
        )
        SELECT current_user::text, privilege, kind, object FROM found WHERE NOT has ORDER BY number, object
        """)

    private static let dailyTables = ServiceRights.dailyTables.map { "'attribution.\($0)'" }.joined(separator: ", ")
}
