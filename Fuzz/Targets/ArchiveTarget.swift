import AdAttribution
import Archives
import Foundation

/// An archive of postbacks, one a line, read in parts.
///
/// The first bytes choose the size of a read, the lines of a part, and where reading stops and goes on.
package final class ArchiveTarget: FuzzTarget {
    package static let name = "archive"

    private let folder: ScratchFolder

    package init() throws {
        folder = try ScratchFolder()
    }

    package func check(_ input: [UInt8]) throws {
        var reader = InputReader(input)
        let choice = Int(reader.byte())
        let readSize = 64 * (choice % 16 + 1) - choice / 16
        let linesOfPart = Int(reader.byte() % 8) + 1
        let stop = Int(reader.byte() % 8) + 1
        // The filler makes lines that are longer than a postback may be.
        let filler = [UInt8](repeating: UInt8(ascii: "x"), count: Int(reader.byte() % 3) * 8_192)
        let archive = filler + reader.remainder()
        try folder.write("archive", archive, mode: 0o600)
        let expected = Self.lines(of: archive)
        let whole = try read(readSize, linesOfPart, from: (0, 0), parts: .max)
        try expect(whole.lines == expected, "other lines")
        try expect(whole.position == Int64(archive.count), "reading ends at \(whole.position) of \(archive.count)")
        // A part of it, and the rest another time.
        let first = try read(readSize, linesOfPart, from: (0, 0), parts: stop)
        let rest = try read(readSize, linesOfPart, from: (first.position, first.number), parts: .max)
        try expect(first.lines + rest.lines == expected, "other lines when reading goes on at \(first.position)")
        for line in expected {
            try expect(line.bytes.count <= Postback.maximumBodySize + 1, "a line of \(line.bytes.count) bytes is kept")
            let archived: ArchivedPostback
            do throws(PostbackRejection) {
                archived = try ArchivedPostback(parsing: line.bytes)
            } catch {
                try PostbackTarget.check(error, line.bytes)
                continue
            }
            try PostbackTarget.checkFields(archived.postback)
        }
    }

    private struct Line: Equatable {
        let number: Int64
        let bytes: [UInt8]
        let end: Int64
    }

    /// The lines that are not blank, found in the plainest way.
    private static func lines(of archive: [UInt8]) -> [Line] {
        var lines: [Line] = []
        var end: Int64 = 0
        for (index, line) in archive.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            end = min(end + Int64(line.count) + 1, Int64(archive.count))
            let kept = Array(line.prefix(Postback.maximumBodySize + 1))
            if kept.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { continue }
            lines.append(Line(number: Int64(index + 1), bytes: kept, end: end))
        }
        return lines
    }

    private func read(
        _ readSize: Int, _ linesOfPart: Int, from place: (position: Int64, number: Int64), parts: Int
    ) throws -> (lines: [Line], position: Int64, number: Int64) {
        let handle = try FileHandle(forReadingFrom: URL(filePath: folder.path + "/archive"))
        defer { try? handle.close() }
        var reader = try ArchiveReader(
            handle, position: place.position, lines: place.number, linesOfPart: linesOfPart, readSize: readSize)
        var lines: [Line] = []
        var (position, number) = place
        var left = parts
        while left > 0, let part = try reader.nextPart() {
            try expect(part.lines.count <= linesOfPart, "\(part.lines.count) lines in a part")
            lines += part.lines.map { Line(number: $0.number, bytes: $0.bytes, end: $0.end) }
            (position, number) = (part.end, part.lastLine)
            left -= 1
        }
        return (lines, position, number)
    }
}
