import PostbackStore
package import PostgresClient

/// A reader of the log whose cursor is stored in the database.
///
/// A day of the log is not dropped before every named reader has read it. A reader that keeps a day for too long is
/// removed (`RetentionRules`). So use a named reader if no event may be missed. `PostbackStore.logReaderLags()` says
/// how far each reader is behind.
package struct LogReader: Sendable {
    /// The name.
    package let name: LogReaderName
    let store: PostbackStore

    /// Makes the reader.
    ///
    /// - Parameter cursor: Where it begins to read. Lanes that the database does not have are left out.
    /// - Throws: `LogReaderError.exists`, or an error of the database.
    package func create(at cursor: LogCursor = .start) async throws {
        try await store.pool.withTransaction("log_reader_create") { try create(at: cursor, over: $0) }
    }

    /// The same in a transaction of the caller.
    package func create(at cursor: LogCursor, over connection: isolated PostgresConnection) throws {
        // If two callers do this at once, the second one waits for the rows of the first one, and adds none.
        guard try connection.query(LogReaderStatements.create, bindings(cursor.places)).affectedRows > 0 else {
            throw LogReaderError.exists
        }
    }

    /// How far the reader has read.
    ///
    /// - Throws: `LogReaderError.unknown`, or an error of the database.
    package func cursor() async throws -> LogCursor {
        let stored = try await store.pool.withConnection { connection in try self.cursor(over: connection) }
        guard let stored else { throw LogReaderError.unknown }
        return stored
    }

    /// How far the reader has read; nil if it does not exist.
    package func cursor(over connection: isolated PostgresConnection) throws -> LogCursor? {
        try Self.places(connection.query(LogReaderStatements.places, bindings())).map { LogCursor($0) }
    }

    /// Moves the reader forward, unless somebody else has moved it.
    ///
    /// - Parameters:
    ///   - old: Where the reader must be now.
    ///   - new: Where it will be. In no lane it may be before `old`.
    /// - Throws: `LogReaderError`, or an error of the database. Then the reader has not moved. But if the outcome of
    ///   the commit is unknown, read the cursor again.
    package func advance(from old: LogCursor, to new: LogCursor) async throws {
        try await store.pool.withTransaction("log_reader_advance") { try advance(from: old, to: new, over: $0) }
    }

    /// The same in a transaction of the caller.
    package func advance(
        from old: LogCursor, to new: LogCursor, over connection: isolated PostgresConnection
    ) throws {
        let key = bindings()
        // The first statement waits for others that move the reader. The second one sees what they did.
        _ = try connection.query(LogReaderStatements.hold, key)
        guard let stored = try Self.places(connection.query(LogReaderStatements.places, key)) else {
            throw LogReaderError.unknown
        }
        guard LogCursor(stored) == old else { throw LogReaderError.moved }
        let changed = new.places.filter { $0.value != old[$0.key] }
        guard changed.allSatisfy({ $0.value > old[$0.key] }), old.places.allSatisfy({ $0.value <= new[$0.key] }) else {
            throw LogReaderError.impossibleMove
        }
        guard !changed.isEmpty else { return }
        guard try connection.query(LogReaderStatements.move, bindings(changed)).affectedRows == changed.count else {
            throw LogReaderError.impossibleMove
        }
    }

    /// Moves the reader forward, or makes it if it does not exist.
    ///
    /// For a reader whose owner keeps the cursor elsewhere.
    ///
    /// - Throws: as `advance` and `create`.
    package func move(to cursor: LogCursor) async throws {
        do {
            let place = try await self.cursor()
            if place != cursor { try await advance(from: place, to: cursor) }
        } catch LogReaderError.unknown {
            try await create(at: cursor)
        }
    }

    /// Removes the reader.
    ///
    /// Then days may be dropped that only this reader has not read.
    ///
    /// - Throws: `LogReaderError.unknown`, or an error of the database.
    package func remove() async throws {
        try await store.pool.withTransaction("log_reader_remove") { connection in
            guard try remove(over: connection) else { throw LogReaderError.unknown }
        }
    }

    /// The same in a transaction of the caller; false if no reader with this name exists.
    package func remove(over connection: isolated PostgresConnection) throws -> Bool {
        try connection.query(LogReaderStatements.remove, bindings()).affectedRows > 0
    }

    private func bindings(_ places: [Int16: LogPlace]? = nil) -> PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(name.description)
        guard let places else { return bindings }
        let sorted = places.sorted { $0.key < $1.key }
        bindings.append(sorted.map(\.key))
        bindings.append(sorted.map(\.value.position))
        bindings.append(sorted.map(\.value.ordinal))
        return bindings
    }

    /// The places of a reader; nil if there is no such reader.
    private static func places(_ rows: PostgresResult) throws -> [Int16: LogPlace]? {
        guard !rows.isEmpty else { return nil }
        return try LogReaderStatements.places(rows.map { row in ColumnCursor(row) })
    }
}

/// The name of a reader of the log: 1 to 64 of `a–z 0–9 - _ .`, but not `figures` and `answers`, the
/// store's own.
///
/// Names that begin with `forward.` and `replay.` are those of destinations (`isOfDestination`).
package struct LogReaderName: Sendable, Hashable, LosslessStringConvertible {
    /// The name.
    package let description: String

    /// What a text must be, to complete "must be …".
    package static let rule = "a name of 1 to 64 letters a-z, digits, '-', '_' and '.', and not figures or answers"

    /// The reader that folds the log into the daily tables.
    static let figures = "figures"

    /// The reader that folds the log into the sums of answers.
    static let answers = "answers"

    /// What the names of the readers of destinations begin with: of what is counted, and of days that are sent again.
    package static let destinationPrefixes = (forward: "forward.", replay: "replay.")

    /// Why nobody else moves them, as a clause of its own.
    package static let destinationRule =
        "names that begin with forward. or replay. are those of destinations, which move and remove them"

    /// Whether the reader is one of a destination.
    ///
    /// Only its sender may move it. It leaves with its destination.
    package var isOfDestination: Bool {
        description.hasPrefix(Self.destinationPrefixes.forward)
            || description.hasPrefix(Self.destinationPrefixes.replay)
    }

    /// Makes a name; nil if the text is not allowed.
    package init?(_ description: String) {
        guard (1...64).contains(description.utf8.count), description.utf8.allSatisfy(Self.isAllowed),
            description != Self.figures, description != Self.answers
        else { return nil }
        self.description = description
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

/// How far a reader of the log is behind.
package struct LogReaderLag: Sendable, Hashable {
    /// The name of the reader; `figures` and `answers` fold the log into daily tables.
    package let reader: String
    /// The age of the oldest event that the reader has not read, in seconds; 0 if it has read everything.
    package let seconds: Double
}
