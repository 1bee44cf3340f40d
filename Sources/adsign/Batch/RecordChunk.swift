/// Some whole records, each with the number of the line on which it begins, from 1.
struct RecordChunk: Sendable {
    /// One record: a line without its line end, or a whole document.
    struct Record: Sendable {
        let line: Int
        let range: Range<Int>
    }

    let bytes: [UInt8]
    private(set) var records: [Record] = []

    /// A chunk of one document.
    init(document bytes: [UInt8], line: Int) {
        self.init(bytes: bytes, records: [Record(line: line, range: 0..<bytes.count)])
    }

    /// A chunk of records whose places are known.
    init(bytes: [UInt8], records: [Record]) {
        self.bytes = bytes
        self.records = records
    }

    /// A chunk of lines.
    ///
    /// Blank lines are counted, but they are not records. A carriage return at the end of a line is not part of it.
    /// - Parameter line: The number of the first line. It becomes the number of the line after the last one.
    init(lines bytes: [UInt8], line: inout Int) {
        self.bytes = bytes
        var start = 0
        bytes.withUnsafeBufferPointer { buffer in
            for index in buffer.indices where buffer[index] == UInt8(ascii: "\n") {
                append(buffer, start..<index, line)
                start = index + 1
                line += 1
            }
            if start < buffer.count {
                append(buffer, start..<buffer.count, line)
                line += 1
            }
        }
    }

    /// The bytes of a record.
    func body(of record: Record) -> [UInt8] {
        Array(bytes[record.range])
    }

    private mutating func append(_ buffer: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ line: Int) {
        var range = range
        if let last = range.last, buffer[last] == UInt8(ascii: "\r") { range = range.dropLast() }
        guard range.contains(where: { !Self.isBlank(buffer[$0]) }) else { return }
        records.append(Record(line: line, range: range))
    }

    /// White space of JSON.
    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
