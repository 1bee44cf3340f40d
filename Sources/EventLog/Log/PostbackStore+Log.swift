import AdAttribution
package import PostbackStore
package import PostgresClient

extension PostbackStore {
    /// The greatest number of events of a page.
    package static var maximumLogPage: Int { 50_000 }

    /// The next events after a cursor.
    ///
    /// A reader that continues from `LogPage.next` sees each event once, and the events of a lane in the order in which
    /// they took effect. This also holds if several servers write, and if transactions are open elsewhere: a reader
    /// does not wait for them, and reads what they write later.
    ///
    /// - Parameters:
    ///   - cursor: Where to continue.
    ///   - limit: The greatest number of events, 1 to `maximumLogPage`; other numbers are changed to the nearest of
    ///     these. The lanes share it. If it is less than the number of lanes, the lanes that are furthest behind are
    ///     read first.
    /// - Throws: `LogError`, or an error of the database.
    package func events(after cursor: LogCursor, limit: Int) async throws -> LogPage {
        let facts = versions.traitColumns
        return try await pool.withConnection { connection in
            let read = try Self.rows(after: cursor, limit: limit, over: connection)
            let dimensions = try LogDimensions(of: read.rows, facts, over: connection)
            let events = try read.rows.map { try LogEvent($0, dimensions) }
            return LogPage(events: events, next: read.next, isAtEnd: read.isAtEnd)
        }
    }

    /// How many events all servers wrote in the last second.
    ///
    /// - Parameter limit: The greatest number that is counted in each lane.
    package func eventsOfLastSecond(atMost limit: Int64) async throws -> Int64 {
        var bindings = PostgresBindings()
        bindings.append(limit)
        let key = bindings
        return try await pool.withConnection { connection in
            try connection.query(Self.newEvents, key).first?.decode(Int64.self, at: 0) ?? 0
        }
    }

    private static let newEvents = PostgresStatement(
        "events_of_last_second", "SELECT attribution.events_of_last_second($1)")

    /// The cursor before everything that is written on a UTC day of writing or later.
    package func cursor(at day: PostgresDate) async throws -> LogCursor {
        let lanes = try await lanes()
        return LogCursor.beginning(of: day, in: lanes.lanes.map(\.number) + lanes.closed)
    }

    /// The cursor behind everything that is there now.
    package func cursorAtEnd() async throws -> LogCursor {
        try await pool.withConnection { connection in
            var places: [Int16: LogPlace] = [:]
            var parts: [LogWalk.Turn.Part] = []
            for row in try connection.query(LogStatements.lanes) {
                var columns = ColumnCursor(row)
                let lane = try columns.next(Int16.self)
                let day = try columns.next(PostgresDate.self)
                _ = try columns.next(Bool.self)
                let dropped = try LogPlace(
                    position: columns.next(Int64?.self) ?? 0, ordinal: columns.next(Int16?.self) ?? 0)
                let place = max(LogPlace(beginningOf: day), dropped ?? .beginning)
                places[lane] = place
                parts.append(LogWalk.Turn.Part(lane: lane, place: place, share: 1))
            }
            for turn in LogWalk.Turn.turns(of: parts) {
                for row in try turn.rows(LogStatements.last(turn.day), over: connection) ?? [] {
                    var columns = ColumnCursor(row)
                    let lane = try columns.next(Int16.self)
                    places[lane] = try LogPlace(position: columns.next(), ordinal: columns.next())
                }
            }
            return LogCursor(places)
        }
    }

    /// The next rows of the log after a cursor: the one place that reads it.
    ///
    /// - Parameter end: Where the rows end, if it is before the end of the log.
    static func rows(
        after cursor: LogCursor, upTo end: LogCursor? = nil, limit: Int, over connection: isolated PostgresConnection
    ) throws -> (rows: [LogRow], next: LogCursor, isAtEnd: Bool) {
        let limit = min(max(1, limit), Self.maximumLogPage)
        var walk = try LogWalk(from: cursor, upTo: end, over: connection)
        try walk.check(over: connection)
        var rows: [LogRow] = []
        while rows.count < limit, !walk.isAtEnd {
            for turn in walk.turns(of: limit - rows.count) {
                let found = try turn.rows(LogStatements.events(turn.day), over: connection)
                if found == nil { try walk.checkDropped(turn.parts, over: connection) }
                let byLane = Dictionary(grouping: try (found ?? []).map { try LogRow($0) }, by: \.lane)
                for part in turn.parts {
                    let ordered = (byLane[part.lane] ?? []).sorted { $0.place < $1.place }
                    walk.move(part.lane, to: ordered.last?.place ?? part.place, isDayRead: ordered.count < part.share)
                    rows += ordered.prefix { walk.includes($0.place, in: part.lane) }
                }
            }
        }
        return (rows, walk.cursor, walk.isAtEnd)
    }
}
