/// Reads the columns of a row from left to right, in the order of the statement's SELECT or RETURNING list.
package struct ColumnCursor {
    private let row: PostgresRow
    private var column: Int

    /// Begins at a column, by default at the first one.
    package init(_ row: PostgresRow, at column: Int = 0) {
        self.row = row
        self.column = column
    }

    /// The next column, decoded as a type.
    package mutating func next<Value: PostgresDecodable>(_ type: Value.Type = Value.self) throws(PostgresError) -> Value
    {
        defer { column += 1 }
        return try row.decode(type, at: column)
    }
}
