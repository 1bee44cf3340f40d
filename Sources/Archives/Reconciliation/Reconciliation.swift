import AdAttribution
package import PostbackStore
package import PostgresClient

/// The comparison of one archive of the other side with the postbacks here.
///
/// Deliveries are added in parts, then the comparison is made once. Until then everything is in tables of the session
/// of `connection`. If the program is killed, nothing is left, and an earlier run of the archive stays. Of the tables
/// that others read only those of reconciliations are written, and dimensions. Nothing is counted. Lanes are not
/// locked, so servers and imports may write meanwhile.
package struct Reconciliation: Sendable {
    private let store: PostbackStore
    private let connection: PostgresConnection
    /// The columns of `traits` that any version signs.
    private let signedTraits: [String]

    /// Begins a comparison.
    ///
    /// - Parameters:
    ///   - store: Where the postbacks are.
    ///   - connection: A session of the same database for nothing but this comparison; close it afterwards.
    package init(_ store: PostbackStore, over connection: PostgresConnection) async throws {
        self.store = store
        self.connection = connection
        let versions = store.versions
        let layouts = versions.skAdNetwork.values + [versions.adAttributionKit]
        signedTraits = versions.traitColumns.map(\.name).filter { name in
            layouts.contains { $0.signs(.trait(name)) }
        }
        try await connection.execute(script: ReconciliationStatements.tables)
    }

    /// Adds deliveries of the archive, in the order of its lines.
    ///
    /// - Returns: The number of those that the database refused.
    /// - Throws: An error of the database that is not about the values of one delivery.
    package func add(_ deliveries: [OtherDelivery]) async throws -> Int64 {
        guard !deliveries.isEmpty else { return 0 }
        let lanes = try await store.lanes()
        let time = store.clock()
        let arrivals = deliveries.map { PostbackDelivery($0.verified, receivedAt: $0.receivedAt ?? time) }
        var rows = PostgresArrays(columns: 11, rows: deliveries.count)
        var refused: Int64 = 0
        for ((delivery, arrival), ids) in zip(zip(deliveries, arrivals), await store.dimensionIDs(of: arrivals)) {
            do {
                let numbers = try ids.get()
                let key = StateKey(arrival, numbers)
                rows.beginRow()
                rows.append(delivery.line)
                rows.append(key.transactionID)
                rows.append(delivery.receivedAt)
                rows.append(numbers.line)
                rows.append(numbers.source)
                rows.append(numbers.traits)
                rows.append(lanes.number(of: key.transactionID))
                rows.append(key.network)
                rows.append(key.sequenceIndex)
                rows.append(StoredValue.number(arrival.postback.conversionValue))
                rows.append(key.didWin)
            } catch let error as PostgresError where error.isAboutValues {
                refused += 1
            }
        }
        guard refused < deliveries.count else { return refused }
        var bindings = PostgresBindings()
        bindings.append(consume rows)
        try await connection.query(ReconciliationStatements.add, bindings)
        return refused
    }

    /// Compares everything that was added with what is here, in one snapshot.
    ///
    /// The run is stored in place of an earlier one of the archive.
    ///
    /// - Throws: `ReconciliationError`, or an error of the database. Then nothing is stored.
    package func compare(_ archive: OtherArchive, knowing knowledge: ArchiveKnowledge) async throws -> Agreement {
        try await Self.compare(
            archive, knowledge, match: ReconciliationStatements.match(signed: signedTraits), at: store.clock(),
            over: connection)
    }

    private static func compare(
        _ archive: OtherArchive, _ knowledge: ArchiveKnowledge, match: PostgresStatement, at time: PostgresTimestamp,
        over connection: isolated PostgresConnection
    ) throws -> Agreement {
        try connection.run(ReconciliationStatements.analyzeDeliveries)
        let scope = try connection.transaction("reconcile_compare", isolation: .repeatableRead) { connection in
            _ = try connection.query(match)
            try connection.run(ReconciliationStatements.analyzePostbacks)
            let scope = try ReconciliationScope(knowledge, over: connection)
            _ = try connection.query(ReconciliationStatements.pairs)
            var theirs = PostgresBindings()
            theirs.append(time)
            _ = try connection.query(ReconciliationStatements.compareTheirs, theirs)
            if let times = scope.times {
                var ours = PostgresBindings()
                ours.append(times.lowerBound)
                ours.append(times.upperBound)
                ours.append(scope.side.rawValue)
                _ = try connection.query(ReconciliationStatements.compareOurs, ours)
            }
            return scope
        }
        return try connection.transaction("reconcile_store") { connection in
            try store(archive, scope, at: time, over: connection)
        }
    }

    private static func store(
        _ archive: OtherArchive, _ scope: ReconciliationScope, at time: PostgresTimestamp,
        over connection: isolated PostgresConnection
    ) throws -> Agreement {
        _ = try connection.query(ReconciliationStatements.lock)
        var fingerprint = PostgresBindings()
        fingerprint.append(bytea: archive.fingerprint)
        let numbers = try connection.query(ReconciliationStatements.number, fingerprint)
        let run = try numbers.first?.decode(Int32.self, at: 0) ?? 1
        var key = PostgresBindings()
        key.append(run)
        _ = try connection.query(ReconciliationStatements.remove, key)
        var bindings = key
        bindings.append(bytea: archive.fingerprint)
        bindings.append(archive.file)
        bindings.append(archive.size)
        bindings.append(scope.side.rawValue)
        bindings.append(scope.times?.lowerBound)
        bindings.append(scope.times?.upperBound)
        bindings.append(scope.timesBy.rawValue)
        bindings.append(archive.lines)
        bindings.append(archive.refused)
        bindings.append(archive.notOurs)
        bindings.append(scope.postbacks)
        bindings.append(time)
        _ = try connection.query(ReconciliationStatements.addRun, bindings)
        _ = try connection.query(ReconciliationStatements.addLines, key)
        _ = try connection.query(ReconciliationStatements.addDifferences, key)
        let counts = try connection.query(ReconciliationStatements.sums, key).map { try Agreement.Counts($0) }
        return Agreement(
            run: run, side: scope.side, times: scope.times, timesBy: scope.timesBy, postbacks: scope.postbacks,
            counts: counts.first ?? Agreement.Counts())
    }
}

extension Agreement.Counts {
    /// Reads a row of `ReconciliationStatements.sums`.
    fileprivate init(_ row: PostgresRow) throws {
        var columns = ColumnCursor(row)
        self.init()
        matched = try columns.next()
        raisedHere = try columns.next()
        raisedThere = try columns.next()
        valueDiffers = try columns.next()
        higherHere = try columns.next()
        higherThere = try columns.next()
        signedDiffers = try columns.next()
        onlyHere = try columns.next()
        onlyHereAtEnd = try columns.next()
        onlyThere = try columns.next()
        onlyThereAtEnd = try columns.next()
        notCopied = try columns.next()
        beforeBegin = try columns.next()
    }
}
