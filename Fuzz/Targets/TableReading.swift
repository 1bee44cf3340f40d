import TabularFiles

/// What reading a table gives: records with their lines, and why the file is refused, if it is.
struct TableReading<Record: TableRecord & Equatable>: Equatable {
    private(set) var records: [Record] = []
    private(set) var lines: [Int] = []
    private(set) var refusal: TableErrors?

    /// Reads a file whole and in parts, which must give the same.
    init(_ file: [UInt8], partSize: Int) throws {
        self = try Self(file, partOf: partSize)
        try expect(try Self(file, partOf: max(file.count, 1)) == self, "parts of \(partSize) bytes give other rows")
        let last = file.count { $0 == UInt8(ascii: "\n") } + 1
        try expect(zip(lines, lines.dropFirst()).allSatisfy(<), "rows are not in the order of their lines")
        try expect(lines.allSatisfy { (1...last).contains($0) }, "a row stands behind the end of the file")
        if let refusal { try Self.check(refusal, last: last) }
    }

    private init(_ file: [UInt8], partOf size: Int) throws {
        var reader = RecordReader<Record>()
        var rest = file[...]
        do {
            while !rest.isEmpty {
                try reader.read(Array(rest.prefix(size))) { append($0, $1) }
                rest = rest.dropFirst(size)
            }
            try reader.finish { append($0, $1) }
        } catch let refusal as TableErrors {
            self.refusal = refusal
        }
    }

    private mutating func append(_ record: Record, _ line: Int) {
        records.append(record)
        lines.append(line)
    }

    /// A refusal names lines of the file and rules, in few short lines.
    static func check(_ refusal: TableErrors, last: Int) throws {
        try expect((1...TableErrors.greatestCount).contains(refusal.errors.count), "a refusal without problems")
        let lines = refusal.errors.map(\.line)
        try expect(lines == lines.sorted(), "problems are not in the order of their lines")
        for problem in refusal.errors {
            try expect((1...last).contains(problem.line), "line \(problem.line) of \(last)")
            try expect(!problem.rule.isEmpty && problem.field?.isEmpty != true, "a problem without rule or field")
            try Readable.check(problem.description, limit: 800)
        }
    }
}

/// Texts for the one who wrote a file.
enum Readable {
    /// A text is one line without control characters, and short whatever was read.
    static func check(_ text: String, limit: Int) throws {
        try expect(!text.isEmpty && text.utf8.count <= limit, "a text of \(text.utf8.count) bytes")
        try expect(
            !text.unicodeScalars.contains { $0.properties.generalCategory == .control }, "a text of several lines")
    }
}
