import PostbackStore
import PostgresClient

/// Reads the log from a cursor to the end that it has at the start, day by day in each lane.
///
/// It goes from a day to the next one only if the lane's day of writing was later when the walk began. This day only
/// moves forward, and only under the lane's lock. So all events of the earlier day were committed by then, and somebody
/// who reads the earlier day afterwards sees all of them.
struct LogWalk {
    /// One lane of the walk.
    private struct Lane {
        let number: Int16
        var place: LogPlace
        /// The lane's day of writing when the walk began.
        let lastDay: PostgresDate
        /// Whether other lanes have its share now; their events follow those of this lane.
        let isClosed: Bool
        /// The place of the last event that was dropped.
        let dropped: LogPlace
        var isAtEnd = false
    }

    /// What to read next: lanes in one day.
    struct Turn {
        /// A lane, the place to read after, and the greatest number of events to read.
        struct Part {
            let lane: Int16
            let place: LogPlace
            let share: Int
        }

        let day: PostgresDate
        let parts: [Part]

        /// A turn for each day, in order.
        static func turns(of parts: [Part]) -> [Turn] {
            Dictionary(grouping: parts, by: \.place.day).sorted { $0.key < $1.key }
                .map { Turn(day: $0.key, parts: $0.value) }
        }
    }

    private let start: LogCursor
    /// Where the walk ends, if it is before the end of the log; a lane that it does not name is not read.
    private let end: LogCursor?
    private var lanes: [Lane] = []
    /// The days that have a partition, in order, from the first to the last day that the walk needs.
    private var days: [PostgresDate] = []

    /// Begins at a cursor.
    ///
    /// The places of lanes that the database does not have do not change.
    ///
    /// - Parameter end: Where it ends, if it is before the end of the log.
    init(from cursor: LogCursor, upTo end: LogCursor? = nil, over connection: isolated PostgresConnection) throws {
        start = cursor
        self.end = end
        lanes = try Self.lanes(at: cursor, over: connection)
        let earlier = lanes.filter { $0.place.day < $0.lastDay }
        if let first = earlier.map(\.place.day).min(), let last = earlier.map(\.lastDay).max() {
            var bindings = PostgresBindings()
            bindings.append(WritingDay.logPartition(first))
            bindings.append(WritingDay.logPartition(last))
            days = try connection.query(LogStatements.partitions, bindings).compactMap { row in
                WritingDay.day(ofLogPartition: try row.decode(String.self, at: 0))
            }
        }
        for index in lanes.indices {
            // A place in the future: somebody made up the cursor, or the database is an older copy.
            lanes[index].isAtEnd = lanes[index].place.day > lanes[index].lastDay
            if lanes[index].place.day < lanes[index].lastDay, !days.contains(lanes[index].place.day) {
                lanes[index].place = beginningOfDay(after: lanes[index])
            }
            stopAtEnd(index)
        }
    }

    private static func lanes(at cursor: LogCursor, over connection: isolated PostgresConnection) throws -> [Lane] {
        try connection.query(LogStatements.lanes).map { row in
            var columns = ColumnCursor(row)
            let number = try columns.next(Int16.self)
            let day = try columns.next(PostgresDate.self)
            let isClosed = try columns.next(Bool.self)
            let dropped = try LogPlace(
                position: columns.next(Int64?.self) ?? 0, ordinal: columns.next(Int16?.self) ?? 0)
            return Lane(
                number: number, place: cursor[number], lastDay: day, isClosed: isClosed,
                dropped: dropped ?? .beginning)
        }
    }

    /// Checks that a reader that goes on from the cursor misses nothing.
    ///
    /// A lane that the cursor does not name begins with the oldest event that is there.
    ///
    /// - Throws: `LogError.cursorExpired` or `LogError.cursorUnknown`.
    func check(over connection: isolated PostgresConnection) throws {
        let known = Dictionary(uniqueKeysWithValues: lanes.map { ($0.number, $0.dropped) })
        for (lane, place) in start.places {
            guard let dropped = known[lane] else { throw LogError.cursorUnknown }
            guard place >= dropped else { throw LogError.cursorExpired }
        }
        // The beginning of a day need not have an event, nor the last place that was dropped.
        let parts = start.places.filter { $0.value.ordinal > 0 && $0.value != known[$0.key] }
            .map { Turn.Part(lane: $0.key, place: $0.value, share: 1) }
        for turn in Turn.turns(of: parts) {
            guard let present = try turn.rows(LogStatements.present(turn.day), over: connection),
                present.count == turn.parts.count
            else {
                // Unless the day was dropped since the walk began.
                try checkDropped(turn.parts, over: connection)
                throw LogError.cursorUnknown
            }
        }
    }

