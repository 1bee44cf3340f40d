import AdAttribution
package import PostbackStore
import PostgresClient

/// A part of the log as text, one JSON object for each event; docs/events.md describes it.
///
/// The page holds the rows and the texts of their dimensions. The bodies are read while it is written, some at a time. So it
/// takes as little memory however long the bodies are, and no connection while its reader is slow.
package struct EventPage: EventLines {
    /// The cursor after these events.
    ///
    /// It can change even if there are no events, because a day has ended.
    package let next: LogCursor
    /// Whether nothing more was there to read.
    package let isAtEnd: Bool
    /// The number of events.
    package var count: Int { rows.count }

    private let rows: [LogRow]
    private let dimensions: EventDimensions
    private let lanes: LaneMap
    private let pool: PostgresPool

    /// How many bodies are read at once: at most 8 MB, usually less than one.
    private static let chunkSize = 500

    fileprivate init(
        rows: [LogRow], dimensions: EventDimensions, next: LogCursor, isAtEnd: Bool, lanes: LaneMap, pool: PostgresPool
    ) {
        self.rows = rows
        self.dimensions = dimensions
        self.next = next
        self.isAtEnd = isAtEnd
        self.lanes = lanes
        self.pool = pool
    }

    /// Passes on the text of the events, in parts of whole events.
    ///
    /// - Parameters:
    ///   - separator: What stands behind each event but the last one. After the last one comes `end`.
    ///   - body: Takes a part, while the bodies of the next one are read.
    /// - Throws: `LogError`, an error of the database, or what `body` throws.
    package func write(
        separator: UInt8 = UInt8(ascii: "\n"), end: [UInt8] = Array("\n".utf8), _ body: ([UInt8]) async throws -> Void
    ) async throws {
        let chunks = EventBodies.chunks(of: rows, atMost: Self.chunkSize)
        guard let first = chunks.first else { return }
        var bodies = try await EventBodies(of: rows[first], in: lanes, from: pool)
        for (index, chunk) in chunks.enumerated() {
            let isLast = index + 1 == chunks.count
            async let following = isLast ? nil : EventBodies(of: rows[chunks[index + 1]], in: lanes, from: pool)
            var text = EventText()
            for place in chunk {
                try text.append(rows[place], dimensions, body: bodies[rows[place]]?.payload)
                if place + 1 < rows.count { text.bytes.append(separator) }
            }
            if isLast { text.bytes += end }
            try await body(text.bytes)
            if let following = try await following { bodies = following }
        }
    }
}

extension PostbackStore {
    /// The next events after a cursor, as text.
    ///
    /// It reads as `events(after:limit:)` does, and refuses the same cursors.
    package func eventPage(after cursor: LogCursor, limit: Int) async throws -> EventPage {
        let facts = versions.traitColumns
        let lanes = try await lanes()
        return try await pool.withConnection { connection in
            let read = try Self.rows(after: cursor, limit: limit, over: connection)
            let dimensions = try LogDimensions(of: read.rows, facts, over: connection)
            return EventPage(
                rows: read.rows, dimensions: try EventDimensions(of: read.rows, dimensions, facts), next: read.next,
                isAtEnd: read.isAtEnd, lanes: lanes, pool: pool)
        }
    }
}
