import PostgresClient

extension PostbackStore {
    /// The most events of a page.
    public static var maximumLogPage: Int { 50_000 }

    /// The next events behind a cursor.
    ///
    /// A reader that goes on from `LogPage.next` sees each event once, and those of a lane in the order in which they
    /// took effect. That holds with several servers that write, and with transactions that are open elsewhere: nobody
    /// waits for them, and what they write later is read later.
    ///
    /// If a day that the cursor has not read was dropped, the reader goes on at the next day that is there. Who must
    /// not miss anything keeps the place in a `LogReader`.
    /// - Parameters:
    ///   - cursor: Where to read on.
    ///   - limit: The most events, 1 to `maximumLogPage`; what is outside is brought inside. The lanes share it. If it
    ///     is less than the number of lanes, the lanes that are furthest behind are read first.
    /// - Throws: `LogError`, or what the database threw.
    public func events(after cursor: LogCursor, limit: Int) async throws -> LogPage {
        let limit = min(max(1, limit), Self.maximumLogPage)
        return try await pool.withConnection { connection in
            var walk = try LogWalk(from: cursor, over: connection)
            var events: [LogEvent] = []
            while events.count < limit, !walk.isAtEnd {
                for turn in walk.turns(of: limit - events.count) {
                    let read = try turn.rows(LogStatements.events(turn.day), over: connection).map { try LogEvent($0) }
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
