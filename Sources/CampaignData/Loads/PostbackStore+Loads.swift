import AuditTrail
package import PostbackStore
package import PostgresClient

extension PostbackStore {
    /// The loads of these kinds, the newest first.
    ///
    /// - Parameter limit: The most loads.
    package func loads(of kinds: [LoadKind], limit: Int32) async throws -> [StoredLoad] {
        var bindings = PostgresBindings()
        bindings.append(kinds.map(\.rawValue))
        bindings.append(limit)
        let parameters = bindings
        return try await pool.withStatement("loads") { connection in
            try connection.query(LoadStatements.list, parameters).map(StoredLoad.init)
        }
    }

    /// Removes the rows that loads of before a time changed, so that they can't be taken back any more.
    package func removeLoadRows(before time: PostgresTimestamp) async throws {
        var bindings = PostgresBindings()
        bindings.append(time)
        let parameters = bindings
        try await pool.withTransaction("remove_load_rows") { connection in
            _ = try connection.query(LoadStatements.removeOld, parameters)
        }
    }

    /// Runs a body as one load, in a transaction under the lock of its kind.
    ///
    /// - Parameter body: It notes what it changes in `load_row`, and does it. It gets the number of the load.
    /// - Throws: `ChangedLoad` if it was confirmed, and would do something else now; what the body throws.
    func withLoad<Value: Sendable>(
        _ name: StaticString, of kind: LoadKind, from source: LoadSource, ending: LoadEnding,
        _ body: @Sendable (isolated PostgresConnection, Int64) throws -> Value
    ) async throws -> (outcome: LoadOutcome, value: Value) {
        let time = clock()
        let done = try await pool.withTransaction(name, ending: ending.ofTransaction) { connection in
            _ = try connection.query(kind.lock)
            let load = try Self.begin(kind, source, time, over: connection)
            let value = try body(connection, load)
            let changes = try Self.changes(of: load, over: connection)
            let plan = ending.isShown ? try Self.plan(of: load, kind, changes, time, over: connection) : nil
            let outcome = LoadOutcome(load: load, changes: changes, plan: plan)
            if let shown = ending.confirmation, shown.digest != plan?.confirmation.digest {
                throw try Self.changed(shown, outcome, kind, over: connection)
            }
            if ending.isStored { try Self.note(outcome.entry(kind, source, time), over: connection) }
            return (outcome: outcome, value: value)
        }
        if ending.isStored { log(done.outcome.entry(kind, source, time)) }
        return done
    }

    /// Stores the rows of a file as one load: all or none.
    ///
    /// - Parameters:
    ///   - note: Adds the rows to `load_row`.
    ///   - rows: Its parameters, without the load, which comes last.
    ///   - removesOthers: Whether stored rows that the file stands for and does not have are removed.
    ///   - check: Runs between the removal of rows and the writing of others.
    /// - Throws: As `withLoad`.
    func loadRows(
        _ name: StaticString, of kind: LoadKind, _ note: PostgresStatement, _ rows: PostgresBindings,
        from source: LoadSource, removingOthers removesOthers: Bool = false, ending: LoadEnding,
        check: @Sendable (isolated PostgresConnection) throws -> Void = { _ in }
    ) async throws -> LoadOutcome {
        try await withLoad(name, of: kind, from: source, ending: ending) { connection, load in
            var parameters = rows
            parameters.append(load)
            _ = try connection.query(note, parameters)
            try kind.table.apply(load, removingOthers: removesOthers, over: connection, check: check)
        }.outcome
    }

    private static func begin(
        _ kind: LoadKind, _ source: LoadSource, _ time: PostgresTimestamp, over connection: isolated PostgresConnection
    ) throws -> Int64 {
        var bindings = PostgresBindings()
        bindings.append(kind.rawValue)
        bindings.append(time)
        bindings.append(source.author.description)
        bindings.append(source.files.map(\.name))
        bindings.append(byteas: source.files.map(\.sha256))
        guard let row = try connection.query(LoadStatements.begin, bindings).first else {
            throw StoredValueError(table: "load")
        }
        return try row.decode(at: 0)
    }

