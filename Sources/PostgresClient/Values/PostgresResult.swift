/// The rows that a statement returned.
///
/// Rows refer to the server's answer. It is freed together with the last row.
package struct PostgresResult: Sendable, RandomAccessCollection {
    private let storage: ResultStorage

    init(_ storage: ResultStorage) {
        self.storage = storage
    }

    /// The number of rows that were inserted, updated, deleted or returned.
    package var affectedRows: Int { storage.affectedRows }

    /// The names of the columns, in order.
    package var columnNames: [String] { (0..<storage.columnCount).map(storage.columnName) }

    /// The first row's index, 0.
    package var startIndex: Int { 0 }

    /// The number of rows.
    package var endIndex: Int { storage.rowCount }

    /// The row at an index within `indices`.
    package subscript(position: Int) -> PostgresRow {
        precondition(indices.contains(position), "row out of range")
        return PostgresRow(storage: storage, row: position)
    }
}

/// A row of a result.
package struct PostgresRow: Sendable {
    let storage: ResultStorage
    let row: Int

    /// Decodes a column.
    ///
    /// - Parameters:
    ///   - type: The type wanted. It must fit the column's type exactly, and be optional if the column can be NULL.
    ///   - column: The column's number, from 0.
    /// - Throws: `decoding`, with a reason that names the column.
    package func decode<T: PostgresDecodable>(
        _ type: T.Type = T.self,
        at column: Int
    ) throws(PostgresError) -> T {
        guard column >= 0, column < storage.columnCount else {
            throw PostgresError(.decoding, reason: "there is no column \(column)")
        }
        return try T.decode(from: PostgresCell(storage: storage, row: row, column: column))
    }

    /// Decodes the first column with a name.
    ///
    /// - Parameters:
    ///   - type: The type wanted. It must fit the column's type exactly, and be optional if the column can be NULL.
    ///   - name: The column's name, compared exactly.
    /// - Throws: `decoding`, with a reason that names the column.
    package func decode<T: PostgresDecodable>(
        _ type: T.Type = T.self,
        at name: String
    ) throws(PostgresError) -> T {
        guard let column = storage.column(named: name) else {
            throw PostgresError(.decoding, reason: "there is no column \"\(name)\"")
        }
        return try T.decode(from: PostgresCell(storage: storage, row: row, column: column))
    }
}

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
