/// Reads the rows of a file, CSV or NDJSON, in parts of any size.
///
/// A file whose first byte is `{`, behind a byte order mark and white space, is NDJSON; no header row of CSV begins so.
/// Every other file is CSV.
struct TableReader<Column: TableColumn> {
    private enum Format {
        /// The first bytes, which do not tell the format yet.
        case unknown([UInt8])
        case csv(CSVRowReader<Column>)
        case ndjson(NDJSONRowReader<Column>)
    }

    private static var byteOrderMark: [UInt8] { [0xEF, 0xBB, 0xBF] }

    private var format = Format.unknown([])

    /// Reads the next bytes, and passes on each row, or what is wrong with it.
    ///
    /// - Throws: A `TableError` behind which nothing can be read. Or what `body` throws.
    mutating func read(
        _ bytes: [UInt8], _ body: (Result<TableRow<Column>, TableError>) throws -> Void
    ) throws {
        switch format {
        case .unknown(let first):
            let all = first + bytes
            guard !Self.isUTF16(all) else { throw TableError(line: 1, rule: "the file is UTF-16; save it as UTF-8") }
            format = Self.format(all) ?? .unknown(all)
            guard case .unknown = format else {
                try pass(all.starts(with: Self.byteOrderMark) ? all.dropFirst(3) : all[...], body)
                return
            }
        case .csv, .ndjson:
            try pass(bytes[...], body)
        }
    }

    /// Passes on the last row.
    ///
    /// - Throws: As `read`; also if the file has no rows.
    mutating func finish(_ body: (Result<TableRow<Column>, TableError>) throws -> Void) throws {
        let hasRows: Bool
        switch format {
        case .unknown:
            throw TableError(line: 1, rule: "the file is empty")
        case .csv(var reader):
            try reader.finish(body)
            guard reader.hasHeader else { throw TableError(line: 1, rule: "the file is empty") }
            hasRows = reader.hasRows
        case .ndjson(var reader):
            try reader.finish(body)
            hasRows = reader.hasRows
        }
        guard hasRows else { throw TableError(line: 1, rule: "the file has no rows behind its header row") }
    }

    /// The format of a file that begins so; nil if it is not known yet.
    private static func format(_ bytes: [UInt8]) -> Format? {
        let mark = byteOrderMark
        if bytes.count < mark.count, mark.starts(with: bytes) { return nil }
        // It may be the first half of a byte order mark of UTF-16.
        if bytes == [0xFE] || bytes == [0xFF] { return nil }
        let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
        guard let first = text.first(where: { !Self.isWhitespace($0) }) else {
            return text.count > NDJSONRowReader<Column>.greatestLine ? .csv(CSVRowReader()) : nil
        }
        return first == UInt8(ascii: "{") ? .ndjson(NDJSONRowReader()) : .csv(CSVRowReader())
    }

    /// Whether a file begins with a byte order mark of UTF-16, as spreadsheets write it.
    private static func isUTF16(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private mutating func pass(
        _ bytes: ArraySlice<UInt8>, _ body: (Result<TableRow<Column>, TableError>) throws -> Void
    ) throws {
        switch format {
        case .unknown: return
        case .csv(var reader):
            // Without this the reader would be copied when it changes.
            format = .unknown([])
            defer { format = .csv(reader) }
            try reader.read(bytes, body)
        case .ndjson(var reader):
            format = .unknown([])
            defer { format = .ndjson(reader) }
            try reader.read(bytes, body)
        }
    }
}
