/// Why the schema of a database is not what this build knows.
package enum SchemaError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The database lacks migrations that this build needs.
    case behind(missing: String)
    /// The database has a migration that this build does not know, or one with another text.
    case unknown(applied: String)
    /// The database has the schema of a version before 0.2, which can't be migrated.
    case beforeLog
    /// The database has this number of lanes, and another number was asked for.
    case otherLanes(stored: Int)
    /// The lanes of the database do not contain each hash exactly once.
    case lanes

    /// What is wrong, and what to do about it.
    package var description: String {
        switch self {
        case .behind(let name): "schema: \(name) is not applied; run PostbackServer migrate"
        case .unknown(let name): "schema: \(name) is applied, in a text that this build does not know"
        case .beforeLog:
            "schema: it was made by a version before 0.2, whose tables can't be migrated; use a new database, and import "
                + "the bodies that attribution.postback of the old one holds"
        case .otherLanes(let stored):
            "schema: the database has \(stored) lanes; the number is chosen at the first migration"
        case .lanes: "schema: the rows of attribution.lane do not cover each hash once"
        }
    }
}
