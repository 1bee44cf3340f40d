/// A type of PostgreSQL by its object identifier, fixed in the catalogue `pg_type`.
package struct PostgresType: Sendable, Hashable, CustomStringConvertible {
    /// The object identifier.
    package let id: UInt32

    /// Takes an object identifier.
    package init(id: UInt32) {
        self.id = id
    }

    /// The name if this module knows the type, else its number.
    package var description: String {
        Self.names[self] ?? "type \(id)"
    }

    static let bool = PostgresType(id: 16)
    static let bytea = PostgresType(id: 17)
    static let name = PostgresType(id: 19)
    static let int8 = PostgresType(id: 20)
    static let int2 = PostgresType(id: 21)
    static let int4 = PostgresType(id: 23)
    static let text = PostgresType(id: 25)
    static let json = PostgresType(id: 114)
    static let float8 = PostgresType(id: 701)
    /// An address of IPv4 or IPv6, or a network.
    package static let inet = PostgresType(id: 869)
    static let bpchar = PostgresType(id: 1042)
    static let varchar = PostgresType(id: 1043)
    static let date = PostgresType(id: 1082)
    static let timestamptz = PostgresType(id: 1184)
    static let uuid = PostgresType(id: 2950)

    /// The type of the one-dimensional array of each type that can be bound.
    static let arrays: [PostgresType: PostgresType] = [
        .bool: PostgresType(id: 1000), .bytea: PostgresType(id: 1001), .int8: PostgresType(id: 1016),
        .int2: PostgresType(id: 1005), .int4: PostgresType(id: 1007), .text: PostgresType(id: 1009),
        .json: PostgresType(id: 199), .float8: PostgresType(id: 1022), .date: PostgresType(id: 1182),
        .timestamptz: PostgresType(id: 1185), .uuid: PostgresType(id: 2951), .inet: PostgresType(id: 1041),
    ]

    private static let names: [PostgresType: String] = [
        .bool: "bool", .bytea: "bytea", .name: "name", .int8: "int8", .int2: "int2", .int4: "int4", .text: "text",
        .json: "json", .float8: "float8", .bpchar: "bpchar", .varchar: "varchar", .date: "date",
        .timestamptz: "timestamptz", .uuid: "uuid", .inet: "inet",
    ]
}
