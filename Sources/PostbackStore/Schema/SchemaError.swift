/// Why the schema of a database, or the migrations for it, are not what this build knows.
public enum SchemaError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The folder of migrations can't be read or is empty.
    case unreadableFolder(String)
    /// A file of the folder is not the next `NNNN_name.sql`.
    case misnamedFile(String)
    /// The folder does not hold the migrations that this build was made with.
    case unknownFolder(String)
    /// The database lacks migrations that this build needs.
    case behind(missing: String)
    /// The database has a migration that this build does not know, or in another text.
    case unknown(applied: String)

    /// What is wrong, and what to do about it.
    public var description: String {
        switch self {
        case .unreadableFolder(let folder): "migrations: no readable folder of migrations at \(folder)"
        case .misnamedFile(let name): "migrations: \(name) is not the next file NNNN_name.sql"
        case .unknownFolder(let name): "migrations: \(name) is not the migration that this build was made with"
        case .behind(let name): "schema: \(name) is not applied; run PostbackServer migrate"
        case .unknown(let name): "schema: \(name) is applied, in a text that this build does not know"
        }
    }
}
