import AdAttribution
package import Foundation

/// Reads an archive in parts of a number of lines.
///
/// Each line has its number.
///
/// A line that is longer than the limit of a postback is cut to one byte above the limit. So it is refused for its
/// size, and never held as a whole.
package struct ArchiveReader {
    /// A line that is not blank.
    package struct ArchiveLine: Sendable {
        /// The number, from 1.
        package let number: Int64
        /// The bytes, without the line's end.
        package let bytes: [UInt8]
        /// The end of the line, in bytes from the beginning of the archive.
        package let end: Int64
    }

    /// Consecutive lines.
    package struct ArchivePart: Sendable {
        /// The lines, without the blank ones.
        package let lines: [ArchiveLine]
        /// The number of the last line, blank ones included.
        package let lastLine: Int64
        /// The end of the part, in bytes from the beginning of the archive.
        package let end: Int64
    }

    private static let longestKept = Postback.maximumBodySize + 1

    private let handle: FileHandle
    private let linesOfPart: Int
    private let readSize: Int
    /// The bytes that were read.
    ///
    /// Those from `next` on were not returned yet.
    private var buffer: [UInt8] = []
    private var next = 0
    private var isAtEnd = false
    private var number: Int64
    private var position: Int64

    /// Continues after a number of bytes and lines.
    ///
    /// - Parameter readSize: The number of bytes that are read at once.
    package init(
        _ handle: FileHandle, position: Int64, lines: Int64, linesOfPart: Int, readSize: Int = 1 << 20
    ) throws {
        self.handle = handle
        self.linesOfPart = linesOfPart
        self.readSize = readSize
        self.position = position
        number = lines
        try handle.seek(toOffset: UInt64(position))
    }

    /// The next part, or nil at the end.
    package mutating func nextPart() throws -> ArchivePart? {
        let before = number
        var lines: [ArchiveLine] = []
        while lines.count < linesOfPart, let line = try nextLine() {
            number += 1
            if line.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) {
                lines.append(ArchiveLine(number: number, bytes: line, end: position))
            }
        }
        guard number > before else { return nil }
        return ArchivePart(lines: lines, lastLine: number, end: position)
    }

    /// The next line without its end, or nil at the end of the archive.
    private mutating func nextLine() throws -> [UInt8]? {
        var line: [UInt8] = []
        while true {
            let rest = buffer[next...]
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
            let isWhole = end < rest.endIndex
            line.append(contentsOf: rest[..<end].prefix(Self.longestKept - line.count))
            position += Int64(end - next + (isWhole ? 1 : 0))
            next = isWhole ? end + 1 : end
            if isWhole { return line }
            guard try read() else { return rest.isEmpty && line.isEmpty ? nil : line }
        }
    }

    /// Reads more bytes; false at the end.
    private mutating func read() throws -> Bool {
        guard !isAtEnd, let data = try handle.read(upToCount: readSize), !data.isEmpty else {
            isAtEnd = true
            buffer = []
            next = 0
            return false
        }
        buffer = Array(data)
        next = 0
        return true
    }
}
