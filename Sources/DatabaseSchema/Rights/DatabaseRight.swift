/// A right of a role of the database on one object of the schema.
package struct DatabaseRight: Sendable, Hashable, CustomStringConvertible {
    /// What PostgreSQL calls a privilege.
    package enum Privilege: String, Sendable, CaseIterable {
        case select = "SELECT"
        case insert = "INSERT"
        case update = "UPDATE"
        case delete = "DELETE"
        case usage = "USAGE"
        case execute = "EXECUTE"
    }

    /// What an object is, as GRANT names it; a view is a table.
    package enum Kind: String, Sendable, CaseIterable {
        case schema = "SCHEMA"
        case table = "TABLE"
        case sequence = "SEQUENCE"
        case function = "FUNCTION"
    }

    package let privilege: Privilege
    package let kind: Kind
    /// The name of the object: a schema as it is, all others with their schema; a function without its parameters.
    package let object: String

    package init(_ privilege: Privilege, on kind: Kind, _ object: String) {
        self.privilege = privilege
        self.kind = kind
        self.object = object
    }

    /// As in `INSERT on attribution.line`; with the word for what is not a table, as in `USAGE on schema attribution`.
    package var description: String {
        "\(privilege.rawValue) on \(kind == .table ? "" : kind.rawValue.lowercased() + " ")\(object)"
    }
}
