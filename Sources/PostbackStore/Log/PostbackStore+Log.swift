import AdAttribution
import PostgresClient

extension PostbackStore {
    /// The greatest number of events of a page.
    public static var maximumLogPage: Int { 50_000 }

    /// The next events after a cursor.
    ///
    /// A reader that continues from `LogPage.next` sees each event once, and the events of a lane in the order in which
    /// they took effect. This also holds if several servers write, and if transactions are open elsewhere: a reader
    /// does not wait for them, and reads what they write later.
    ///
    /// If a day was dropped that the cursor has not read, the reader continues with the next existing day. Use a
    /// `LogReader` if no event may be missed.
    /// - Parameters:
    ///   - cursor: Where to continue.
    ///   - limit: The greatest number of events, 1 to `maximumLogPage`; other numbers are changed to the nearest of
    ///     these. The lanes share it. If it is less than the number of lanes, the lanes that are furthest behind are
    ///     read first.
    /// - Throws: `LogError`, or an error of the database.
    public func events(after cursor: LogCursor, limit: Int) async throws -> LogPage {
        let limit = min(max(1, limit), Self.maximumLogPage)
        let facts = versions.traitColumns
        return try await pool.withConnection { connection in
            var walk = try LogWalk(from: cursor, over: connection)
            var events: [LogEvent] = []
            while events.count < limit, !walk.isAtEnd {
                for turn in walk.turns(of: limit - events.count) {
                    let read = try turn.rows(LogStatements.events(turn.day, facts), over: connection).map {
                        try LogEvent($0, facts)
                    }
                    let byLane = Dictionary(grouping: read, by: \.lane)
                    for part in turn.parts {
                        let ordered = (byLane[part.lane] ?? []).sorted { $0.place < $1.place }
                        walk.move(
                            part.lane, to: ordered.last?.place ?? part.place, isDayRead: ordered.count < part.share)
                        events += ordered
                    }
                }
            }
            return LogPage(events: events, next: walk.cursor, isAtEnd: walk.isAtEnd)
        }
    }
}
