import StrictJSON

/// The JSON records of an input in any of three forms: NDJSON, one document over several lines, or one array.
///
/// NDJSON is read line by line and may be of any size.
struct RecordReader {
    /// How much is looked at to tell NDJSON that begins with a broken line from one document over several lines.
    private static let lookahead = 65_536
    /// The most bytes of an array, which is read as a whole.
    private static let largestArray = 67_108_864

    private var lines: LineReader
    private var chunk: RecordChunk?

    /// Looks at the beginning of an input, as far as is needed to know its form.
    init(_ input: InputFile) throws {
        var bytes: [UInt8] = []
        while Self.endOfFirstLine(bytes) == nil, bytes.count <= Self.lookahead {
            guard try input.read(Self.lookahead, onto: &bytes) else { break }
        }
        let start = bytes.firstIndex { !RecordChunk.isBlank($0) } ?? bytes.count
        let line = 1 + bytes[..<start].count { $0 == UInt8(ascii: "\n") }
        if start < bytes.count, bytes[start] == UInt8(ascii: "[") {
            chunk = try Self.array(input, &bytes, start: start, line: line)
            bytes = []
        } else if try Self.isDocument(input, &bytes, start: start) {
            // One byte beyond the largest is enough to refuse it.
            while bytes.count - start <= LineReader.longestLine,
                try input.read(LineReader.longestLine, onto: &bytes)
            {}
            chunk = RecordChunk(document: Self.trimmed(bytes[start...]), line: line)
            bytes = []
        }
        lines = LineReader(input, ahead: bytes)
    }

    /// The next records, or nil at the end.
    mutating func next() throws -> RecordChunk? {
        guard let chunk else { return try lines.next() }
        guard !chunk.bytes.isEmpty else { return nil }
        self.chunk = RecordChunk(bytes: [], records: [])
        return chunk
    }

    /// Whether the input is one document over several lines: its first line is no JSON by itself, since it ends too
    /// early, and no other line begins with a brace.
    private static func isDocument(_ input: InputFile, _ bytes: inout [UInt8], start: Int) throws -> Bool {
        guard let end = endOfFirstLine(bytes) else { return false }
        let first = RecordScanner.problem(Array(bytes[start..<end]))
        guard first?.rule == .unexpectedEnd else { return false }
        while bytes.count <= lookahead, try input.read(lookahead, onto: &bytes) {}
        var previous = UInt8(ascii: "\n")
        for byte in bytes[end...].dropFirst() {
            if byte == UInt8(ascii: "{"), previous == UInt8(ascii: "\n") { return false }
            previous = byte
        }
        return true
    }

    private static func array(
        _ input: InputFile, _ bytes: inout [UInt8], start: Int, line: Int
    ) throws -> RecordChunk {
        while bytes.count <= largestArray, try input.read(262_144, onto: &bytes) {}
        guard bytes.count <= largestArray else {
            throw Failure(.data, "an array must have at most \(largestArray) bytes; give one object a line instead")
        }
        return RecordScanner.elements(Array(bytes[start...]), line: line)
    }

    /// The offset of the line end behind the first line that is not blank.
    private static func endOfFirstLine(_ bytes: [UInt8]) -> Int? {
        guard let start = bytes.firstIndex(where: { !RecordChunk.isBlank($0) }) else { return nil }
        return bytes[start...].firstIndex(of: UInt8(ascii: "\n"))
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let end = bytes.lastIndex { !RecordChunk.isBlank($0) } ?? bytes.startIndex - 1
        return Array(bytes[...end])
    }
}
