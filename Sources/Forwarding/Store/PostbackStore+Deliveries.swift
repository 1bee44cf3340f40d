package import Destinations
package import PostbackStore
import PostgresClient

/// Which dead letters are tried again.
package enum RetriedDeadLetters: Sendable {
    /// All of the destination.
    case all
    /// Those of these events.
    case keys([DeliveryKey])
}

extension PostbackStore {
    /// The deliveries that are to be tried again now, those first that wait for longest.
    ///
    /// It returns none under a lease that is another server's now.
    package func dueDeliveries(_ lease: Lease, limit: Int) async throws -> [WaitingDelivery] {
        var bindings = lease.bindings
        bindings.append(Int64(limit))
        bindings.append(lease.loadedAt)
        let parameters = bindings
        return try await pool.withConnection { connection in
            try connection.query(DeliveryStatements.due, parameters).compactMap { try WaitingDelivery($0) }
        }
    }

    /// Deliveries that failed, those of the newest events first.
    ///
    /// - Parameters:
    ///   - state: Those that are tried again, or dead letters.
    ///   - limit: The greatest number.
    ///   - key: Only those of events before this one, which need not have a delivery; nil for all.
    package func deliveries(
        of name: DestinationName, state: DeliveryState, limit: Int, before key: DeliveryKey? = nil
    ) async throws -> [DeliveryRow] {
        var bindings = Self.key(name)
        bindings.append(state.rawValue)
        bindings.append(Int64(limit))
        bindings.append(key?.position)
        bindings.append(key?.lane)
        bindings.append(key?.ordinal)
        let parameters = bindings
        return try await pool.withConnection { connection in
            try connection.query(DeliveryStatements.list, parameters).compactMap { try DeliveryRow($0) }
        }
    }

    /// The delivery of an event; nil if it went well, if it was removed, or if there never was one.
    package func delivery(of name: DestinationName, _ key: DeliveryKey) async throws -> DeliveryRow? {
        var bindings = Self.key(name)
        bindings.append(key.lane)
        bindings.append(key.position)
        bindings.append(key.ordinal)
        let parameters = bindings
        return try await pool.withConnection { connection in
            try connection.query(DeliveryStatements.one, parameters).first.flatMap { try DeliveryRow($0) }
        }
    }

    /// Has dead letters tried again, each with its stored request and the whole schedule.
    ///
    /// Those whose event could not become a request stay: there is nothing to send. A replay of their day makes new ones.
    ///
    /// - Returns: How many are tried again.
    package func retryDead(_ name: DestinationName, _ which: RetriedDeadLetters) async throws -> Int {
        var bindings = Self.key(name)
        if case .keys(let keys) = which { bindings.append(keys) }
        let parameters = bindings
        let statement = if case .all = which { DeliveryStatements.retryAll } else { DeliveryStatements.retryKeys }
        return try await pool.withStatement("retry_dead") { connection in
            try connection.query(statement, parameters).affectedRows
        }
    }

    /// Removes dead letters of all destinations whose last attempt is longer ago than a number of days.
    ///
    /// - Returns: How many were removed.
    package func dropDead(olderThan days: Int32) async throws -> Int {
        var bindings = PostgresBindings()
        bindings.append(days)
        let parameters = bindings
        return try await pool.withStatement("drop_dead") { connection in
            try connection.query(DeliveryStatements.dropDead, parameters).affectedRows
        }
    }
}

extension PostgresBindings {
    /// Appends the columns of keys.
    mutating func append(_ keys: [DeliveryKey]) {
        append(keys.map(\.lane))
        append(keys.map(\.position))
        append(keys.map(\.ordinal))
    }
}
