/// Reads the lines of an input in chunks of bounded size.
///
/// Chunks end at line ends, and come as soon as there are lines.
///
/// A line that is longer than `longestLine` is cut after a few more bytes. So it is refused for its size, and never
/// held as a whole.
struct LineReader {
    /// The greatest size of a line in bytes: that of an impression or a postback.
    static let longestLine = 16_384
    private static let readSize = 262_144
    /// Enough for the longest line with its carriage return, and for one byte that shows that a line is too long.
    private static let cut = longestLine + 2

    private let input: InputFile
    /// The beginning of a line whose end was not read yet.
    private var carry: [UInt8] = []
    /// Whether `carry` is cut, and the rest of its line must be dropped.
    private var skipping = false
    /// Bytes that somebody else read from the input before.
    private var ahead: [UInt8]
    private var line = 1
    private var isAtEnd = false

    /// Reads an input, after the bytes that were read from it before.
    init(_ input: InputFile, ahead: [UInt8] = []) {
        self.input = input
        self.ahead = ahead
    }

    /// The next chunk, or nil at the end.
    mutating func next() throws -> RecordChunk? {
        while !isAtEnd {
            var bytes = carry
            carry = []
            let start = bytes.count
            if ahead.isEmpty {
                isAtEnd = try !input.read(Self.readSize, onto: &bytes)
            } else {
                bytes.append(contentsOf: ahead)
                ahead = []
            }
            if skipping {
                let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
                skipping = end == bytes.count
                bytes.removeSubrange(start..<end)
            }
            if isAtEnd {
                return bytes.isEmpty ? nil : RecordChunk(lines: bytes, line: &line)
            }
            guard let last = bytes.lastIndex(of: UInt8(ascii: "\n")) else {
                keep(bytes[...])
                continue
            }
            keep(bytes[(last + 1)...])
            bytes.removeLast(bytes.count - last - 1)
            return RecordChunk(lines: bytes, line: &line)
        }
        return nil
    }

    private mutating func keep(_ beginning: ArraySlice<UInt8>) {
        carry = Array(beginning.prefix(Self.cut))
        if beginning.count > Self.cut { skipping = true }
    }
}
