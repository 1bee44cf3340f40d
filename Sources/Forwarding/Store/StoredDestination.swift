package import Destinations
package import Foundation
package import PostgresClient

/// Whether a destination gets events.
package enum DestinationState: String, Sendable, CaseIterable {
    /// It does.
    case active
    /// A person has paused it.
    case paused
    /// The receiver wants no more, nothing was delivered for too long, or its reader of the log was removed.
    case off
}

/// What loading a file does.
package enum DestinationChange: Sendable, Equatable {
    /// There is no destination with this name.
    case added
    /// Another file takes the place of the stored one.
    case changed
    /// The same file is stored.
    case unchanged
}

/// A destination as it is stored.
package struct StoredDestination: Sendable {
    /// What its file says.
    package let destination: Destination
    /// The file, byte for byte; it names secrets, and has none.
    package let document: String
    /// Whether it gets events.
    package let state: DestinationState
    /// Why it is paused or off.
    package let stateReason: String?
    /// Since when it has this state.
    package let stateSince: PostgresTimestamp
    /// When the file was loaded.
    package let loadedAt: PostgresTimestamp
    /// Who loaded it.
    package let loadedBy: String
    /// How many attempts in a row have failed.
    package let failures: Int
    /// Since when nothing was delivered and something failed.
    package let failingSince: PostgresTimestamp?
    /// How long that is, by the database's clock.
    package let failingTime: Duration?
    /// The server that sends; nil if none does.
    package let leader: UUID?
    /// How often a server began to send.
    package let fence: Int64

    /// Reads a row of `DestinationStatements.list`; nil if this build can't read the file.
    init?(_ row: PostgresRow) throws {
        var columns = ColumnCursor(row)
        document = try columns.next()
        guard let state = DestinationState(rawValue: try columns.next()),
            let destination = try? Destination(document: Array(document.utf8))
        else { return nil }
        self.destination = destination
        self.state = state
        stateReason = try columns.next()
        stateSince = try columns.next()
        loadedAt = try columns.next()
        loadedBy = try columns.next()
        failures = Int(try columns.next(Int64.self))
        failingSince = try columns.next()
        failingTime = try columns.next(Double?.self).map { .seconds($0) }
        leader = try columns.next()
        fence = try columns.next()
    }
}
