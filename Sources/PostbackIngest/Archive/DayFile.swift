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
    var partPath: String { DurableFile.partPath(path) }
    /// The checksum, in the format that `sha256sum -c` reads.
    private var checksumPath: String { path + ".sha256" }

    var exists: Bool { FileManager.default.fileExists(atPath: path) }

    init(path: String) {
        self.path = path
    }

    init(folder: String, day: PostgresDate, suffix: String) {
        path = (folder.hasSuffix("/") ? folder : folder + "/") + "bodies-\(day).ndjson\(suffix)"
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
        try DurableFile.replace(checksumPath, with: Array("\(Hexadecimal.text(digest()))  \(name)\n".utf8))
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
