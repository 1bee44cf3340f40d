package import PostgresClient

/// A role that does not own the schema can't migrate it.
package struct NotOwner: Error, Sendable, Equatable, CustomStringConvertible {
    /// The role of the session.
    package let role: String
    /// The role that owns the schema; nil if there is no schema yet.
    package let owner: String?

    /// One line: who can migrate, and who tried.
    package var description: String {
        guard let owner else {
            return "schema: the role \(role) may not make it in this database; run PostbackServer migrate as the role "
                + "of --owner, to which the SQL that PostbackServer grants prints gives the right"
        }
        return "schema: only its owner can migrate it, the role \(owner); PostbackServer migrate ran as \(role)"
    }

    /// Why the session's role can't migrate.
    ///
    /// - Returns: nil if it owns the schema, or may make it.
    /// - Throws: `PostgresError`.
    package static func find(over connection: isolated PostgresConnection) throws -> NotOwner? {
        guard let row = try connection.query(statement).first, try row.decode(Bool.self, at: 2) else { return nil }
        return NotOwner(role: try row.decode(String.self, at: 0), owner: try row.decode(String?.self, at: 1))
    }

    private static let statement = PostgresStatement(
        "not_owner",
        """
        SELECT current_user::text, owner::text,
               CASE WHEN owner IS NULL THEN NOT has_database_privilege(current_database(), 'CREATE')
                    ELSE NOT pg_has_role(owner, 'USAGE') END
          FROM (SELECT (SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = 'attribution') AS owner) AS found
        """)
}
