package import AuditTrail
import ConversionSchemes
package import PostbackStore
import PostgresClient

extension PostbackStore {
    /// Takes the last load of a kind back: its rows are as before.
    ///
    /// - Parameters:
    ///   - number: The load that is meant, which must be the last one; nil for the last one.
    ///   - author: Who does it.
    /// - Returns: The load.
    /// - Throws: `TakeBackError`.
    package func takeBack(_ kind: LoadKind, _ number: Int64? = nil, by author: TrailActor) async throws -> StoredLoad {
        let time = clock()
        let (load, entry) = try await pool.withTransaction("take_back_load") { connection in
            _ = try connection.query(kind.lock)
            let load = try Self.last(kind, number, over: connection)
            try Self.checkUnchanged(load, over: connection)
            switch kind {
            case .mapping:
                _ = try connection.query(kind.table.remove(.back), load.load.binding)
                let ties = try connection.query(MappingStatements.tiesOfLoad, load.load.binding)
                guard ties.isEmpty else {
                    throw TakeBackError.overlapping(load, rows: try ties.map { try $0.decode(at: 0) })
                }
                _ = try connection.query(kind.table.write(.back), load.load.binding)
            case .spend, .rates, .appNames:
                _ = try connection.query(kind.table.remove(.back), load.load.binding)
                _ = try connection.query(kind.table.write(.back), load.load.binding)
            case .scheme: try Self.takeBackSchemes(load, over: connection)
            }
            var bindings = load.load.binding
            bindings.append(time)
            bindings.append(author.description)
            _ = try connection.query(LoadStatements.takeBack, bindings)
            let entry = TrailEntry(
                .takeBack, of: "load \(load.load) of \(kind.rawValue)", by: author, at: time, load.changes.counts)
            try Self.note(entry, over: connection)
            return (load, entry)
        }
        log(entry)
        return load
    }

    /// The load, if it can be taken back by what the list of loads says.
    private static func last(
        _ kind: LoadKind, _ number: Int64?, over connection: isolated PostgresConnection
    ) throws -> StoredLoad {
        guard let load = try find(kind, number, over: connection) else {
            throw number.map { TakeBackError.unknown(kind, $0) } ?? TakeBackError.none(kind)
        }
        guard load.takenBack == nil else { throw TakeBackError.takenBack(load) }
        guard load.isLast else {
            throw TakeBackError.notLast(load, last: try find(kind, nil, over: connection) ?? load)
        }
        guard load.hasRows else { throw TakeBackError.pastRetention(load) }
        return load
    }

    /// A load by its number, or the last one that was not taken back.
    private static func find(
        _ kind: LoadKind, _ number: Int64?, over connection: isolated PostgresConnection
    ) throws -> StoredLoad? {
        var bindings = PostgresBindings()
        bindings.append(kind.rawValue)
        bindings.append(number)
        return try connection.query(LoadStatements.find, bindings).first.map(StoredLoad.init)
    }

    private static func checkUnchanged(_ load: StoredLoad, over connection: isolated PostgresConnection) throws {
        let changed = try connection.query(load.kind.table.changedSince, load.load.binding)
        guard let first = changed.first else { return }
        throw TakeBackError.changedSince(
            load, rows: try changed.map { try $0.decode(at: 0) }, count: try first.decode(at: 1))
    }

    private static func takeBackSchemes(_ load: StoredLoad, over connection: isolated PostgresConnection) throws {
        let rewritten = try connection.query(SchemeStatements.rewritten, load.load.binding)
        for row in rewritten {
            var columns = ColumnCursor(row)
            let document: String = try columns.next()
            let scheme = try SchemeFile.read(Array(document.utf8))
            let key = SchemeStatements.key(scheme)
            let isInUse = try connection.query(SchemeStatements.isInUse, key).first?.decode(Bool.self, at: 0)
            guard isInUse == false else {
                throw TakeBackError.schemeInUse(
                    load, SchemeInUse(appID: scheme.appID, validFrom: scheme.validity.from))
            }
            _ = try connection.query(SchemeStatements.removeMeanings, key)
        }
        _ = try connection.query(load.kind.table.remove(.back), load.load.binding)
        _ = try connection.query(load.kind.table.write(.back), load.load.binding)
        for row in rewritten {
            guard let document = try row.decode(String?.self, at: 1) else { continue }
            try insertMeanings(of: try SchemeFile.read(Array(document.utf8)), over: connection)
        }
    }
}
