import PostgresClient

/// A reader of the log whose place the database keeps.
///
/// A day of the log that a named reader has not read is not to be dropped. So who must not miss anything keeps the
/// place here. How far each reader is behind can be seen; see `PostbackStore.logReaderLags()`.
public struct LogReader: Sendable {
    /// The name.
    public let name: LogReaderName
    let store: PostbackStore

    /// Makes the reader.
    ///
    /// - Parameter cursor: Where it begins to read; places in lanes that the database does not have are left out.
    /// - Throws: `LogReaderError.exists`, or what the database threw.
    public func create(at cursor: LogCursor = .start) async throws {
        let bindings = bindings(cursor.places)
        try await store.pool.withTransaction("log_reader_create") { connection in
            // Two who do this at once: the second one waits for the first one's rows, and adds none.
            guard try connection.query(LogReaderStatements.create, bindings).affectedRows > 0 else {
                throw LogReaderError.exists
            }
        }
    }

    /// How far the reader has read.
    ///
    /// - Throws: `LogReaderError.unknown`, or what the database threw.
    public func cursor() async throws -> LogCursor {
        let bindings = bindings()
        let places = try await store.pool.withConnection { connection in
            try Self.places(connection.query(LogReaderStatements.places, bindings))
        }
        guard let places else { throw LogReaderError.unknown }
        return LogCursor(places)
    }

    /// Moves the reader on, unless somebody else has moved it.
    ///
    /// - Parameters:
    ///   - old: Where the reader must be.
    ///   - new: Where it is then; in no lane before `old`.
    /// - Throws: `LogReaderError`, or what the database threw; then the reader has not moved. If the outcome of the
    ///   commit is unknown, read the cursor again.
    public func advance(from old: LogCursor, to new: LogCursor) async throws {
        let key = bindings()
        try await store.pool.withTransaction("log_reader_advance") { connection in
            // The first statement waits for whoever moves the reader; the second one sees what they did.
            _ = try connection.query(LogReaderStatements.hold, key)
            guard let stored = try Self.places(connection.query(LogReaderStatements.places, key)) else {
                throw LogReaderError.unknown
            }
            guard LogCursor(stored) == old else { throw LogReaderError.moved }
            let changed = new.places.filter { $0.value != old[$0.key] }
            guard changed.allSatisfy({ $0.value > old[$0.key] }), old.places.allSatisfy({ $0.value <= new[$0.key] })
            else {
                throw LogReaderError.impossibleMove
            }
            guard !changed.isEmpty else { return }
            guard try connection.query(LogReaderStatements.move, bindings(changed)).affectedRows == changed.count else {
                throw LogReaderError.impossibleMove
            }
        }
    }

    /// Removes the reader.
    ///
    /// Days that only this reader has not read may be dropped then.
    ///
    /// - Throws: `LogReaderError.unknown`, or what the database threw.
    public func remove() async throws {
        let bindings = bindings()
        try await store.pool.withTransaction("log_reader_remove") { connection in
            guard try connection.query(LogReaderStatements.remove, bindings).affectedRows > 0 else {
                throw LogReaderError.unknown
            }
        }
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
