import AdAttribution
import Encodings
import Foundation
import PostgresClient

/// The file of a day's bodies in an archive, and the file with its checksum beside it.
struct DayFile {
    let path: String

    /// The file's own name.
    var name: String { URL(fileURLWithPath: path).lastPathComponent }
    /// Where it is written first.
    var partPath: String { path + ".part" }
    /// The checksum, in the format that `sha256sum -c` reads.
    private var checksumPath: String { path + ".sha256" }

    var exists: Bool { FileManager.default.fileExists(atPath: path) }

    init(path: String) {
        self.path = path
    }

    init(folder: String, day: PostgresDate, suffix: String) {
        path = (folder.hasSuffix("/") ? folder : folder + "/") + "bodies-\(day).ndjson\(suffix)"
    }

    /// Gives the written part the file's name, unless there is such a file.
    ///
    /// - Throws: `ArchiveError`.
    func takePart() throws(ArchiveError) {
        // Unlike `rename`, `link` never replaces a file. Some file systems don't have it.
        if link(partPath, path) == 0 {
            unlink(partPath)
        } else if errno == EEXIST || exists {
            throw ArchiveError(path: path, rule: "exists, and is never overwritten")
        } else if rename(partPath, path) != 0 {
            throw ArchiveError(path: path, rule: "can't be made: \(String(cString: strerror(errno)))")
        }
        try synchronizeFolder()
    }

    /// Checks the file's bytes against its checksum.
    ///
    /// - Returns: Whether there is a checksum.
    /// - Throws: `ArchiveError` if they can't be read, `ArchiveMismatch` if they differ.
    func check() throws -> Bool {
        guard let data = FileManager.default.contents(atPath: checksumPath) else { return false }
        let checksum = String(decoding: data, as: UTF8.self).split(separator: " ").first.map { String($0) }
        guard try checksum == Hexadecimal.text(digest()) else {
            throw ArchiveMismatch(path: path, rule: "its SHA-256 is not that of \(name).sha256")
        }
        return true
    }

    /// Writes the checksum.
    func writeChecksum() throws {
        let part = checksumPath + ".part"
        let text = "\(Hexadecimal.text(try digest()))  \(name)\n"
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: part))
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: part))
            try handle.synchronize()
            try handle.close()
        } catch {
            throw ArchiveError(path: part, rule: "can't be written: \(error.systemText)")
        }
        guard rename(part, checksumPath) == 0 else {
            throw ArchiveError(path: checksumPath, rule: "can't be made: \(String(cString: strerror(errno)))")
        }
        try synchronizeFolder()
    }

    /// SHA-256 of the file's bytes.
    private func digest() throws(ArchiveError) -> [UInt8] {
        let digest = SHA256.Parts()
        do {
            let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            defer { try? handle.close() }
            while let data = try handle.read(upToCount: 1 << 20), !data.isEmpty { digest.append(Array(data)) }
        } catch {
            throw ArchiveError(path: path, rule: "can't be read")
        }
        return digest.finished()
    }

    /// Makes names durable.
    private func synchronizeFolder() throws(ArchiveError) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, fsync(descriptor) == 0 else {
            throw ArchiveError(path: folder, rule: "can't be written to the disk: \(String(cString: strerror(errno)))")
        }
    }
}

extension Error {
    /// What the system says about an error of Foundation, such as "No space left on device".
    var systemText: String {
        let error = self as NSError
        let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
        guard cause.domain == NSPOSIXErrorDomain else { return error.localizedDescription }
        return String(cString: strerror(Int32(truncatingIfNeeded: cause.code)))
    }
}

/// An archive that does not hold what it should.
package struct ArchiveMismatch: Error, Sendable, CustomStringConvertible {
    /// The file.
    package let path: String
    /// What is wrong with it.
    package let rule: String

    /// File and rule in one line.
    package var description: String { "\(path): \(rule)" }
}
