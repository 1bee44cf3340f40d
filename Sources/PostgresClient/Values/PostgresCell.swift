/// One value of a row, for types that decode themselves.
public struct PostgresCell: Sendable {
    let storage: ResultStorage
    let row: Int
    let column: Int

    /// The name of the column.
    public var columnName: String { storage.columnName(column) }

    /// The type of the column.
    public var type: PostgresType { storage.type(ofColumn: column) }

    /// True if the value is NULL.
    public var isNull: Bool { storage.withBytes(row: row, column: column) { $0 == nil } }

    /// Makes the error for a value that does not decode.
    ///
    /// - Parameter reason: Follows the column's name; it may not hold the value.
    public func failure(_ reason: String) -> PostgresError {
        PostgresError(.decoding, reason: "column \"\(columnName)\" \(reason)")
    }

    /// Lends the bytes to a decoder that returns nil if they are out of form.
    func decode<T>(
        _ types: PostgresType...,
        by body: (UnsafeRawBufferPointer) -> T?
    ) throws(PostgresError) -> T {
        guard types.contains(type) else {
            throw failure("is \(type), not \(types.map(\.description).joined(separator: " or "))")
        }
        // Nil for NULL, nil inside for bytes out of form.
        let decoded: T?? = storage.withBytes(row: row, column: column) { $0.map(body) }
        guard let decoded else { throw failure("is NULL") }
        guard let value = decoded else { throw failure("is out of form") }
        return value
    }
}
