package import AdAttribution
import BackgroundWork
import PostgresClient

/// Reads archives and verifies their postbacks on all cores, in parts.
///
/// Parts come in the order of the archive. A few are read ahead, so an archive of any size takes little memory.
struct ArchiveVerification: Sendable {
    /// A line whose signature holds.
    struct Line: Sendable {
        let line: ArchiveReader.ArchiveLine
        let postback: VerifiedPostback
        /// The time of receipt; nil if the line does not have it.
        let receivedAt: PostgresTimestamp?
    }

    /// A part whose lines are verified.
    struct Part: Sendable {
        let part: ArchiveReader.ArchivePart
        var lines: [Line] = []
        /// In the order of the archive.
        var refusals: [(line: ArchiveReader.ArchiveLine, rejection: PostbackRejection)] = []
    }

    private let verifier: PostbackVerifier
    private let linesOfPart: Int
    /// The number of parts that are read ahead.
    ///
    /// It is enough to keep all cores busy while one part is worked on.
    private let partsAhead: Int

    init(keyRing: KeyRing, linesOfPart: Int) {
        verifier = PostbackVerifier(keyRing: keyRing)
        self.linesOfPart = linesOfPart
        partsAhead = 2 * AvailableCores.count
    }

    /// Reads an archive from a position, and passes on its parts.
    ///
    /// - Parameters:
    ///   - position: The number of bytes that are skipped.
    ///   - lines: The number of lines in these bytes.
    func read(
        _ file: ArchiveFile, from position: Int64 = 0, lines: Int64 = 0, _ body: (Part) async throws -> Void
    ) async throws {
        var reader = try ArchiveReader(file.handle, position: position, lines: lines, linesOfPart: linesOfPart)
        try await withThrowingTaskGroup(of: (Int, Part).self) { group in
            var ready: [Int: Part] = [:]
            var started = 0
            var passedOn = 0
            while true {
                while started - passedOn < partsAhead, let part = try reader.nextPart() {
                    let number = started
                    group.addTask { (number, verify(part)) }
                    started += 1
                }
                guard passedOn < started else { return }
                while ready[passedOn] == nil, let (number, verified) = try await group.next() {
                    ready[number] = verified
                }
                guard let verified = ready.removeValue(forKey: passedOn) else { return }
                try await body(verified)
                passedOn += 1
            }
        }
    }

    private func verify(_ part: ArchiveReader.ArchivePart) -> Part {
        var verified = Part(part: part)
        var archived: [(line: ArchiveReader.ArchiveLine, postback: ArchivedPostback)] = []
        for line in part.lines {
            do throws(PostbackRejection) {
                archived.append((line, try ArchivedPostback(parsing: line.bytes)))
            } catch {
                verified.refusals.append((line, error))
            }
        }
        for ((line, archived), result) in zip(archived, verifier.verify(archived.map(\.postback.postback))) {
            switch result {
            case .success(let postback):
                let receivedAt = archived.receivedAt.map {
                    PostgresTimestamp(millisecondsSince1970: $0.milliseconds)
                }
                verified.lines.append(Line(line: line, postback: postback, receivedAt: receivedAt))
            case .failure(let rejection):
                verified.refusals.append((line, rejection))
            }
        }
        verified.refusals.sort { $0.line.number < $1.line.number }
        return verified
    }
}

/// A line of an archive that was refused.
package struct RefusedArchiveLine: Sendable {
    /// The archive.
    package let path: String
    /// The number of the line, from 1.
    package let line: Int64
    /// The reason.
    package let rejection: PostbackRejection
}

/// How far the work on archives is.
package struct ArchiveStatus: Sendable {
    /// The archive that is being read.
    package let path: String
    /// The bytes of all archives that are done, also by earlier runs.
    package let done: Int64
    /// The bytes of all archives.
    package let size: Int64
    /// The bytes that this run has done.
    package let doneNow: Int64
    /// The lines that this run has done.
    package let linesNow: Int64
}
