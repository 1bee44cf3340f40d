import AdAttribution
package import PostbackStore
package import PostgresClient

/// An event with its body, for programs that hand it on.
package struct EventRecord: Sendable {
    /// The event.
    package let event: LogEvent
    /// When the postback was received first.
    package let receivedAt: PostgresTimestamp
    /// The numbers of its dimensions, which are good for queries in the same moment only.
    package let numbers: EventNumbers
    /// The cursor after this event and those before it in the page.
    package let cursor: LogCursor
    /// The body; nil if it has none, if it left with retention, or if it was not asked for.
    package let body: EventBody?

    /// The event's name, as events have it as text: lane, position, ordinal.
    package var id: String { "\(event.lane)-\(event.position)-\(event.ordinal)" }
}

/// The numbers of an event's rows in the dimensions.
package struct EventNumbers: Sendable, Hashable {
    /// The row of `attribution.line`.
    package let line: Int32
    /// An app, a row of `attribution.source`, or none.
    package let source: Int64
    /// The row of `attribution.traits`.
    package let traits: Int32
}

/// A part of the log as records.
package struct EventRecordPage: Sendable {
    /// The records; those of one lane in the order in which they took effect.
    package let records: [EventRecord]
    /// The cursor after these events.
    ///
    /// It can change even if there are no events, because a day has ended.
    package let next: LogCursor
    /// Whether nothing more was there to read.
    package let isAtEnd: Bool
}

extension PostbackStore {
    /// The next events after a cursor, with their bodies, and who delivered them.
    ///
    /// It reads as `events(after:limit:)` does, and refuses the same cursors.
    ///
    /// - Parameters:
    ///   - end: Where it ends, if that is before the end of the log.
    ///   - limit: The greatest number of events.
    ///   - isWanted: Whether the body of an event is wanted.
    package func eventRecords(
        after cursor: LogCursor, upTo end: LogCursor? = nil, limit: Int, withBody isWanted: (LogEvent) -> Bool
    ) async throws -> EventRecordPage {
        let facts = versions.traitColumns
        let lanes = try await lanes()
        let (read, events) = try await pool.withConnection { connection in
            let read = try Self.rows(after: cursor, upTo: end, limit: limit, over: connection)
            let dimensions = try LogDimensions(of: read.rows, facts, over: connection)
            return (read, try read.rows.map { try LogEvent($0, dimensions) })
        }
        let wanted = zip(read.rows, events).compactMap { isWanted($1) ? $0 : nil }
        let bodies = try await bodies(of: wanted, in: lanes)
        var places = cursor.places
        let records = zip(read.rows, events).map { row, event in
            places[row.lane] = row.place
            return EventRecord(
                event: event, receivedAt: row.receivedAt,
                numbers: EventNumbers(line: row.line, source: row.source, traits: row.traits),
                cursor: LogCursor(places), body: bodies[row.place.day]?[row])
        }
        return EventRecordPage(records: records, next: read.next, isAtEnd: read.isAtEnd)
    }

    /// The bodies of rows, by day of writing.
    private func bodies(of rows: [LogRow], in lanes: LaneMap) async throws -> [PostgresDate: EventBodies] {
        var bodies: [PostgresDate: EventBodies] = [:]
        for (day, rows) in Dictionary(grouping: rows, by: \.place.day) {
            bodies[day] = try await EventBodies(of: rows[...], withOrigin: true, in: lanes, from: pool)
        }
        return bodies
    }
}
