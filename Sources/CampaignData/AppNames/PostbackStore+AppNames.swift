import AdAttribution
package import PostbackStore
package import PostgresClient

extension PostbackStore {
    /// Stores the names of a file: all or none.
    ///
    /// - Parameters:
    ///   - isReplacing: Whether the names of all other apps are removed.
    ///   - ending: `.rollback` stores nothing, and only says what would be done.
    package func load(
        _ file: AppNameFile, replacing isReplacing: Bool = false, ending: PostgresConnection.Ending = .commit
    ) async throws -> RowChanges {
        var apps = PostgresBindings()
        apps.append(file.names.map(\.app.value))
        var bindings = apps
        bindings.append(file.names.map(\.name))
        bindings.append(clock())
        let (kept, parameters) = (apps, bindings)
        return try await pool.withTransaction("load_app_names", ending: ending) { connection in
            _ = try connection.query(Self.lockAppNames)
            let removed = isReplacing ? try connection.query(Self.removeOtherAppNames, kept).affectedRows : 0
            return try RowChanges(
                of: file.names.count, written: connection.query(Self.upsertAppNames, parameters), removed: removed)
        }
    }

    /// The names of apps, in the order of their ids.
    ///
    /// - Parameter limit: The most names; nil for all.
    package func appNames(limit: Int32? = nil) async throws -> [AppName] {
        var bindings = PostgresBindings()
        bindings.append(limit)
        let parameters = bindings
        return try await pool.withConnection { connection in
            try connection.query(Self.listAppNames, parameters).compactMap { row in
                let name = try row.decode(String.self, at: 1)
                return AppID(try row.decode(Int64.self, at: 0)).map { AppName(app: $0, name: name) }
            }
        }
    }

    /// One load at a time, so that two files follow each other.
    private static let lockAppNames = PostgresStatement(
        "app_names_lock", "SELECT pg_advisory_xact_lock(7421001672)")

    private static let removeOtherAppNames = PostgresStatement(
        "app_names_remove", "DELETE FROM attribution.app_name WHERE NOT app_id = ANY ($1::bigint[])")

    /// Adds names, or changes those that differ; returns for each whether it is new.
    private static let upsertAppNames = PostgresStatement(
        "app_names_upsert",
        """
        INSERT INTO attribution.app_name AS stored (app_id, app_name, loaded_at)
        SELECT app_id, app_name, $3 FROM unnest($1::bigint[], $2::text[]) AS given (app_id, app_name)
            ON CONFLICT (app_id) DO UPDATE SET app_name = excluded.app_name, loaded_at = excluded.loaded_at
         WHERE stored.app_name <> excluded.app_name
        RETURNING xmax = 0
        """)

    private static let listAppNames = PostgresStatement(
        "app_names_list", "SELECT app_id, app_name FROM attribution.app_name ORDER BY app_id LIMIT $1::integer")
}
