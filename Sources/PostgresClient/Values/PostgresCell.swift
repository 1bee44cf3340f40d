/// One value of a row, for types that decode themselves.
package struct PostgresCell: Sendable {
    let storage: ResultStorage
    let row: Int
    let column: Int

    /// The name of the column.
    package var columnName: String { storage.columnName(column) }

    /// The type of the column.
    package var type: PostgresType { storage.type(ofColumn: column) }

    /// True if the value is NULL.
    package var isNull: Bool { storage.withBytes(row: row, column: column) { $0 == nil } }

    /// Makes the error for a value that does not decode.
    ///
    /// - Parameter reason: The text after the column's name. It must not contain the value.
    package func failure(_ reason: String) -> PostgresError {
        PostgresError(.decoding, reason: "column \"\(columnName)\" \(reason)")
    }

    /// Decodes the bytes with a function that returns nil if their form is wrong.
    func decode<T>(
        _ types: PostgresType...,
        by body: (UnsafeRawBufferPointer) -> T?
    ) throws(PostgresError) -> T {
        guard types.contains(type) else {
            throw failure("is \(type), not \(types.map(\.description).joined(separator: " or "))")
        }
        // The outer nil means NULL, the inner nil means a wrong form.
        let decoded: T?? = storage.withBytes(row: row, column: column) { $0.map(body) }
        guard let decoded else { throw failure("is NULL") }
        guard let value = decoded else { throw failure("is out of form") }
        return value
    }
}
