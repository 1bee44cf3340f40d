import Foundation
package import PostgresClient

/// Writes days of bodies into files, and drops each day when its file is safe.
///
/// A file is written under another name, made durable, renamed, read back, and compared with the database body by body.
/// Only then the day is dropped. So a run that was killed leaves the day, or its file, or both. The next run compares a
/// file that it finds, and goes on from there.
package struct BodyArchiving: Sendable {
    /// What became of a day.
    package enum Outcome: Sendable {
        /// The number of bodies in the file.
        case archived(path: String, bodies: Int64)
        /// The day had no bodies, so it has no file.
        case empty
        /// These readers of the log still need the day.
        case held(readers: [String])
    }

    private let archive: BodyArchive
    private let folder: String
    private let filter: ArchiveFilter?
    private let isWithoutOrigin: @Sendable (PostgresDate) -> Bool

    /// Makes an archive in a folder.
    ///
    /// - Parameter isWithoutOrigin: Whether source addresses of a day must not be archived.
    package init(
        _ archive: BodyArchive, in folder: String, filter: ArchiveFilter?,
        isWithoutOrigin: @escaping @Sendable (PostgresDate) -> Bool
    ) {
        self.archive = archive
        self.folder = folder
        self.filter = filter
        self.isWithoutOrigin = isWithoutOrigin
    }

    /// Archives the days before a day, the oldest first.
    ///
    /// - Parameter report: Called after each day.
    /// - Throws: `ArchiveError`, `ArchiveMismatch`, `BodyArchiveError`, or an error of the database.
    package func run(before day: PostgresDate, report: (PostgresDate, Outcome) -> Void) async throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            throw ArchiveError(path: folder, rule: "is not a folder; make it first")
        }
        for day in try await archive.days(before: day) {
            guard let outcome = try await archive.alone({ try await archive(day) }) else { continue }
            report(day, outcome)
        }
    }

    /// Archives a day; nil if somebody else has dropped it.
    private func archive(_ day: PostgresDate) async throws -> Outcome? {
        guard let readers = try await archive.readers(in: day) else { return nil }
        guard readers.isEmpty else { return .held(readers: readers) }
        let file = DayFile(folder: folder, day: day, suffix: filter?.suffix ?? "")
        if !file.exists {
            guard try await write(day, to: file) else {
                let readers = try await archive.drop(day, archive: nil)
                return readers.isEmpty ? .empty : .held(readers: readers)
            }
        }
        let hasChecksum = try file.check()
        let (bodies, digest) = try await compare(file, with: day)
        if !hasChecksum { try file.writeChecksum() }
        let needed = try await archive.drop(day, archive: (file.name, bodies, digest))
        return needed.isEmpty ? .archived(path: file.path, bodies: bodies) : .held(readers: needed)
    }

    /// Writes the file; false if there are no bodies.
    private func write(_ day: PostgresDate, to file: DayFile) async throws -> Bool {
        let writer = try ArchiveWriter(file.partPath, filter: filter?.command)
        do {
            try await archive.read(day) { body in
                try writer.append((isWithoutOrigin(day) ? body.withoutOrigin : body).line)
            }
            guard writer.lines > 0 else {
                writer.cancel()
                return false
            }
            try writer.finish()
        } catch {
            writer.cancel()
            throw error
        }
        try DurableFile.takePart(of: file.path)
        return true
    }

    /// Reads the file back and compares it with the database.
    ///
    /// - Returns: The number of bodies, and SHA-256 of the lines.
    private func compare(_ file: DayFile, with day: PostgresDate) async throws -> (bodies: Int64, digest: [UInt8]) {
        let lines = try ArchiveLines(file, filter: filter?.inverse)
        do {
            try await archive.read(day) { body in
                guard let line = try lines.nextLine() else {
                    throw ArchiveMismatch(
                        path: file.path, rule: "it has \(lines.number) bodies, and the database has more of this day")
                }
                let isSame = (try? ArchivedBody(line: line)).map { found in
                    // Addresses may have left since one of the two was written.
                    found == body
                        || (found.withoutOrigin == body.withoutOrigin
                            && (isWithoutOrigin(day) || body == body.withoutOrigin))
                }
                guard isSame == true else {
                    throw ArchiveMismatch(
                        path: file.path, rule: "line \(lines.number) is not what the database has of this day")
                }
            }
            guard try lines.nextLine() == nil else {
                throw ArchiveMismatch(path: file.path, rule: "it has more bodies than the database has of this day")
            }
        } catch {
            lines.cancel()
            throw error
        }
        return (lines.number, lines.finishedDigest())
    }
}
