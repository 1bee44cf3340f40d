package import PostbackStore
import PostgresClient

extension PostbackStore {
    /// The greatest number of readers in `logReaderLags`.
    package static var maximumLogReaderLags: Int { 100 }

    /// The reader with a name, whether it exists or not.
    package func logReader(named name: LogReaderName) -> LogReader {
        LogReader(name: name, store: self)
    }

    /// The readers of the log and how far each is behind: first `figures` and `answers`, then the others by name, at
    /// most `maximumLogReaderLags`.
    ///
    /// For each reader, the next event of each lane is looked up in the index.
    package func logReaderLags() async throws -> [LogReaderLag] {
        var bindings = PostgresBindings()
        bindings.append([LogReaderName.figures, LogReaderName.answers])
        bindings.append(Int64(Self.maximumLogReaderLags))
        let parameters = bindings
        let readers = try await pool.withConnection { connection in
            var readers: [(name: String, places: [ColumnCursor])] = []
            for row in try connection.query(LogReaderStatements.all, parameters) {
                let name = try row.decode(String.self, at: 3)
                if readers.last?.name != name { readers.append((name, [])) }
                readers[readers.count - 1].places.append(ColumnCursor(row))
            }
            return try readers.map { ($0.name, LogCursor(try LogReaderStatements.places($0.places))) }
        }
        var lags: [LogReaderLag] = []
        for (name, cursor) in readers { lags.append(LogReaderLag(reader: name, seconds: try await lag(of: cursor))) }
        return lags
    }

    /// The age of the oldest event after a cursor, in seconds by the database's clock; 0 if there is none.
    package func lag(of cursor: LogCursor) async throws -> Double {
        try await pool.withConnection { connection in
            var walk = try LogWalk(from: cursor, over: connection)
            var lag = 0.0
            while !walk.isAtEnd {
                for turn in walk.turnsOfOne() {
                    var ages: [Int16: Double] = [:]
                    for row in try turn.rows(LogStatements.ages(turn.day), over: connection) ?? [] {
                        ages[try row.decode(at: 0)] = try row.decode(Double.self, at: 1)
                    }
                    lag = max(lag, ages.values.max() ?? 0)
                    for part in turn.parts {
                        if ages[part.lane] == nil {
                            walk.move(part.lane, to: part.place, isDayRead: true)
                        } else {
                            walk.leave(part.lane)
                        }
                    }
                }
            }
            return lag
        }
    }
}
