import CLibPQ

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

/// The owner of one libpq result.
///
/// `@unchecked Sendable`: a received result never changes, and it is freed when no reference is left. libpq allows
/// several threads to read it (PostgreSQL manual, "Behavior in Threaded Programs").
final class ResultStorage: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        PQclear(pointer)
    }

    var rowCount: Int { Int(PQntuples(pointer)) }

    var columnCount: Int { Int(PQnfields(pointer)) }

    /// The name of the command that the server ran, such as `COMMIT`.
    var commandTag: String { String(cString: PQcmdStatus(pointer)) }

    /// The number of rows that were inserted, updated, deleted or returned; 0 for other commands.
    var affectedRows: Int { Int(String(cString: PQcmdTuples(pointer))) ?? 0 }

    /// The name of a column.
    ///
    /// The column must exist.
    func columnName(_ column: Int) -> String {
        PQfname(pointer, Int32(column)).map { String(cString: $0) } ?? ""
    }

    /// The first column with a name, compared exactly.
    func column(named name: String) -> Int? {
        (0..<columnCount).first { column in
            name.withCString { name in
                guard let other = PQfname(pointer, Int32(column)) else { return false }
                var index = 0
                while name[index] == other[index] {
                    if name[index] == 0 { return true }
                    index += 1
                }
                return false
            }
        }
    }

    /// The type of a column.
    ///
    /// The column must exist.
    func type(ofColumn column: Int) -> PostgresType {
        PostgresType(id: PQftype(pointer, Int32(column)))
    }

    /// Calls a function with the bytes of a cell, or with nil if it is NULL.
    ///
    /// The cell must exist.
    func withBytes<Result>(row: Int, column: Int, _ body: (UnsafeRawBufferPointer?) -> Result) -> Result {
        guard PQgetisnull(pointer, Int32(row), Int32(column)) == 0 else { return body(nil) }
        let length = Int(PQgetlength(pointer, Int32(row), Int32(column)))
        let bytes = UnsafeRawBufferPointer(start: PQgetvalue(pointer, Int32(row), Int32(column)), count: length)
        return withExtendedLifetime(self) { body(bytes) }
    }
}
