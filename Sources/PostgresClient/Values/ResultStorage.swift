import CLibPQ

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
