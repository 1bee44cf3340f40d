package import Destinations
import EventLog
package import Foundation
package import PostbackStore
import PostgresClient

extension PostbackStore {
    /// Says that a server is there and can send.
    ///
    /// - Returns: How many servers were seen within ten seconds, this one among them.
    package func announceForwarder(_ server: UUID) async throws -> Int {
        var bindings = PostgresBindings()
        bindings.append(server)
        let parameters = bindings
        return try await pool.withStatement("announce_forwarder") { connection in
            let results = try connection.pipeline([
                PostgresPipelineStep(LeaseStatements.announce, parameters),
                PostgresPipelineStep(LeaseStatements.forget), PostgresPipelineStep(LeaseStatements.count),
            ])
            return Int(try results[2].first?.decode(Int64.self, at: 0) ?? 1)
        }
    }

    /// Says that a server sends no more, so that the others share what it had at once.
    package func withdrawForwarder(_ server: UUID) async throws {
        var bindings = PostgresBindings()
        bindings.append(server)
        let parameters = bindings
        try await pool.withStatement("withdraw_forwarder") { connection in
            _ = try connection.query(LeaseStatements.withdraw, parameters)
        }
    }

    /// Takes the lease of a destination.
    ///
    /// A destination whose reader was removed, since it kept days of the log for too long, is switched off.
    ///
    /// - Returns: nil if another server has it, or if the destination is not active.
    package func takeLease(_ name: DestinationName, _ server: UUID) async throws -> Lease? {
        var key = PostgresBindings()
        key.append(name.description)
        var off = key
        off.append(DestinationState.off.rawValue)
        off.append(Self.readerIsGone)
        key.append(server)
        let (parameters, offParameters, reader) = (key, off, logReader(of: name))
        return try await pool.withTransaction("take_lease") { connection in
            guard let row = try connection.query(LeaseStatements.take, parameters).first else { return nil }
            guard try reader.cursor(over: connection) != nil else {
                _ = try connection.query(DestinationStatements.stop, offParameters)
                return nil
            }
            return Lease(name: name, server: server, fence: try row.decode(at: 0), loadedAt: try row.decode(at: 1))
        }
    }

    private static var readerIsGone: String {
        "its reader of the log was removed, since it kept days for longer than READER_RETENTION_DAYS; if it is resumed, it "
            + "gets what is counted from then on"
    }

    /// Renews a lease, to ten seconds from now by the database's clock.
    ///
    /// - Returns: False if another server has it, or if the destination was removed.
    package func renew(_ lease: Lease) async throws -> Bool {
        let bindings = lease.bindings
        return try await pool.withStatement("renew_lease") { connection in
            try !connection.query(LeaseStatements.renew, bindings).isEmpty
        }
    }

    /// Gives a lease up, so that another server can take it at once.
    package func release(_ lease: Lease) async throws {
        let bindings = lease.bindings
        try await pool.withStatement("release_lease") { connection in
            _ = try connection.query(LeaseStatements.release, bindings)
        }
    }

    /// Where the readers of a destination are.
    ///
    /// - Throws: `LeaseLost` if the lease is another server's; `LogReaderError.unknown` if its reader was removed.
    package func cursors(_ lease: Lease) async throws -> ForwardingCursors {
        let bindings = lease.bindings
        let (live, replay) = (logReader(of: lease.name), logReader(ofReplay: lease.name))
        return try await pool.withTransaction("forwarding_cursors") { connection in
            guard let row = try connection.query(LeaseStatements.replayEnd, bindings).first else {
                throw LeaseLost(name: lease.name)
            }
            guard let cursor = try live.cursor(over: connection) else { throw LogReaderError.unknown }
            guard let end = try row.decode(String?.self, at: 0).flatMap({ LogCursor($0) }),
                let place = try replay.cursor(over: connection)
            else { return ForwardingCursors(live: cursor, replay: nil) }
            return ForwardingCursors(live: cursor, replay: (place, end))
        }
    }

    /// The reader of a destination.
    func logReader(of name: DestinationName) -> LogReader {
        logReader(prefix: LogReaderName.destinationPrefixes.forward, name)
    }

    /// The reader of its replay.
    func logReader(ofReplay name: DestinationName) -> LogReader {
        logReader(prefix: LogReaderName.destinationPrefixes.replay, name)
    }

    private func logReader(prefix: String, _ name: DestinationName) -> LogReader {
        guard let reader = LogReaderName(prefix + name.description) else {
            preconditionFailure("each name of a destination makes one of a reader")
        }
        return logReader(named: reader)
    }
}
