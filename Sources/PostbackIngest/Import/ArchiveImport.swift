package import AdAttribution
package import Logging
package import PostbackStore
import PostgresClient

/// Counts the postbacks of archives, by the same rules as over HTTP.
///
/// Parts of an archive are verified on all cores and written one after the other. So deliveries of one postback take
/// effect in the order of the archive. Each lane counts its postbacks of a part, and stores how far it is, in one
/// transaction. An import may run beside servers, be killed at any point and run again.
package struct ArchiveImport: Sendable {
    /// The progress of an import.
    package struct Status: Sendable {
        /// The archive that is being imported.
        package let path: String
        /// The bytes of all archives that are counted, also by earlier runs.
        package let done: Int64
        /// The bytes of all archives.
        package let size: Int64
        /// The bytes that this run has counted.
        package let doneNow: Int64
        /// The lines of this run by outcome.
        package let counts: ImportCounts
    }

    /// A line that was refused.
    package struct RefusedLine: Sendable {
        /// The archive.
        package let path: String
        /// The number of the line, from 1.
        package let line: Int64
        /// The reason.
        package let rejection: PostbackRejection
    }

    private let store: PostbackStore
    private let verifier: PostbackVerifier
    private let clock: WallClock
    private let linesOfPart: Int
    /// The number of parts that are read ahead.
    ///
    /// It is enough to keep all cores busy while one part is written.
    private let partsAhead: Int
    private let foldInterval: Duration
    private let logger: Logger

    /// Makes an import into a store.
    package init(
        store: PostbackStore, keyRing: KeyRing, clock: WallClock = .system, linesOfPart: Int = 1_000,
        foldInterval: Duration = .seconds(5), logger: Logger
    ) {
        self.store = store
        verifier = PostbackVerifier(keyRing: keyRing)
        self.clock = clock
        self.linesOfPart = linesOfPart
        partsAhead = 2 * AvailableCores.count
        self.foldInterval = foldInterval
        self.logger = logger
    }

    /// Imports archives, one after the other.
    ///
    /// What an earlier run has counted is skipped.
    ///
    /// - Parameters:
    ///   - report: Called after each part.
    ///   - refused: Called for each refused line. The line is in the quarantine too, unless it is too large.
    /// - Returns: The lines of this run by outcome.
    /// - Throws: `ArchiveError`, `ImportError`, or an error of the database. What was counted until then stays counted.
    package func run(
        _ paths: [String], report: @Sendable (Status) -> Void, refused: @Sendable (RefusedLine) -> Void
    ) async throws -> ImportCounts {
        var files: [(ArchiveFile, ImportProgress)] = []
        for path in paths {
            let file = try ArchiveFile(path)
            let progress = try await store.importProgress(
                fingerprint: file.fingerprint, file: path, size: file.size, time: now)
            files.append((file, progress))
        }
        let size = files.reduce(0) { $0 + $1.0.size }
        let doneBefore = files.reduce(0) { $0 + $1.1.position }
        var done = doneBefore
        var counts = ImportCounts()
        let folding = Task { await LogFolder(store: store, interval: foldInterval, logger: logger).fold() }
        defer { folding.cancel() }
        for (file, progress) in files {
            let (doneInOthers, countsOfOthers) = (done - progress.position, counts)
            let end = try await read(file, from: progress, refused: refused) { now in
                counts = countsOfOthers + (now.counts - progress.counts)
                done = doneInOthers + now.position
                report(Status(path: file.path, done: done, size: size, doneNow: done - doneBefore, counts: counts))
            }
            counts = countsOfOthers + (end.counts - progress.counts)
        }
        folding.cancel()
        _ = await folding.value
        try await store.fold()
        return counts
    }

    private var now: PostgresTimestamp { PostgresTimestamp(millisecondsSince1970: clock.milliseconds()) }

    /// A part whose postbacks are verified.
    private struct VerifiedPart: Sendable {
        let part: ArchiveReader.ArchivePart
        var entries: [ImportPart.Entry] = []
        var refusals: [(line: ArchiveReader.ArchiveLine, rejection: PostbackRejection)] = []
    }

    private func read(
        _ file: ArchiveFile, from start: ImportProgress, refused: @Sendable (RefusedLine) -> Void,
        _ report: (ImportProgress) -> Void
    ) async throws -> ImportProgress {
        var reader = try ArchiveReader(
            file.handle, position: start.position, lines: start.lines, linesOfPart: linesOfPart)
        return try await withThrowingTaskGroup(of: (Int, VerifiedPart).self) { group in
            var progress = start
            var ready: [Int: VerifiedPart] = [:]
            var started = 0
            var written = 0
            while true {
                while started - written < partsAhead, let part = try reader.nextPart() {
                    let number = started
                    group.addTask { (number, verify(part)) }
                    started += 1
                }
                guard written < started else { return progress }
                while ready[written] == nil, let (number, verified) = try await group.next() {
                    ready[number] = verified
                }
                guard let verified = ready.removeValue(forKey: written) else { return progress }
                progress = try await write(verified, of: file, after: progress, refused)
                written += 1
                report(progress)
            }
        }
    }

    private func verify(_ part: ArchiveReader.ArchivePart) -> VerifiedPart {
        var verified = VerifiedPart(part: part)
        var archived: [(line: ArchiveReader.ArchiveLine, postback: ArchivedPostback)] = []
        for line in part.lines {
            do throws(PostbackRejection) {
                archived.append((line, try ArchivedPostback(parsing: line.bytes)))
            } catch {
                verified.refusals.append((line, error))
            }
        }
        let time = now
        for ((line, archived), result) in zip(archived, verifier.verify(archived.map(\.postback.postback))) {
            switch result {
            case .success(let postback):
                let receivedAt = archived.receivedAt.map {
                    PostgresTimestamp(millisecondsSince1970: $0.milliseconds)
                }
                let delivery = PostbackDelivery(postback, receivedAt: receivedAt ?? time)
                verified.entries.append(ImportPart.Entry(delivery, end: line.end))
            case .failure(let rejection):
                verified.refusals.append((line, rejection))
            }
        }
        return verified
    }

    private func write(
        _ verified: VerifiedPart, of file: ArchiveFile, after progress: ImportProgress,
        _ refused: @Sendable (RefusedLine) -> Void
    ) async throws -> ImportProgress {
        let refusals = verified.refusals.sorted { $0.line.number < $1.line.number }
        for (line, rejection) in refusals {
            refused(RefusedLine(path: file.path, line: line.number, rejection: rejection))
        }
        // Lines that are too large were cut, so they are not put into the quarantine. The archive still has them.
        let kept = refusals.filter { $0.rejection.reason != .tooLarge }
        if !kept.isEmpty {
            try await store.quarantine(
                kept.map { line, rejection in
                    RejectedPostback(body: line.bytes, rejection: rejection, receivedAt: now)
                })
        }
        var progress = progress
        try await store.record(
            ImportPart(
                entries: verified.entries, end: verified.part.end, lines: verified.part.lastLine,
                refused: Int64(refusals.count), time: now),
            &progress)
        return progress
    }
}
