import StrictJSON

/// Makes rows of a table from NDJSON: one object a line, whose members are named like the columns.
///
/// A value is a string or a number; null and "" stand for no value. A number is read by its digits, never as floating
/// point. Blank lines are skipped.
struct NDJSONRowReader<Column: TableColumn> {
    private(set) var hasRows = false
    private var line = 1
    private var bytes: [UInt8] = []

    /// The greatest size of a line, in bytes.
    static var greatestLine: Int { 65_536 }

    mutating func read(
        _ part: ArraySlice<UInt8>, _ body: (Result<TableRow<Column>, TableError>) throws -> Void
    ) throws {
        var rest = part
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            try append(rest[..<end])
            try take(body)
            rest = rest[(end + 1)...]
            line += 1
        }
        try append(rest)
    }

    mutating func finish(_ body: (Result<TableRow<Column>, TableError>) throws -> Void) throws {
        try take(body)
    }

    private mutating func append(_ part: ArraySlice<UInt8>) throws(TableError) {
        guard bytes.count + part.count <= Self.greatestLine else {
            throw TableError(line: line, rule: "a line must have at most \(Self.greatestLine) bytes")
        }
        bytes.append(contentsOf: part)
    }

    private mutating func take(_ body: (Result<TableRow<Column>, TableError>) throws -> Void) throws {
        defer { bytes.removeAll(keepingCapacity: true) }
        guard bytes.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { return }
        hasRows = true
        try body(row())
    }

    private func row() -> Result<TableRow<Column>, TableError> {
        var row = TableRow<Column>(line: line)
        var wrong: TableError?
        do throws(JSONError) {
            try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in
                var scanner = JSONScanner(buffer, maximumDepth: 2)
                try scanner.scanDocument { key, token in
                    // The first wrong member is told.
                    guard wrong == nil else { return }
                    let name = JSONToken.text(buffer, key)
                    guard let column = Column.named(name) else {
                        wrong = TableError(
                            line: line, field: JSONText.shown(name),
                            rule: "is not a member that is known; they are \(Column.names)")
                        return
                    }
                    guard let text = Self.text(token, buffer) else {
                        wrong = TableError(
                            line: line, field: name, rule: "must be a string, a number or null",
                            value: token.excerpt(buffer))
                        return
                    }
                    row[column] = text
                }
            }
        } catch {
            return .failure(TableError(line: line, rule: "\(error.rule.rawValue), at byte \(error.offset)"))
        }
        return wrong.map { .failure($0) } ?? .success(row)
    }

    private static func text(_ token: JSONToken, _ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        switch token {
        case .string(let range): JSONToken.text(bytes, range)
        case .integer(let integer): String(integer)
        case .number(let range): String(decoding: bytes[range], as: UTF8.self)
        case .null: ""
        case .boolean, .object, .array: nil
        }
    }
}