    /// Checks again after the partition of a day was not found.
    ///
    /// - Throws: `LogError.cursorExpired` if events of these lanes were dropped that were not read.
    func checkDropped(_ parts: [Turn.Part], over connection: isolated PostgresConnection) throws {
        let dropped = try Self.lanes(at: start, over: connection).reduce(into: [:]) { $0[$1.number] = $1.dropped }
        for part in parts where start.places[part.lane] != nil {
            guard part.place >= dropped[part.lane] ?? .beginning else { throw LogError.cursorExpired }
        }
    }

    /// Whether no lane has more events.
    var isAtEnd: Bool { lanes.allSatisfy(\.isAtEnd) }

    /// The places that were reached.
    var cursor: LogCursor {
        LogCursor(lanes.reduce(into: start.places) { places, lane in places[lane.number] = lane.place })
    }

    /// What to read next: at most `limit` events, in about equal shares for the lanes.
    ///
    /// Closed lanes are read to their end first. If `limit` is less than the number of lanes, the lanes that are
    /// furthest behind come first.
    func turns(of limit: Int) -> [Turn] {
        let unread = lanes.filter { !$0.isAtEnd }
        let closed = unread.filter(\.isClosed)
        let open = (closed.isEmpty ? unread : closed).sorted { $0.place < $1.place }.prefix(limit)
        guard !open.isEmpty else { return [] }
        let parts = open.enumerated().map { index, lane in
            let share = limit / open.count + (index < limit % open.count ? 1 : 0)
            return Turn.Part(lane: lane.number, place: lane.place, share: share)
        }
        return Turn.turns(of: parts)
    }

    /// One event of each lane.
    func turnsOfOne() -> [Turn] { turns(of: lanes.count { !$0.isAtEnd }) }

    /// Stores how far a lane was read.
    ///
    /// - Parameter isDayRead: Whether the day has no more events. Then the lane goes to the next day.
    mutating func move(_ lane: Int16, to place: LogPlace, isDayRead: Bool) {
        guard let index = lanes.firstIndex(where: { $0.number == lane }) else { return }
        lanes[index].place = place
        if isDayRead {
            if place.day < lanes[index].lastDay {
                lanes[index].place = beginningOfDay(after: lanes[index])
            } else {
                lanes[index].isAtEnd = true
            }
        }
        stopAtEnd(index)
    }

    /// Whether a place is before the end of the walk, or at it.
    func includes(_ place: LogPlace, in lane: Int16) -> Bool {
        guard let end else { return true }
        return place <= end[lane]
    }

    /// Leaves a lane at the end of the walk once nothing before it is unread.
    private mutating func stopAtEnd(_ index: Int) {
        guard let end = end?[lanes[index].number], lanes[index].isAtEnd || lanes[index].place >= end else { return }
        lanes[index].place = max(start[lanes[index].number], end)
        lanes[index].isAtEnd = true
    }

    /// Stops reading a lane.
    mutating func leave(_ lane: Int16) {
        guard let index = lanes.firstIndex(where: { $0.number == lane }) else { return }
        lanes[index].isAtEnd = true
    }

    /// The beginning of the next day that has a partition, or of the lane's last day.
    ///
    /// If the last day has no partition, nothing was written in it.
    private func beginningOfDay(after lane: Lane) -> LogPlace {
        let next = days.first { $0 > lane.place.day } ?? lane.lastDay
        return LogPlace(beginningOf: min(next, lane.lastDay))
    }
}

extension LogWalk.Turn {
    /// Runs a statement about this day for each lane, in one round trip.
    ///
    /// - Returns: The rows of all lanes; nil if the day has no partition, or none any more.
    func rows(
        _ statement: PostgresStatement, over connection: isolated PostgresConnection
    ) throws -> [PostgresRow]? {
        do throws(PostgresError) {
            let results = try connection.pipeline(
                [PostgresPipelineStep(LogStatements.planning)]
                    + parts.map { PostgresPipelineStep(statement, $0.bindings) })
            return results.dropFirst().flatMap(Array.init)
        } catch {
            guard error.sqlState == .undefinedTable else { throw error }
            return nil
        }
    }
}

extension LogWalk.Turn.Part {
    /// The parameters of the statements of `LogStatements`.
    fileprivate var bindings: PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(lane)
        bindings.append(place.position)
        bindings.append(place.ordinal)
        bindings.append(Int64(share))
        return bindings
    }
}
