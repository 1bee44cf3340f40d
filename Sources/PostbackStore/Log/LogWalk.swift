import PostgresClient

/// A walk through the log from a cursor to the end that it found when it began, day by day in each lane.
///
/// It goes from a day to the next one only if the lane was written in a later day when the walk began. Since a lane's
/// day only moves on, and moves under the lane's lock, all events of the earlier day were committed then. So whoever
/// reads the earlier day after that sees all of them.
struct LogWalk {
    /// One lane of the walk.
    private struct Lane {
        let number: Int16
        var place: LogPlace
        /// The day that the lane was written in when the walk began.
        let lastDay: PostgresDate
        var isAtEnd = false
    }

    /// What to read next: lanes in one day.
    struct Turn {
        /// A lane, the place to read after, and the most events to read.
        struct Part {
            let lane: Int16
            let place: LogPlace
            let share: Int
        }

        let day: PostgresDate
        let parts: [Part]
    }

    private let start: LogCursor
    private var lanes: [Lane] = []
    /// The days that have a partition, in order, as far as the walk needs them.
    private var days: [PostgresDate] = []

    /// Begins at a cursor.
    ///
    /// Places in lanes that the database does not have stay as they are.
    init(from cursor: LogCursor, over connection: isolated PostgresConnection) throws {
        start = cursor
        for row in try connection.query(LogStatements.lanes) {
            let number = try row.decode(Int16.self, at: 0)
            lanes.append(Lane(number: number, place: cursor[number], lastDay: try row.decode(PostgresDate.self, at: 1)))
        }
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
            // Somebody made up a cursor of the future, or the database is an older copy.
            lanes[index].isAtEnd = lanes[index].place.day > lanes[index].lastDay
            if lanes[index].place.day < lanes[index].lastDay, !days.contains(lanes[index].place.day) {
                lanes[index].place = beginningOfDay(after: lanes[index])
            }
        }
    }

    /// Whether no lane has anything left.
    var isAtEnd: Bool { lanes.allSatisfy(\.isAtEnd) }

    /// The places that were reached.
    var cursor: LogCursor {
        LogCursor(lanes.reduce(into: start.places) { places, lane in places[lane.number] = lane.place })
    }

    /// What to read next, so many events at most, in about equal shares.
    ///
    /// If there are fewer events than lanes to read, the lanes that are furthest behind come first.
    func turns(of limit: Int) -> [Turn] {
        let open = lanes.filter { !$0.isAtEnd }.sorted { $0.place < $1.place }.prefix(limit)
        guard !open.isEmpty else { return [] }
        let parts = open.enumerated().map { index, lane in
            let share = limit / open.count + (index < limit % open.count ? 1 : 0)
            return Turn.Part(lane: lane.number, place: lane.place, share: share)
        }
        return Dictionary(grouping: parts, by: \.place.day).sorted { $0.key < $1.key }
            .map { Turn(day: $0.key, parts: $0.value) }
    }

    /// One event of each lane.
    func turnsOfOne() -> [Turn] { turns(of: lanes.count { !$0.isAtEnd }) }

    /// Takes in how far a lane was read.
    ///
    /// - Parameter isDayRead: Whether the day had nothing more, so that the lane goes on to the next one.
    mutating func move(_ lane: Int16, to place: LogPlace, isDayRead: Bool) {
        guard let index = lanes.firstIndex(where: { $0.number == lane }) else { return }
        lanes[index].place = place
        guard isDayRead else { return }
        if place.day < lanes[index].lastDay {
            lanes[index].place = beginningOfDay(after: lanes[index])
        } else {
            lanes[index].isAtEnd = true
        }
    }

    /// Reads no more of a lane.
    mutating func leave(_ lane: Int16) {
        guard let index = lanes.firstIndex(where: { $0.number == lane }) else { return }
        lanes[index].isAtEnd = true
    }

    /// The next day that has a partition; a lane's last day has one, or nothing was written in it.
    private func beginningOfDay(after lane: Lane) -> LogPlace {
        let next = days.first { $0 > lane.place.day } ?? lane.lastDay
        return LogPlace(beginningOf: min(next, lane.lastDay))
    }
}

extension LogWalk.Turn {
    /// The parameters of the statements of `LogStatements`.
    var bindings: PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(parts.map(\.lane))
        bindings.append(parts.map(\.place.position))
        bindings.append(parts.map(\.place.ordinal))
        bindings.append(parts.map { Int64($0.share) })
        return bindings
    }

    /// Runs a statement about this day; no rows if the day was dropped meanwhile.
    func rows(
        _ statement: PostgresStatement, over connection: isolated PostgresConnection
    ) throws -> [PostgresRow] {
        do throws(PostgresError) {
            let results = try connection.pipeline([
                PostgresPipelineStep(LogStatements.planning), PostgresPipelineStep(statement, bindings),
            ])
            return results.last.map(Array.init) ?? []
        } catch {
            guard error.sqlState == .undefinedTable else { throw error }
            return []
        }
    }
}
