import AdAttribution
import Foundation
import LocalFiles

/// Reads an archive line by line, through a filter if there is one.
final class ArchiveLines {
    private let path: String
    private let filter: FilterProcess?
    private let source: FileHandle
    private let digest = SHA256.Parts()
    private var buffer: [UInt8] = []
    private var next = 0
    /// The number of the line that was read last, from 1.
    private(set) var number: Int64 = 0

    /// Far more than a line of an archive has.
    private static let longest = 1 << 20

    /// Opens an archive.
    ///
    /// - Throws: `ArchiveError`.
    init(_ file: DayFile, filter command: FilterCommand?) throws(ArchiveError) {
        path = file.path
        let file = try file.open()
        guard let command else {
            filter = nil
            source = file
            return
        }
        let pipe = Pipe()
        do {
            filter = try FilterProcess(command, input: file, output: pipe)
        } catch {
            throw ArchiveError(path: path, rule: "the filter '\(command.command)' can't be started")
        }
        try? pipe.fileHandleForWriting.close()
        source = pipe.fileHandleForReading
    }

    /// The next line without its end, or nil at the end.
    ///
    /// - Throws: `ArchiveError`, also if the filter failed or the last line has no end.
    func nextLine() throws(ArchiveError) -> [UInt8]? {
        var line: [UInt8] = []
        while true {
            if let end = buffer[next...].firstIndex(of: UInt8(ascii: "\n")) {
                line += buffer[next..<end]
                next = end + 1
                number += 1
                return line
            }
            line += buffer[next...]
            guard line.count <= Self.longest else {
                throw ArchiveError(path: path, rule: "line \(number + 1) is too long")
            }
            guard try fill() else {
                try filter?.finish(path)
                guard line.isEmpty else { throw ArchiveError(path: path, rule: "its last line has no end") }
                return nil
            }
        }
    }

    /// SHA-256 of what was read, after the filter.
    ///
    /// Nothing can be read afterwards.
    func finishedDigest() -> [UInt8] { digest.finished() }

    /// Stops reading.
    func cancel() {
        try? source.close()
        filter?.kill()
    }

    private func fill() throws(ArchiveError) -> Bool {
        do {
            guard let data = try source.read(upToCount: 1 << 20), !data.isEmpty else {
                buffer = []
                next = 0
                return false
            }
            buffer = Array(data)
            next = 0
            digest.append(buffer)
            return true
        } catch {
            throw ArchiveError(path: path, rule: "can't be read: \(error.systemText)")
        }
    }
}