    private static func changes(of load: Int64, over connection: isolated PostgresConnection) throws -> RowChanges {
        guard let row = try connection.query(LoadStatements.changes, load.binding).first else {
            throw StoredValueError(table: "load")
        }
        var columns = ColumnCursor(row)
        return try RowChanges(&columns)
    }

    private static func plan(
        of load: Int64, _ kind: LoadKind, _ changes: RowChanges, _ time: PostgresTimestamp,
        over connection: isolated PostgresConnection
    ) throws -> LoadPlan {
        guard let row = try connection.query(LoadStatements.digest, load.binding).first else {
            throw StoredValueError(table: "load_row")
        }
        let digest: [UInt8] = try row.decode(at: 0)
        var bindings = load.binding
        bindings.append(LoadPlan.greatestCount)
        var (lostCosts, lostCostCount): ([LostCost], Int64) = ([], 0)
        if kind == .spend {
            let lost = try connection.query(SpendStatements.lostCosts, bindings)
            lostCosts = try lost.map(LostCost.init)
            lostCostCount = try lost.first?.decode(at: 6) ?? 0
        }
        return LoadPlan(
            rows: try connection.query(kind.table.rows, bindings).map(PlannedRow.init), lostCosts: lostCosts,
            lostCostCount: lostCostCount,
            confirmation: LoadConfirmation(digest: digest, changes: changes, shownAt: time))
    }

    private static func changed(
        _ shown: LoadConfirmation, _ now: LoadOutcome, _ kind: LoadKind, over connection: isolated PostgresConnection
    ) throws -> ChangedLoad {
        var since = PostgresBindings()
        since.append(kind.rawValue)
        since.append(now.load)
        since.append(shown.shownAt)
        var rows = now.load.binding
        rows.append(shown.shownAt)
        return ChangedLoad(
            shown: shown.changes, now: now,
            loads: try connection.query(LoadStatements.since, since).map(StoredLoad.init),
            rows: try connection.query(kind.table.rowsSince, rows).map { try $0.decode(at: 0) })
    }
}

extension LoadOutcome {
    /// The load as the trail has it.
    fileprivate func entry(_ kind: LoadKind, _ source: LoadSource, _ time: PostgresTimestamp) -> TrailEntry {
        TrailEntry(.load, of: "load \(load) of \(kind.rawValue)", by: source.author, at: time, changes.counts)
    }
}

extension Int64 {
    /// The parameters of a statement that takes a load alone.
    var binding: PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(self)
        return bindings
    }
}

extension LoadedTable {
    /// Notes what a file, whose rows are in `load_row`, changes, and does it.
    ///
    /// - Parameters:
    ///   - removesOthers: Whether stored rows that the file stands for and does not have are removed.
    ///   - check: Runs between the removal of rows and the writing of others.
    func apply(
        _ load: Int64, removingOthers removesOthers: Bool, over connection: isolated PostgresConnection,
        check: (isolated PostgresConnection) throws -> Void = { _ in }
    ) throws {
        let endings = endsRows ? try endingBindings(load, over: connection) : nil
        var bindings = load.binding
        bindings.append(removesOthers)
        _ = try connection.query(plan, bindings)
        _ = try connection.query(remove(.forward), load.binding)
        try check(connection)
        _ = try connection.query(write(.forward), load.binding)
        if let endings { _ = try connection.query(noteEndings, endings) }
    }

    /// The parameters of `noteEndings`: the load, and the last days of rows before it.
    private func endingBindings(
        _ load: Int64, over connection: isolated PostgresConnection
    ) throws -> PostgresBindings {
        var mappings: [Int32] = []
        var lastDays: [PostgresDate] = []
        var areGiven: [Bool] = []
        for row in try connection.query(self.lastDays, load.binding) {
            var columns = ColumnCursor(row)
            mappings.append(try columns.next())
            lastDays.append(try columns.next())
            areGiven.append(try columns.next())
        }
        var bindings = load.binding
        bindings.append(mappings)
        bindings.append(lastDays)
        bindings.append(areGiven)
        return bindings
    }
}
