import AdAttribution
package import Destinations
import EventLog
package import PostbackStore
import PostgresClient

extension PostbackStore {
    /// The destinations, by name.
    ///
    /// One whose file this build can't read is left out; its status says so.
    package func destinations() async throws -> [StoredDestination] {
        try await pool.withConnection { connection in
            try connection.query(DestinationStatements.list).compactMap { try StoredDestination($0) }
        }
    }

    /// Stores a file: a new destination, or another file of one.
    ///
    /// A new destination gets what is counted from then on. One that has another file now goes on where it was,
    /// as if nothing had failed.
    ///
    /// - Parameters:
    ///   - document: The file.
    ///   - actor: Who loads it.
    ///   - dryRun: Whether it only says what would be done.
    /// - Throws: `DestinationProblems` if the file breaks a rule; an error of the database.
    package func loadDestination(
        _ document: [UInt8], by actor: String, dryRun: Bool
    ) async throws -> DestinationChange {
        let destination = try Destination(document: document)
        let digest = SHA256.digest(document)
        let end = try await cursorAtEnd()
        let key = Self.key(destination.name)
        var bindings = key
        bindings.append(String(decoding: document, as: UTF8.self))
        bindings.append(bytea: digest)
        bindings.append(actor)
        let (parameters, reader) = (bindings, logReader(of: destination.name))
        return try await pool.withTransaction("load_destination", ending: dryRun ? .rollback : .commit) { connection in
            _ = try connection.query(DestinationStatements.lock)
            let stored = try connection.query(DestinationStatements.digest, key).first?.decode([UInt8].self, at: 0)
            guard stored != digest else { return .unchanged }
            _ = try connection.query(DestinationStatements.load, parameters)
            guard stored == nil else { return .changed }
            // One with this name is nobody's.
            _ = try reader.remove(over: connection)
            try reader.create(at: end, over: connection)
            return .added
        }
    }

    /// Removes a destination with its readers, and with what waits for it.
    ///
    /// Its statistics by day stay.
    ///
    /// - Returns: Whether there was one.
    package func removeDestination(_ name: DestinationName) async throws -> Bool {
        let key = Self.key(name)
        let readers = [logReader(of: name), logReader(ofReplay: name)]
        return try await pool.withTransaction("remove_destination") { connection in
            _ = try connection.query(DestinationStatements.lock)
            guard try connection.query(DestinationStatements.remove, key).affectedRows > 0 else { return false }
            for reader in readers { _ = try reader.remove(over: connection) }
            try connection.pipeline([
                PostgresPipelineStep(DestinationStatements.removeDeliveries, key),
                PostgresPipelineStep(DestinationStatements.removeMinutes, key),
            ])
            return true
        }
    }

    /// Pauses a destination that is active; one that is off stays off.
    ///
    /// - Parameter reason: Why, for people to read.
    /// - Returns: Whether it was active.
    @discardableResult
    package func pauseDestination(_ name: DestinationName, reason: String) async throws -> Bool {
        var bindings = Self.key(name)
        bindings.append(Self.shown(reason) ?? "paused")
        let parameters = bindings
        return try await pool.withStatement("pause_destination") { connection in
            try connection.query(DestinationStatements.pause, parameters).affectedRows > 0
        }
    }

    /// Makes a destination active that is paused or off, as if nothing had failed.
    ///
    /// It goes on where it was. If its reader of the log was removed meanwhile, it gets what is counted from now on.
    package func resumeDestination(_ name: DestinationName) async throws {
        let end = try await cursorAtEnd()
        let (key, reader) = (Self.key(name), logReader(of: name))
        try await pool.withTransaction("resume_destination") { connection in
            guard try !connection.query(DestinationStatements.resume, key).isEmpty,
                try reader.cursor(over: connection) == nil
            else { return }
            try reader.create(at: end, over: connection)
        }
    }

    /// How the destinations are doing, by name.
    package func destinationStatuses() async throws -> [DestinationStatus] {
        let rows = try await pool.withConnection { connection in
            try connection.query(DestinationStatements.statuses).map { try StatusRow($0) }
        }
        var statuses: [DestinationStatus] = []
        for row in rows {
            guard let name = DestinationName(row.name), let state = DestinationState(rawValue: row.state) else {
                throw UnknownStoredValue(table: "destination")
            }
            var seconds = 0.0
            if let cursor = try await self.cursor(of: logReader(of: name)) { seconds = try await lag(of: cursor) }
            var replay: ReplayStatus?
            if let days = row.replay, let day = try await self.cursor(of: logReader(ofReplay: name))?.firstDay {
                replay = ReplayStatus(from: days.from, to: days.to, day: day)
            }
            statuses.append(
                DestinationStatus(
                    name: name, state: state, stateReason: row.stateReason, lagSeconds: seconds,
                    sentPerSecond: row.sentPerSecond, waiting: row.waiting, dead: row.dead, sentDay: row.sentDay,
                    failedDay: row.failedDay, deadDay: row.deadDay, replay: replay, isBreakerOpen: row.isBreakerOpen,
                    problem: row.problem))
        }
        return statuses
    }

    private func cursor(of reader: LogReader) async throws -> LogCursor? {
        try await pool.withConnection { connection in try reader.cursor(over: connection) }
    }

    /// The parameter that names a destination.
    static func key(_ name: DestinationName) -> PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(name.description)
        return bindings
    }

    /// A text as the tables take it: at most 500 characters, none of them zero; nil if nothing is left.
    static func shown(_ text: String) -> String? {
        let scalars = text.unicodeScalars.lazy.filter { $0.value != 0 }.prefix(500)
        let text = String(String.UnicodeScalarView(scalars))
        return text.isEmpty ? nil : text
    }
}

/// A row has a value that this build does not know, so another program has written it.
struct UnknownStoredValue: Error, CustomStringConvertible {
    let table: String

    var description: String { "a row of \(table) has a value that this build does not know" }
}

/// A row of `DestinationStatements.statuses`.
private struct StatusRow: Sendable {
    let name: String
    let state: String
    let stateReason: String?
    let isBreakerOpen: Bool
    let problem: String?
    let replay: (from: PostgresDate, to: PostgresDate)?
    let waiting: Int64
    let dead: Int64
    let sentDay: Int64
    let failedDay: Int64
    let deadDay: Int64
    let sentPerSecond: Double

    init(_ row: PostgresRow) throws {
        var columns = ColumnCursor(row)
        name = try columns.next()
        let document: String = try columns.next()
        state = try columns.next()
        stateReason = try columns.next()
        isBreakerOpen = try columns.next()
        var problem: String? = try columns.next()
        let (from, to): (PostgresDate?, PostgresDate?) = try (columns.next(), columns.next())
        waiting = try columns.next()
        dead = try columns.next()
        sentDay = try columns.next()
        failedDay = try columns.next()
        deadDay = try columns.next()
        sentPerSecond = try columns.next()
        replay = if let from, let to { (from, to) } else { nil }
        do throws(DestinationProblems) {
            _ = try Destination(document: Array(document.utf8))
        } catch {
            problem = "this version can't read its file: \(error.problems.first?.description ?? "")"
        }
        self.problem = problem
    }
}
