import AdAttribution
package import PostbackStore
import PostgresClient

extension PostbackStore {
    /// Stores the names of a file: all or none.
    ///
    /// A stored name of the same app is replaced.
    ///
    /// - Parameters:
    ///   - source: Who loads it, and the file.
    ///   - isReplacing: Whether the names of all other apps are removed.
    ///   - ending: `.rollback` stores nothing, and only says what would be done.
    /// - Throws: `ChangedLoad` if it was confirmed, and would do something else now.
    package func load(
        _ file: AppNameFile, from source: LoadSource, replacing isReplacing: Bool = false,
        ending: LoadEnding = .commit
    ) async throws -> LoadOutcome {
        try await loadRows(
            "load_app_names", of: .appNames, AppNameStatements.note, AppNameStatements.bindings(file.names),
            from: source, removingOthers: isReplacing, ending: ending)
    }

    /// The names of apps, in the order of their ids.
    ///
    /// - Parameter limit: The most names; nil for all.
    package func appNames(limit: Int32? = nil) async throws -> [AppName] {
        var bindings = PostgresBindings()
        bindings.append(limit)
        let parameters = bindings
        return try await pool.withConnection { connection in
            try connection.query(AppNameStatements.list, parameters).compactMap { row in
                let name = try row.decode(String.self, at: 1)
                return AppID(try row.decode(Int64.self, at: 0)).map { AppName(app: $0, name: name) }
            }
        }
    }
}
