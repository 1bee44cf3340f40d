/// A row of CSV: the bytes of its fields, without quotes.
struct CSVRecord: Sendable, Equatable {
    /// The line on which it begins, from 1.
    let line: Int
    /// The bytes of all fields.
    fileprivate(set) var bytes: [UInt8] = []
    /// Where each field ends in `bytes`.
    fileprivate(set) var ends: [Int] = []

    /// A field as text; nil if it is not UTF-8.
    func text(_ index: Int) -> String? {
        guard ends.indices.contains(index) else { return nil }
        let start = index == 0 ? 0 : ends[index - 1]
        return String(validating: bytes[start..<ends[index]], as: UTF8.self)
    }
}

/// A strict scanner of CSV (RFC 4180), in one pass, in parts of any size.
///
/// It takes lines that end with LF or CRLF, and skips empty ones. It refuses what parsers read differently:
/// - a quote inside a field without quotes;
/// - anything between a closing quote and the next comma;
/// - a quoted field that does not end;
/// - a CR without an LF.
///
/// SwiftCSV 0.10.0 is not strict enough for this. It gives no line numbers and needs the whole file as one string. It
/// takes `a""b` and a quoted field without an end. It drops blanks before fields and fills up short rows.
struct CSVScanner {
    private enum State {
        case startOfRow
        case startOfField
        case inField
        case inQuotes
        /// Behind a quote inside quotes: it ends the field, or stands for itself if another one follows.
        case behindQuote
        /// An empty row is a blank line, and not one of an empty field in quotes.
        case behindCarriageReturn(isBlank: Bool)
    }

    /// The greatest size of a row, in bytes, without quotes.
    static let greatestRow = 65_536

    private var state = State.startOfRow
    private var line = 1
    /// The line of the last opening quote.
    private var quoteLine = 1
    private var record = CSVRecord(line: 1)

    /// Scans the next bytes, and passes on each row that is complete.
    ///
    /// - Throws: What is wrong, as a `TableError`; the rest of the file can't be read then. Or what `body` throws.
    mutating func scan(_ bytes: ArraySlice<UInt8>, _ body: (CSVRecord) throws -> Void) throws {
        for byte in bytes {
            switch (state, byte) {
            case (.behindCarriageReturn(isBlank: false), UInt8(ascii: "\n")):
                try endRow(body)
            case (.behindCarriageReturn, UInt8(ascii: "\n")):
                beginRow()
            case (.behindCarriageReturn, _):
                throw error("a carriage return must be followed by a line feed")
            case (.startOfRow, UInt8(ascii: "\n")):
                beginRow()
            case (.inQuotes, UInt8(ascii: "\"")):
                state = .behindQuote
            case (.inQuotes, _):
                try append(byte)
                if byte == UInt8(ascii: "\n") { line += 1 }
            case (.startOfRow, UInt8(ascii: "\"")), (.startOfField, UInt8(ascii: "\"")):
                quoteLine = line
                state = .inQuotes
            case (.behindQuote, UInt8(ascii: "\"")):
                try append(byte)
                state = .inQuotes
            case (_, UInt8(ascii: ",")):
                try checkSize()
                record.ends.append(record.bytes.count)
                state = .startOfField
            case (_, UInt8(ascii: "\n")):
                try endRow(body)
            case (.startOfRow, UInt8(ascii: "\r")):
                state = .behindCarriageReturn(isBlank: true)
            case (_, UInt8(ascii: "\r")):
                state = .behindCarriageReturn(isBlank: false)
            case (.behindQuote, UInt8(ascii: ";")):
                throw error("has a semicolon between fields; save the file as CSV with commas")
            case (.behindQuote, _):
                throw error("a comma or the end of the line must follow the closing quote of a field")
            case (_, UInt8(ascii: "\"")):
                throw error("a field that contains a quote must be in quotes, and the quote be doubled")
            default:
                try append(byte)
                state = .inField
            }
        }
    }

    /// Passes on the last row, if the file does not end with a line feed.
    mutating func finish(_ body: (CSVRecord) throws -> Void) throws {
        switch state {
        case .startOfRow: return
        case .inQuotes:
            throw TableError(
                line: quoteLine, rule: "a field begins with a quote, and the quote that ends it is missing")
        case .behindCarriageReturn: throw error("a carriage return must be followed by a line feed")
        case .startOfField, .inField, .behindQuote: try endRow(body)
        }
    }

    private mutating func append(_ byte: UInt8) throws(TableError) {
        try checkSize()
        record.bytes.append(byte)
    }

    private func checkSize() throws(TableError) {
        guard record.bytes.count + record.ends.count < Self.greatestRow else {
            throw TableError(line: record.line, rule: "a row must have at most \(Self.greatestRow) bytes")
        }
    }

    private mutating func endRow(_ body: (CSVRecord) throws -> Void) throws {
        record.ends.append(record.bytes.count)
        try body(record)
        beginRow()
    }

    private mutating func beginRow() {
        line += 1
        record = CSVRecord(line: line)
        state = .startOfRow
    }

    private func error(_ rule: String) -> TableError {
        TableError(line: line, rule: rule)
    }
}
