import StrictJSON

/// Reads JSON records in one of three forms: NDJSON, one document over several lines, or one array.
///
/// NDJSON is read line by line and may be of any size.
struct RecordReader {
    /// How many bytes are read to decide between NDJSON with a wrong first line and one document over several lines.
    private static let lookahead = 65_536
    /// The greatest size of an array in bytes.
    ///
    /// It is read as a whole.
    private static let largestArray = 67_108_864

    private var lines: LineReader
    private var chunk: RecordChunk?

    /// Reads the beginning of an input, until its form is known.
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
            // One byte more than the greatest size is enough to refuse the document.
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

    /// Whether the input is one document over several lines: the JSON of its first line ends too early, and no other
    /// line begins with a brace.
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
            throw CommandError(
                .data, "an array must have at most \(largestArray) bytes; write one object a line instead")
        }
        return RecordScanner.elements(Array(bytes[start...]), line: line)
    }

    /// The offset of the end of the first line that is not blank.
    private static func endOfFirstLine(_ bytes: [UInt8]) -> Int? {
        guard let start = bytes.firstIndex(where: { !RecordChunk.isBlank($0) }) else { return nil }
        return bytes[start...].firstIndex(of: UInt8(ascii: "\n"))
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let end = bytes.lastIndex { !RecordChunk.isBlank($0) } ?? bytes.startIndex - 1
        return Array(bytes[...end])
    }
}
