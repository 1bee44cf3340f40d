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
