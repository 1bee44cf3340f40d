import AdAttribution
import PostgresClient

/// The statements about names of apps.
enum AppNameStatements {
    /// One load at a time, so that two files follow each other.
    static let lock = PostgresStatement("app_names_lock", "SELECT pg_advisory_xact_lock(7421001672)")

    /// Adds the names of a file to the rows of a load.
    static let note = PostgresStatement(
        "app_names_note",
        """
        INSERT INTO attribution.load_row (load, after)
        SELECT $3, \(LoadedTable.appNames.storedFields)
          FROM unnest($1::bigint[], $2::text[]) AS stored (app_id, app_name)
        """)

    /// The names in the order of the apps, $1 at most; all if it is NULL.
    static let list = PostgresStatement(
        "app_names_list", "SELECT app_id, app_name FROM attribution.app_name ORDER BY app_id LIMIT $1::integer")

    static func bindings(_ names: [AppName]) -> PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(names.map(\.app.value))
        bindings.append(names.map(\.name))
        return bindings
    }
}
