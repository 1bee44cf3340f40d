import Foundation
import TestSupport
import Testing

@testable import Archives

@Suite("The reader of archives") struct ArchiveReaderTests {
    /// Reads a text to its end.
    private func parts(
        of text: [UInt8], position: Int64 = 0, lines: Int64 = 0, linesOfPart: Int = 2
    ) throws -> [ArchiveReader.ArchivePart] {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("archive-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: path) }
        try Data(text).write(to: path)
        let handle = try FileHandle(forReadingFrom: path)
        defer { try? handle.close() }
        var reader = try ArchiveReader(handle, position: position, lines: lines, linesOfPart: linesOfPart)
        var parts: [ArchiveReader.ArchivePart] = []
        while let part = try reader.nextPart() { parts.append(part) }
        return parts
    }

    private func text(_ line: ArchiveReader.ArchiveLine) -> String { String(decoding: line.bytes, as: UTF8.self) }

    @Test("Lines come in parts, with their numbers and where they end; blank lines count but do not come")
    func lines() throws {
        let parts = try parts(of: Array("a\n\n \t\r\nbc\nd".utf8))
        #expect(parts.map { $0.lines.map(text) } == [["a", "bc"], ["d"]])
        #expect(parts.map { $0.lines.map(\.number) } == [[1, 4], [5]])
        #expect(parts.map { $0.lines.map(\.end) } == [[2, 10], [11]])
        #expect(parts.map(\.lastLine) == [4, 5])
        #expect(parts.map(\.end) == [10, 11])
    }

    @Test("Blank lines at the end are a part of their own, and an empty archive has none")
    func blankEnd() throws {
        let parts = try parts(of: Array("a\nb\n\n\n".utf8))
        #expect(parts.map { $0.lines.count } == [2, 0])
        #expect(parts.map(\.lastLine) == [2, 4])
        #expect(parts.map(\.end) == [4, 6])
        #expect(try self.parts(of: []).isEmpty)
    }

    @Test("Reading goes on at a place, with the number of its line")
    func place() throws {
        let parts = try parts(of: Array("a\nb\nc\n".utf8), position: 2, lines: 1, linesOfPart: 10)
        #expect(parts.map { $0.lines.map(text) } == [["b", "c"]])
        #expect(parts.map { $0.lines.map(\.number) } == [[2, 3]])
        #expect(parts.map(\.end) == [6])
        #expect(try self.parts(of: Array("a\n".utf8), position: 2, lines: 1).isEmpty)
    }

    @Test("A line across two reads is whole, and a line that is too long is cut with one byte too many")
    func longLines() throws {
        let megabyte = 1 << 20
        let first = Array(repeating: UInt8(ascii: "x"), count: 16_384)
        var bytes: [UInt8] = []
        // The last of these lines crosses the end of the first megabyte.
        while bytes.count <= megabyte { bytes += first + [UInt8(ascii: "\n")] }
        let whole = bytes.count / 16_385
        bytes += Array(repeating: UInt8(ascii: "y"), count: 3 * megabyte) + Array("\nend".utf8)
        let lines = try parts(of: bytes, linesOfPart: 10_000).flatMap(\.lines)
        #expect(lines.count == whole + 2)
        #expect(lines.prefix(whole).allSatisfy { $0.bytes == first })
        #expect(lines[whole].bytes == Array(repeating: UInt8(ascii: "y"), count: 16_385))
        #expect(text(lines[whole + 1]) == "end")
        #expect(lines[whole + 1].end == Int64(bytes.count))
    }
}
