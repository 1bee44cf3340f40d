import CLibPQ

/// The owner of one libpq result.
///
/// `@unchecked Sendable`: the result is never changed once received, libpq allows reading it from several threads
/// (manual, "Behavior in Threaded Programs"), and it is freed when no reference is left.
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

    /// What the server did, such as `COMMIT`.
    var commandTag: String { String(cString: PQcmdStatus(pointer)) }

    /// The rows that the command touched; 0 for commands that touch none.
    var affectedRows: Int { Int(String(cString: PQcmdTuples(pointer))) ?? 0 }

    /// The name of a column that exists.
    func columnName(_ column: Int) -> String {
        PQfname(pointer, Int32(column)).map { String(cString: $0) } ?? ""
    }

    /// The first column of a name, compared exactly.
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

    /// The type of a column that exists.
    func type(ofColumn column: Int) -> PostgresType {
        PostgresType(id: PQftype(pointer, Int32(column)))
    }

    /// Lends the bytes of a cell that exists; nil for NULL.
    func withBytes<Result>(row: Int, column: Int, _ body: (UnsafeRawBufferPointer?) -> Result) -> Result {
        guard PQgetisnull(pointer, Int32(row), Int32(column)) == 0 else { return body(nil) }
        let length = Int(PQgetlength(pointer, Int32(row), Int32(column)))
        let bytes = UnsafeRawBufferPointer(start: PQgetvalue(pointer, Int32(row), Int32(column)), count: length)
        return withExtendedLifetime(self) { body(bytes) }
    }
}
