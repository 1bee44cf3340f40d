package import EventLog
package import Logging
package import PostbackStore
import PostgresClient

/// Exports the log to a target: all that is there, or everything that ever comes.
package struct EventExport {
    /// How an export works.
    package struct Options: Sendable {
        /// Whether it goes on for ever.
        package var isFollowing: Bool
        /// After how many events the target commits.
        package var commitEvents: Int
        /// After what time it commits at the latest, if there is something to commit.
        package var commitInterval: Duration

        /// Takes the options.
        package init(isFollowing: Bool, commitEvents: Int, commitInterval: Duration) {
            self.isFollowing = isFollowing
            self.commitEvents = commitEvents
            self.commitInterval = commitInterval
        }
    }

    /// Reads the events after a cursor, at most so many.
    package typealias Reading = @Sendable (_ cursor: LogCursor, _ limit: Int) async throws -> any EventLines

    /// A page of the log as text.
    private struct Page: Sendable {
        let lines: [UInt8]
        let events: Int
        let next: LogCursor
        let isAtEnd: Bool
    }

    private let reading: Reading
    private let target: any EventTarget
    private let reader: LogReader?
    private let options: Options
    private let logger: Logger

    /// The events of a page: a few megabytes of text.
    private static let pageSize = 4_000
    /// How long to wait for more events, or for a database that fails.
    private static let pause: Duration = .seconds(1)

    /// Makes an export.
    ///
    /// - Parameters:
    ///   - reader: A named reader, which keeps the days of the log that were not exported.
    ///   - reading: Reads other events than those of postbacks; nil for these.
    package init(
        _ store: PostbackStore, to target: any EventTarget, reader: LogReader?, options: Options, logger: Logger,
        reading: Reading? = nil
    ) {
        let postbacks: Reading = { try await store.eventPage(after: $0, limit: $1) }
        self.reading = reading ?? postbacks
        self.target = target
        self.reader = reader
        self.options = options
        self.logger = logger
    }

    /// Exports from where the target is; a new one begins at a cursor.
    ///
    /// If it follows, it ends only with an error that trying again does not help against.
    ///
    /// - Throws: `ArchiveError`, `OutputClosed`, `LogError`, `LogReaderError`, or an error of the database.
    package func run(from start: LogCursor) async throws {
        if target.cursor == nil { try target.begin(at: start) }
        while true {
            do {
                try await moveReader()
                return try await export()
            } catch let error as PostgresError where options.isFollowing {
                target.cancel()
                logger.warning("export waits for the database", metadata: ["error": "\(error)"])
                try await Task.sleep(for: Self.pause)
            } catch {
                target.cancel()
                throw error
            }
        }
    }

    /// Exports pages; while one is written, the next one is read.
    private func export() async throws {
        let reading = reading
        var page = try await Self.read(reading, after: target.cursor ?? .start)
        var lastCommit = ContinuousClock.now
        while true {
            let current = page
            async let following = current.isAtEnd ? nil : Self.read(reading, after: current.next)
            try target.append(current.lines, events: current.events, next: current.next)
            let isDue = ContinuousClock.now - lastCommit >= options.commitInterval
            let isLast = current.isAtEnd && !options.isFollowing
            if target.open >= options.commitEvents || isDue || isLast {
                try target.commit()
                try await moveReader()
                lastCommit = .now
            }
            if let next = try await following {
                page = next
            } else if isLast {
                return
            } else {
                try await Task.sleep(for: Self.pause)
                page = try await Self.read(reading, after: current.next)
            }
        }
    }

    private static func read(_ reading: Reading, after cursor: LogCursor) async throws -> Page {
        let page = try await reading(cursor, pageSize)
        let newline = UInt8(ascii: "\n")
        var lines: [UInt8] = []
        try await page.write(separator: newline, end: [newline]) { lines += $0 }
        return Page(lines: lines, events: page.count, next: page.next, isAtEnd: page.isAtEnd)
    }

    /// Moves the reader to what the target has for good.
    private func moveReader() async throws {
        guard let reader, let cursor = target.cursor else { return }
        // If retention has removed it, it is made again. If a day is missing now, the next page says so.
        try await reader.move(to: cursor)
    }
}
