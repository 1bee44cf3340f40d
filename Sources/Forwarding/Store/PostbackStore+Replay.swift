package import Destinations
import EventLog
package import PostbackStore
package import PostgresClient

/// Why days are not sent once more.
package enum ReplayError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is no such destination.
    case unknown
    /// Another replay of the destination is under way.
    case running
    /// The log of the first day, or of a later one, was dropped.
    case dropped
    /// The reader of the destination has passed nothing of these days, so it sends them anyway.
    case nothing

    package var description: String {
        switch self {
        case .unknown: "there is no such destination"
        case .running: "a replay of this destination is under way; it must end first"
        case .dropped: "the log of these days was dropped"
        case .nothing: "the destination has got nothing of these days yet, so it gets them anyway"
        }
    }
}

extension PostbackStore {
    /// Sends events of some days to a destination once more.
    ///
    /// A reader of its own reads them. It ends where the destination's own reader is now: what is behind that, the
    /// destination gets anyway.
    ///
    /// - Parameters:
    ///   - from: The first UTC day of writing.
    ///   - to: The last one.
    /// - Throws: `ReplayError`, or an error of the database.
    package func replay(_ name: DestinationName, from: PostgresDate, to: PostgresDate) async throws {
        let begin = try await cursor(at: from)
        let afterLast = try await cursor(at: PostgresDate(daysSince2000: to.daysSince2000 + 1))
        do {
            _ = try await events(after: begin, limit: 1)
        } catch is LogError {
            throw ReplayError.dropped
        }
        let (key, live, replay) = (Self.key(name), logReader(of: name), logReader(ofReplay: name))
        try await pool.withTransaction("replay") { connection in
            guard let isRunning = try connection.query(DestinationStatements.hold, key).first?.decode(Bool.self, at: 0)
            else { throw ReplayError.unknown }
            // A reader that kept days for too long is removed, and its replay is over then.
            let reader = try replay.cursor(over: connection)
            guard !isRunning || reader == nil else { throw ReplayError.running }
            guard let end = try live.cursor(over: connection)?.earlier(afterLast), !begin.contains(end) else {
                throw ReplayError.nothing
            }
            _ = try replay.remove(over: connection)
            try replay.create(at: begin, over: connection)
            var bindings = key
            bindings.append(date: from)
            bindings.append(date: to)
            bindings.append(end.description)
            _ = try connection.query(DestinationStatements.beginReplay, bindings)
        }
    }
}
