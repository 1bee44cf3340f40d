package import AdAttribution
import BackgroundWork
package import Logging
package import Observability
import PostbackQuarantine
package import PostbackStore
import PostgresClient

/// Counts the postbacks of archives, by the same rules as over HTTP.
///
/// Parts of an archive are verified on all cores and written one after the other. So deliveries of one postback take
/// effect in the order of the archive. Each lane counts its postbacks of a part, and stores how far it is, in one
/// transaction. An import may run beside servers, be killed at any point and run again.
package struct ArchiveImport: Sendable {
    /// The lines of an import by outcome.
    package struct Counts: Sendable {
        /// Those of this run.
        package let now: ImportCounts
        /// Those of earlier runs, in the files that this run went on with.
        package let before: ImportCounts
    }

    /// How a file begins that earlier runs have read.
    package enum Beginning: Sendable {
        /// It is skipped: it was read to its end, and no line was refused.
        case skipped(ImportReading)
        /// It is read again from its beginning: a line was refused, or the caller wants it.
        case again(ImportReading)
    }

    private let store: PostbackStore
    private let verification: ArchiveVerification
    private let clock: WallClock
    private let foldInterval: Duration
    private let logger: Logger

    /// Makes an import into a store.
    package init(
        store: PostbackStore, keyRing: KeyRing, clock: WallClock = .system, linesOfPart: Int = 1_000,
        foldInterval: Duration = .seconds(5), logger: Logger
    ) {
        self.store = store
        verification = ArchiveVerification(keyRing: keyRing, linesOfPart: linesOfPart)
        self.clock = clock
        self.foldInterval = foldInterval
        self.logger = logger
    }

    /// Imports archives, one after the other.
    ///
    /// What an earlier run has counted is skipped. But a file that was read to its end is read again if a line was
    /// refused: somebody may have corrected it.
    ///
    /// - Parameters:
    ///   - again: Whether all files are read from their beginning.
    ///   - report: Called after each part.
    ///   - refused: Called for each refused line. The line is in the quarantine too, unless it is too large.
    ///   - begun: Called for each archive that is skipped, or read again, with its path.
    /// - Throws: `ArchiveError`, `ImportError`, or an error of the database. What was counted until then stays counted.
    package func run(
        _ paths: [String], again: Bool = false, report: @Sendable (ArchiveStatus) -> Void,
        refused: @escaping @Sendable (RefusedArchiveLine) -> Void,
        begun: @Sendable (_ path: String, Beginning) -> Void = { _, _ in }
    ) async throws -> Counts {
        var files: [(ArchiveFile, ImportProgress)] = []
        var before = ImportCounts()
        for path in paths {
            let file = try ArchiveFile(path)
            let progress = try await store.importProgress(
                fingerprint: file.fingerprint, file: path, size: file.size, again: again, time: now)
            files.append((file, progress))
            if let replaced = progress.replaced {
                begun(path, .again(replaced))
            } else if !progress.isComplete {
                before = before + progress.counts
            } else if file.size > 0 {
                // An empty file has nothing to skip.
                begun(path, .skipped(progress.reading))
            }
        }
        let size = files.reduce(0) { $0 + $1.0.size }
        let doneBefore = files.reduce(0) { $0 + $1.1.position }
        var done = doneBefore
        var counts = ImportCounts()
        let folding = Task {
            await FoldingService(.figures, store: store, interval: foldInterval, logger: logger).fold()
        }
        defer { folding.cancel() }
        for (file, progress) in files {
            let (doneInOthers, countsOfOthers) = (done - progress.position, counts)
            let end = try await read(file, from: progress, refused: refused) { now in
                counts = countsOfOthers + (now.counts - progress.counts)
                done = doneInOthers + now.position
                report(
                    ArchiveStatus(
                        path: file.path, done: done, size: size, doneNow: done - doneBefore, linesNow: counts.total))
            }
            counts = countsOfOthers + (end.counts - progress.counts)
        }
        folding.cancel()
        _ = await folding.value
        try await store.fold()
        return Counts(now: counts, before: before)
    }

    private var now: PostgresTimestamp { PostgresTimestamp(millisecondsSince1970: clock.milliseconds()) }

    private func read(
        _ file: ArchiveFile, from start: ImportProgress, refused: @escaping @Sendable (RefusedArchiveLine) -> Void,
        _ report: (ImportProgress) -> Void
    ) async throws -> ImportProgress {
        var progress = start
        // One part is written while the rows of the next one are added.
        try await withThrowingTaskGroup(of: ImportProgress.self) { writing in
            do {
                try await verification.read(file, from: start.position, lines: start.lines) { verified in
                    let part = await store.addingRows(of: self.part(of: verified))
                    if let written = try await writing.next() {
                        progress = written
                        report(written)
                    }
                    let (before, path) = (progress, file.path)
                    writing.addTask { try await write(part, of: verified, from: path, after: before, refused) }
                }
            } catch {
                // What follows can't be read. The part before it is written all the same.
                if let written = try? await writing.next() { report(written) }
                throw error
            }
            if let written = try await writing.next() {
                progress = written
                report(written)
            }
        }
        return progress
    }

    private func part(of verified: ArchiveVerification.Part) -> ImportPart {
        let time = now
        let entries = verified.lines.map {
            ImportPart.Entry(PostbackDelivery($0.postback, receivedAt: $0.receivedAt ?? time), end: $0.line.end)
        }
        return ImportPart(
            entries: entries, end: verified.part.end, lines: verified.part.lastLine,
            refused: Int64(verified.refusals.count), time: time)
    }

    private func write(
        _ part: ImportPart, of verified: ArchiveVerification.Part, from path: String, after before: ImportProgress,
        _ refused: @Sendable (RefusedArchiveLine) -> Void
    ) async throws -> ImportProgress {
        for (line, rejection) in verified.refusals {
            refused(RefusedArchiveLine(path: path, line: line.number, rejection: rejection))
        }
        // Lines that are too large were cut, so they are not put into the quarantine. The archive still has them.
        let kept = verified.refusals.filter { $0.rejection.reason != .tooLarge }
        if !kept.isEmpty {
            try await store.quarantine(
                kept.map { line, rejection in
                    RejectedPostback(body: line.bytes, rejection: rejection, receivedAt: part.time)
                })
        }
        var progress = before
        try await store.record(part, &progress)
        return progress
    }
}
