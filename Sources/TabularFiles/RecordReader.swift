/// A type of which each row of a file gives one value.
package protocol TableRecord: Sendable {
    /// The columns of the file.
    associatedtype Column: TableColumn

    /// Reads the fields of a row; nil if at least one is wrong, and `fields` has the problems then.
    init?(_ fields: inout FieldReader<Column>)
}

/// Reads a file into typed values, row by row: bytes in, records out.
///
/// It keeps nothing but a part of the file and the problems, so a file may be of any size.
package struct RecordReader<Record: TableRecord> {
    private var reader = TableReader<Record.Column>()
    private var problems: [TableProblem] = []

    /// Starts at the beginning of a file.
    package init() {}

    /// Reads the next bytes.
    ///
    /// - Parameter body: Takes each record whose fields are right, and its line. It may add what is wrong with it.
    /// - Throws: `TableRefusal` if nothing more can be read, or after the greatest number of problems. Or what `body`
    ///   throws, if it is no `TableProblem`.
    package mutating func read(_ bytes: [UInt8], _ body: (Record, Int) throws -> Void) throws {
        try refusing { (reader, problems) in
            try reader.read(bytes) { try Self.take($0, &problems, body) }
        }
    }

    /// Reads what is left at the end of the file.
    ///
    /// - Throws: `TableRefusal` if anything in the file was wrong.
    package mutating func finish(_ body: (Record, Int) throws -> Void) throws {
        try refusing { (reader, problems) in
            try reader.finish { try Self.take($0, &problems, body) }
        }
        guard problems.isEmpty else { throw TableRefusal(problems) }
    }

    private mutating func refusing(
        _ body: (inout TableReader<Record.Column>, inout [TableProblem]) throws -> Void
    ) throws {
        do {
            try body(&reader, &problems)
        } catch let problem as TableProblem {
            throw TableRefusal(problems + [problem])
        }
    }

    private static func take(
        _ row: Result<TableRow<Record.Column>, TableProblem>, _ problems: inout [TableProblem],
        _ body: (Record, Int) throws -> Void
    ) throws {
        do {
            let row = try row.get()
            var fields = FieldReader(row)
            if let record = Record(&fields) {
                try body(record, row.line)
            } else {
                problems += fields.problems
            }
        } catch let problem as TableProblem {
            problems.append(problem)
        }
        guard problems.count < TableRefusal.greatestCount else { throw TableRefusal(problems) }
    }
}
