import AdAttribution
import Foundation
import LocalFiles

/// Writes an archive into a new file, through a filter if there is one.
final class ArchiveWriter {
    private let path: String
    private let file: FileHandle
    private let filter: FilterProcess?
    private let target: FileHandle
    private var buffer: [UInt8] = []
    private(set) var lines: Int64 = 0

    private static let bufferSize = 1 << 20

    /// Creates the file, which only its owner may read: it may hold source addresses.
    ///
    /// A file of that name is removed first, a link is refused. If a killed run has left a filter behind, the filter
    /// writes into the removed file.
    ///
    /// - Throws: `ArchiveError`.
    init(_ path: String, filter command: FilterCommand?) throws(ArchiveError) {
        self.path = path
        let descriptor = try ArchiveError.naming(path) { () throws(FileError) in try RegularFile.create(path) }
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard let command else {
            filter = nil
            target = file
            return
        }
        let pipe = Pipe()
        do {
            filter = try FilterProcess(command, input: pipe, output: file)
        } catch {
            throw ArchiveError(path: path, rule: "the filter '\(command.command)' can't be started")
        }
        try? pipe.fileHandleForReading.close()
        target = pipe.fileHandleForWriting
    }

    /// Adds a line.
    func append(_ line: [UInt8]) throws(ArchiveError) {
        buffer += line
        buffer.append(UInt8(ascii: "\n"))
        lines += 1
        if buffer.count >= Self.bufferSize { try flush() }
    }

    /// Adds lines with their ends, which `lines` does not count.
    func append(lines: [UInt8]) throws(ArchiveError) {
        buffer += lines
        if buffer.count >= Self.bufferSize { try flush() }
    }

    /// Waits until everything is on the disk.
    func finish() throws(ArchiveError) {
        try flush()
        if let filter {
            try? target.close()
            try filter.finish(path)
        }
        do {
            try file.synchronize()
            try file.close()
        } catch {
            throw ArchiveError(path: path, rule: "can't be written to the disk: \(error.systemText)")
        }
    }

    /// Ends the filter and removes the file.
    func cancel() {
        if let filter {
            try? target.close()
            filter.kill()
        }
        try? file.close()
        unlink(path)
    }

    private func flush() throws(ArchiveError) {
        guard !buffer.isEmpty else { return }
        do {
            try target.write(contentsOf: buffer)
        } catch {
            // If the filter has failed, that is the reason.
            if let filter {
                try? target.close()
                try filter.finish(path)
                throw ArchiveError(path: path, rule: "the filter ended before it had read everything")
            }
            throw ArchiveError(path: path, rule: "can't be written: \(error.systemText)")
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
