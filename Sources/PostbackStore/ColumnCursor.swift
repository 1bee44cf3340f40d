import PostgresClient

/// Reads the columns of one row from left to right, in the order of the statement's RETURNING or SELECT list.
struct ColumnCursor {
    private let row: PostgresRow
    private var column: Int

    /// Begins at a column, the first where none is given.
    init(_ row: PostgresRow, at column: Int = 0) {
        self.row = row
        self.column = column
    }

    /// The next column as the wanted type.
    mutating func next<Value: PostgresDecodable>(_ type: Value.Type = Value.self) throws(PostgresError) -> Value {
        defer { column += 1 }
        return try row.decode(type, at: column)
    }
}
