@testable import TabularFiles

/// A record of two columns, of which the second may be empty and must be a number.
struct TestRecord: TableRecord, Equatable {
    enum Column: Int, TableColumn {
        case name
        case count

        var name: String { self == .name ? "name" : "count" }
        var isRequired: Bool { self == .name }
    }

    let name: String
    let count: Int64?

    init(_ name: String, _ count: Int64? = nil) {
        self.name = name
        self.count = count
    }

    init?(_ fields: inout FieldReader<Column>) {
        let name = fields.required(.name, FieldText.nameRule, FieldText.name)
        let count = fields.optional(.count, "an integer", FieldText.integer)
        guard fields.errors.isEmpty, let name else { return nil }
        self.init(name, count)
    }
}

/// What reading a file gives.
struct ReadFile: Equatable {
    var records: [TestRecord] = []
    var lines: [Int] = []
    var problems: [String] = []

    /// Reads a file in parts of a size.
    init(_ bytes: [UInt8], partSize: Int = 1 << 20) {
        var reader = RecordReader<TestRecord>()
        do {
            var rest = bytes[...]
            while !rest.isEmpty {
                try reader.read(Array(rest.prefix(partSize))) { take($0, $1) }
                rest = rest.dropFirst(partSize)
            }
            try reader.finish { take($0, $1) }
        } catch let refusal as TableErrors {
            problems = refusal.errors.map(\.description)
        } catch {
            problems = ["another error: \(error)"]
        }
    }

    init(_ text: String, partSize: Int = 1 << 20) {
        self.init(Array(text.utf8), partSize: partSize)
    }

    private mutating func take(_ record: TestRecord, _ line: Int) {
        records.append(record)
        lines.append(line)
    }
}
