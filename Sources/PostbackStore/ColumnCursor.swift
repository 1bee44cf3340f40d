import PostgresClient

/// Reads the columns of one row from left to right, in the order of the statement's RETURNING or SELECT list.
struct ColumnCursor {
    private let row: PostgresRow
    private var column = 0

    init(_ row: PostgresRow) {
        self.row = row
    }

    /// The next column as the wanted type.
    mutating func next<Value: PostgresDecodable>(_ type: Value.Type = Value.self) throws(PostgresError) -> Value {
        defer { column += 1 }
        return try row.decode(type, at: column)
    }
}
