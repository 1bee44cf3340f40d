/// A type of which each row of a file gives one value.
package protocol TableRecord: Sendable {
    /// The columns of the file.
    associatedtype Column: TableColumn

    /// Reads the fields of a row; nil if at least one is wrong, and `fields` has the errors then.
    init?(_ fields: inout FieldReader<Column>)
}

/// Reads a file into typed values, row by row: bytes in, records out.
///
/// It keeps nothing but a part of the file and the errors, so a file may be of any size.
package struct RecordReader<Record: TableRecord> {
    private var reader = TableReader<Record.Column>()
    private var errors: [TableError] = []

    /// Starts at the beginning of a file.
    package init() {}

    /// Reads the next bytes.
    ///
    /// - Parameter body: Takes each record whose fields are right, and its line. It may add what is wrong with it.
    /// - Throws: `TableErrors` if nothing more can be read, or after the greatest number of errors. Or what `body`
    ///   throws, if it is no `TableError`.
    package mutating func read(_ bytes: [UInt8], _ body: (Record, Int) throws -> Void) throws {
        try refusing { (reader, errors) in
            try reader.read(bytes) { try Self.take($0, &errors, body) }
        }
    }

    /// Reads what is left at the end of the file.
    ///
    /// - Throws: `TableErrors` if anything in the file was wrong.
    package mutating func finish(_ body: (Record, Int) throws -> Void) throws {
        try refusing { (reader, errors) in
            try reader.finish { try Self.take($0, &errors, body) }
        }
        guard errors.isEmpty else { throw TableErrors(errors) }
    }

    /// Reads a whole file, and passes on each record with its line.
    ///
    /// - Throws: As `finish`. A `TableError` of `body` is one of the file's.
    package static func read(_ file: [UInt8], _ body: (Record, Int) throws -> Void) throws {
        var reader = RecordReader()
        try reader.read(file, body)
        try reader.finish(body)
    }

    private mutating func refusing(
        _ body: (inout TableReader<Record.Column>, inout [TableError]) throws -> Void
    ) throws {
        do {
            try body(&reader, &errors)
        } catch let error as TableError {
            throw TableErrors(errors + [error])
        }
    }

    private static func take(
        _ row: Result<TableRow<Record.Column>, TableError>, _ errors: inout [TableError],
        _ body: (Record, Int) throws -> Void
    ) throws {
        do {
            let row = try row.get()
            var fields = FieldReader(row)
            if let record = Record(&fields) {
                try body(record, row.line)
            } else {
                errors += fields.errors
            }
        } catch let error as TableError {
            errors.append(error)
        }
        guard errors.count < TableErrors.greatestCount else { throw TableErrors(errors) }
    }
}
