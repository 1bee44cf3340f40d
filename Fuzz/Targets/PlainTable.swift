import Foundation
import TabularFiles

/// A row of three texts, and what another parser reads.
struct PlainRow: TableRecord, Equatable {
    enum Column: Int, TableColumn {
        case a
        case b
        case c

        var name: String { ["a", "b", "c"][rawValue] }
        var isRequired: Bool { false }
    }

    let texts: [String?]

    init(_ texts: [String?]) {
        self.texts = texts
    }

    init?(_ fields: inout FieldReader<Column>) {
        texts = Column.allCases.map { column in fields.optional(column, "a text") { $0 } }
    }

    /// Letters that look the same may have other bytes.
    static func == (left: PlainRow, right: PlainRow) -> Bool {
        left.texts.map { $0.map { Array($0.utf8) } } == right.texts.map { $0.map { Array($0.utf8) } }
    }

    /// The rows are those that another parser reads, and stay so when they are written and read again.
    static func check(_ file: [UInt8], _ reading: TableReading<PlainRow>) throws {
        let text = file.starts(with: [0xEF, 0xBB, 0xBF]) ? file.dropFirst(3) : file[...]
        if text.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "{") {
            if reading.refusal == nil { try checkObjects(text, reading.records) }
        } else if file.count < 65_536 {
            let plain = PlainCSV(text)?.rows
            try expect(
                reading.refusal == nil ? reading.records == plain : plain == nil, "another parser reads other rows")
        }
        guard reading.refusal == nil else { return }
        // A row without any value is skipped when it is read again.
        let records = reading.records.filter { $0.texts.contains { $0 != nil } }
        guard !records.isEmpty else { return }
        let written = ([["a", "b", "c"]] + records.map { $0.texts.map { $0.map(CSVText.withoutFormula) } }).map(
            CSVText.row
        ).joined()
        let again = try TableReading<PlainRow>(Array(written.utf8), partSize: 100)
        try expect(again.records == records, "other rows after they were written and read")
    }

    private static func checkObjects(_ text: ArraySlice<UInt8>, _ rows: [PlainRow]) throws {
        let lines = text.split(separator: 0x0A).filter { $0.contains { ![0x20, 0x09, 0x0D].contains($0) } }
        try expect(lines.count == rows.count, "\(rows.count) rows in \(lines.count) lines")
        for (line, row) in zip(lines, rows) {
            let other = try OtherParser(Array(line))
            try expect(Set(other.object.keys).isSubset(of: Column.allCases.map(\.name)), "an unknown member is read")
            for (column, text) in zip(Column.allCases, row.texts) {
                switch other.object[column.name] {
                case let other as String:
                    try expect(Array(other.utf8) == Array((text ?? "").utf8), "another text of \(column.name)")
                case let other as NSNumber:
                    // The other parser reads 0 for what is too great for it.
                    let number = text.flatMap(Double.init).map { $0.isFinite ? $0 : 0 }
                    try expect(number == other.doubleValue, "another number of \(column.name)")
                default: try expect(text == nil, "a value of \(column.name) where there is none")
                }
            }
        }
    }
}

/// A second parser of CSV, field by field over the whole file; nil if it breaks RFC 4180.
struct PlainCSV {
    private(set) var rows: [PlainRow] = []

    init?(_ text: ArraySlice<UInt8>) {
        var rest = text
        var columns: [Int]?
        while !rest.isEmpty {
            if Self.takeLineEnd(&rest) { continue }
            guard let fields = Self.row(&rest) else { return nil }
            // What a spreadsheet makes of a row whose cells were emptied.
            if fields.count > 1, fields.allSatisfy(\.isEmpty) { continue }
            guard let order = columns else {
                columns = fields.compactMap { ["a", "b", "c"].firstIndex(of: $0) }
                guard let columns, columns.count == fields.count, Set(columns).count == columns.count else {
                    return nil
                }
                continue
            }
            guard fields.count == order.count else { return nil }
            var texts = [String?](repeating: nil, count: 3)
            for (column, text) in zip(order, fields) where !text.isEmpty { texts[column] = CSVText.withFormula(text) }
            rows.append(PlainRow(texts))
        }
        if rows.isEmpty { return nil }
    }

    private static func row(_ rest: inout ArraySlice<UInt8>) -> [String]? {
        var fields: [String] = []
        while let field = field(&rest), let text = String(bytes: field, encoding: .utf8) {
            fields.append(text)
            if rest.isEmpty || takeLineEnd(&rest) { return fields }
            guard rest.popFirst() == UInt8(ascii: ",") else { return nil }
        }
        return nil
    }

    private static func field(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        let quote = UInt8(ascii: "\"")
        guard rest.first == quote else {
            let field = Array(rest.prefix { ![UInt8(ascii: ","), 0x0A, 0x0D].contains($0) })
            rest = rest.dropFirst(field.count)
            return field.contains(quote) ? nil : field
        }
        var parts: [ArraySlice<UInt8>] = []
        while rest.first == quote {
            let part = rest.dropFirst().prefix { $0 != quote }
            parts.append(part)
            rest = rest.dropFirst(part.count + 1)
            guard rest.popFirst() == quote else { return nil }
        }
        return Array(parts.joined(separator: [quote]))
    }

    private static func takeLineEnd(_ rest: inout ArraySlice<UInt8>) -> Bool {
        for end in [[0x0A], [0x0D, 0x0A]] as [[UInt8]] where rest.starts(with: end) {
            rest = rest.dropFirst(end.count)
            return true
        }
        return false
    }
}
