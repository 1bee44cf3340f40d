import PostgresClient

/// A view, a function, an aggregate or a trigger in the schemas of the definitions.
struct DefinedObject: Sendable, Equatable {
    /// What the catalogs know an object by.
    struct Key: Sendable, Hashable {
        /// The OID of the catalog that has it.
        let catalog: Int64
        let oid: Int64
    }

    let key: Key
    /// Of a trigger, its function; of others, the object itself.
    let origin: Key
    /// The word that SQL has for it, in lower case, such as `view`.
    let kind: String
    /// The name that SQL takes behind this word, such as `attribution.recount` or `attribution.total(bigint)`.
    let name: String
    /// What `CREATE OR REPLACE` can't change: types of the result, and names and types of parameters.
    let fixed: String
    /// What `CREATE OR REPLACE` can only add to: columns of a view, parameters with a default.
    let growing: String
    /// The transaction that wrote the object last.
    let writer: String

    /// Kind and name, such as `view attribution.recount`.
    var label: String { kind + " " + name }

    /// Whether `CREATE OR REPLACE` can make another definition of this one.
    func canBecome(_ other: DefinedObject) -> Bool {
        fixed == other.fixed && other.growing.hasPrefix(growing)
    }

    /// All objects in the schemas, also those that the definitions did not make.
    static func all(over connection: isolated PostgresConnection) throws -> [DefinedObject] {
        try connection.query(DefinitionStatements.objects).map { row in
            DefinedObject(
                key: Key(catalog: try row.decode(at: 0), oid: try row.decode(at: 1)),
                origin: Key(catalog: try row.decode(at: 2), oid: try row.decode(at: 3)),
                kind: try row.decode(at: 4), name: try row.decode(at: 5), fixed: try row.decode(at: 6),
                growing: try row.decode(at: 7), writer: try row.decode(at: 8))
        }
    }
}
