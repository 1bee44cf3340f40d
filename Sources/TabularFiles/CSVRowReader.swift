/// Makes rows of a table from the rows of CSV: the first one names the columns.
struct CSVRowReader<Column: TableColumn> {
    /// The columns in the order of the header row; nil before it.
    private var columns: [Column]?
    private(set) var hasRows = false
    private var scanner = CSVScanner()

    /// The header row has been read.
    var hasHeader: Bool { columns != nil }

    mutating func read(
        _ bytes: ArraySlice<UInt8>, _ body: (Result<TableRow<Column>, TableError>) throws -> Void
    ) throws {
        var scanner = scanner
        try scanner.scan(bytes) { try take($0, body) }
        self.scanner = scanner
    }

    mutating func finish(_ body: (Result<TableRow<Column>, TableError>) throws -> Void) throws {
        var scanner = scanner
        try scanner.finish { try take($0, body) }
        self.scanner = scanner
    }

    private mutating func take(
        _ record: CSVRecord, _ body: (Result<TableRow<Column>, TableError>) throws -> Void
    ) throws {
        // What a spreadsheet makes of a row whose cells were emptied. One empty field alone, in quotes, is meant.
        guard !record.bytes.isEmpty || record.ends.count == 1 else { return }
        guard let columns else {
            self.columns = try Self.header(record)
            return
        }
        hasRows = true
        guard record.ends.count == columns.count else {
            try body(.failure(Self.wrongCount(record, columns.count)))
            return
        }
        var row = TableRow<Column>(line: record.line)
        for (index, column) in columns.enumerated() {
            guard let text = record.text(index) else {
                try body(.failure(TableError(line: record.line, field: column.name, rule: "must be UTF-8")))
                return
            }
            row[column] = CSVText.withFormula(text)
        }
        try body(.success(row))
    }

    private static func wrongCount(_ record: CSVRecord, _ count: Int) -> TableError {
        let fields = record.ends.count == 1 ? "1 field" : "\(record.ends.count) fields"
        return TableError(line: record.line, rule: "has \(fields), but the header row has \(count)")
    }

    private static func header(_ record: CSVRecord) throws(TableError) -> [Column] {
        if let separator = otherSeparator(record) {
            throw TableError(
                line: record.line, field: "header row",
                rule: "has \(separator) between the names; save the file as CSV with commas")
        }
        var columns: [Column] = []
        for index in record.ends.indices {
            guard let name = record.text(index), let column = Column.named(name) else {
                throw TableError(
                    line: record.line, field: "header row", rule: "must have the names \(Column.names)",
                    value: record.text(index) ?? "")
            }
            guard !columns.contains(column) else {
                throw TableError(line: record.line, field: column.name, rule: "stands twice in the header row")
            }
            columns.append(column)
        }
        for column in Column.allCases where column.isRequired && !columns.contains(column) {
            throw TableError(line: record.line, field: column.name, rule: "is missing in the header row")
        }
        return columns
    }

    /// What separates names of columns in place of commas; nil if nothing does.
    private static func otherSeparator(_ record: CSVRecord) -> String? {
        guard let text = record.text(0) else { return nil }
        return [(";", "semicolons"), ("\t", "tabs"), ("|", "vertical bars")].first { separator, _ in
            let names = text.split(separator: separator, omittingEmptySubsequences: false)
            return names.count > 1 && names.contains { Column.named($0.filter { $0 != " " }) != nil }
        }?.1
    }
}
