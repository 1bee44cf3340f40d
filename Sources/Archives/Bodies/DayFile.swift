import AdAttribution
import Encodings
import Foundation
import LocalFiles
import PostgresClient
import StrictJSON

/// The file of a day's bodies in an archive, and the file with its checksum beside it.
struct DayFile {
    let path: String
    /// Whether the file and its checksum may be links.
    private let links: FileLinks

    /// Far more than a line of `sha256sum` has.
    private static let longestChecksum = 4_096

    /// The file's own name.
    var name: String { URL(fileURLWithPath: path).lastPathComponent }
    /// Where it is written first.
    var partPath: String { DurableFile.partPath(path) }
    /// The checksum, in the format that `sha256sum -c` reads.
    private var checksumPath: String { path + ".sha256" }

    var exists: Bool { RegularFile.exists(path) }

    private static let namePrefix = "bodies-"
    private static let nameEnd = ".ndjson"

    /// The day whose archive has the file's name, whatever filter wrote it; nil for another name.
    var day: PostgresDate? {
        guard name.hasPrefix(Self.namePrefix), let end = name.firstRange(of: Self.nameEnd)?.lowerBound else {
            return nil
        }
        return PostgresDate(String(name[..<end].dropFirst(Self.namePrefix.count)))
    }

    /// A file that the operator has named.
    init(path: String) {
        self.path = path
        links = .followed
    }

    /// The file of a day in a folder.
    ///
    /// Before the day is dropped it must be there itself: whoever has made a link can change what is behind it.
    init(folder: String, day: PostgresDate, suffix: String) {
        path = (folder.hasSuffix("/") ? folder : folder + "/") + "\(Self.namePrefix)\(day)\(Self.nameEnd)\(suffix)"
        links = .refused
    }

    /// Opens the file for reading.
    func open() throws(ArchiveError) -> FileHandle {
        let descriptor = try ArchiveError.naming(path) { () throws(FileError) in
            try RegularFile.open(path, links: links)
        }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Checks the file's bytes against its checksum.
    ///
    /// - Returns: Whether there is a checksum.
    /// - Throws: `ArchiveError` if they can't be read, `ArchiveMismatch` if they differ.
    func check() throws -> Bool {
        guard let bytes = try checksumBytes() else { return false }
        let checksum = String(decoding: bytes, as: UTF8.self).split(separator: " ").first.map { String($0) }
        guard try checksum == Hexadecimal.text(digest()) else {
            throw ArchiveMismatch(path: path, rule: "its SHA-256 is not that of \(name).sha256")
        }
        return true
    }

    /// Writes the checksum.
    func writeChecksum() throws {
        try DurableFile.replace(checksumPath, with: Array("\(Hexadecimal.text(digest()))  \(name)\n".utf8))
    }

    /// What the file with the checksum holds; nil if there is none.
    private func checksumBytes() throws(ArchiveError) -> [UInt8]? {
        do throws(FileError) {
            return try RegularFile.bytes(checksumPath, atMost: Self.longestChecksum, links: links)
        } catch {
            guard !error.isMissing else { return nil }
            throw ArchiveError(path: checksumPath, rule: error.description)
        }
    }

    /// SHA-256 of the file's bytes.
    private func digest() throws(ArchiveError) -> [UInt8] {
        let digest = SHA256.Parts()
        let handle = try open()
        defer { try? handle.close() }
        do {
            while let data = try handle.read(upToCount: 1 << 20), !data.isEmpty { digest.append(Array(data)) }
        } catch {
            throw ArchiveError(path: path, rule: "can't be read: \(error.systemText)")
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
    package var description: String { "\(JSONText.line(path)): \(rule)" }
}
