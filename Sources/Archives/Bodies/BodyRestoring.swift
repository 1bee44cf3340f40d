import Foundation
package import PostbackStore
import PostgresClient

/// Puts bodies of archives back beside the state of their postbacks.
package struct BodyRestoring: Sendable {
    /// How many bodies of an archive there are of each kind.
    package struct Counts: Sendable {
        /// Put back now.
        package var restored: Int64 = 0
        /// There already.
        package var present: Int64 = 0
        /// Not put back, because they do not fit what the database has.
        package var refused: Int64 = 0

        /// None.
        package init() {}
    }

    private let store: PostbackStore
    private let inverse: FilterCommand?

    private static let atOnce = 1_000

    /// Makes what restores.
    ///
    /// - Parameter inverse: The command that archives are read through.
    package init(_ store: PostbackStore, inverse: FilterCommand?) {
        self.store = store
        self.inverse = inverse
    }

    /// Puts the bodies of an archive back.
    ///
    /// A file whose checksum is wrong is refused whole, and so is one that is not the archive of its days. It may run
    /// again at any time.
    ///
    /// - Parameter refused: Called for each line that is refused, with its number and the rule.
    /// - Throws: `ArchiveError`, `ArchiveMismatch`, or an error of the database. What was put back until then stays.
    package func run(_ path: String, refused: (Int64, String) -> Void) async throws -> Counts {
        let file = DayFile(path: path)
        _ = try file.check()
        let (days, known) = try await check(file)
        let lines = try ArchiveLines(file, filter: inverse)
        var counts = Counts()
        do {
            var last: ArchivedBody?
            var bodies: [(number: Int64, body: ArchivedBody)] = []
            var isAtEnd = false
            while !isAtEnd {
                if let line = try lines.nextLine() {
                    do throws(ArchivedBodyError) {
                        let body = try ArchivedBody(line: line)
                        if let last, !last.isBefore(body) {
                            throw ArchivedBodyError(rule: "it is not behind the line before it")
                        }
                        last = body
                        bodies.append((lines.number, body))
                    } catch {
                        counts.refused += 1
                        refused(lines.number, error.rule)
                    }
                } else {
                    isAtEnd = true
                }
                guard bodies.count == Self.atOnce || isAtEnd, !bodies.isEmpty else { continue }
                for (outcome, number) in zip(try await store.restore(bodies.map(\.body)), bodies.map(\.number)) {
                    switch outcome {
                    case .restored: counts.restored += 1
                    case .present: counts.present += 1
                    case .refused(let rule):
                        counts.refused += 1
                        refused(number, rule)
                    }
                }
                bodies = []
            }
        } catch {
            lines.cancel()
            throw error
        }
        for day in days {
            try await store.finishRestoring(day, isWhole: counts.refused == 0 && known.contains(day))
        }
        return counts
    }

    /// Reads the file once before anything is written.
    ///
    /// - Returns: The days of its bodies, and those of them whose whole archive it is.
    /// - Throws: `ArchiveMismatch` if it has nothing, or is not the archive of a day that its bodies or its name name.
    private func check(_ file: DayFile) async throws -> (days: Set<PostgresDate>, known: Set<PostgresDate>) {
        let lines = try ArchiveLines(file, filter: inverse)
        var bodies: [PostgresDate: Int64] = [:]
        var isBlank = true
        do {
            while let line = try lines.nextLine() {
                if let body = try? ArchivedBody(line: line) { bodies[body.day, default: 0] += 1 }
                if line.contains(where: { $0 > UInt8(ascii: " ") }) { isBlank = false }
            }
        } catch {
            lines.cancel()
            throw error
        }
        let digest = lines.finishedDigest()
        var known: Set<PostgresDate> = []
        let days = Set(bodies.keys)
        // A file that has lost its bodies, or has those of another day, says only by its name what it should be.
        for day in days.union([file.day].compactMap(\.self)).sorted() {
            guard let archive = try await store.rememberedArchive(of: day) else { continue }
            guard archive.sha256 == digest else {
                let count = archive.bodies.map { "\($0) bodies and " } ?? ""
                throw ArchiveMismatch(
                    path: file.path,
                    rule: "it is not the archive of \(day) that attribution.dropped_day names: that one has "
                        + "\(count)another SHA-256, and this file has \(bodies[day] ?? 0) bodies of that day")
            }
            known.insert(day)
        }
        // `archive` writes no file for a day without bodies.
        guard !isBlank else {
            throw ArchiveMismatch(path: file.path, rule: "it has 0 bodies, and an archive has at least one")
        }
        return (days, known)
    }
}

extension ArchivedBody {
    /// Whether its place is before another one's.
    fileprivate func isBefore(_ other: ArchivedBody) -> Bool {
        (lane, position, ordinal) < (other.lane, other.position, other.ordinal)
    }
}
