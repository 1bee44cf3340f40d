package import PostbackStore
package import PostgresClient

extension PostbackStore {
    /// The greatest time that a statement of a recount may take.
    static var recountTimeout: Duration { .seconds(7 * 24 * 3_600) }

    /// Recounts all figures from the rows they are made of: figures and answers from the state of the postbacks, sizes
    /// of the quarantine from its rows.
    ///
    /// It is one snapshot and takes no lock, so it may run while servers write and fold, also on a cluster
    /// (definitions/recount.sql). While Citus commits a split of shards, a session may see one table from before the
    /// split and another one from after it. So on a cluster, what differs is recounted again after a pause, and counts
    /// only if it still differs.
    ///
    /// The result is remembered: see `lastRecount`.
    ///
    /// - Parameters:
    ///   - pause: The time between the first look and the second one on a cluster, longer than a commit of Citus takes.
    ///   - report: Called for each figure that differs, in the order of tables and lines.
    /// - Throws: What `report` throws, or an error of the database.
    package func recount(
        again pause: Duration = .seconds(20), _ report: @Sendable (FigureDifference) throws -> Void = { _ in }
    ) async throws -> Recount {
        try await recount(every: nil, again: pause, report) ?? Recount()
    }

    /// Recounts as `recount`, unless a recount of this database began less than an interval ago.
    ///
    /// It makes none either while another server makes one on its schedule.
    ///
    /// - Returns: What was found; nil if it was not time.
    package func recountIfDue(
        every interval: Duration, again pause: Duration = .seconds(20),
        _ report: @Sendable (FigureDifference) throws -> Void
    ) async throws -> Recount? {
        try await recount(every: interval, again: pause, report)
    }

    private func recount(
        every interval: Duration?, again pause: Duration, _ report: @Sendable (FigureDifference) throws -> Void
    ) async throws -> Recount? {
        let begin = ContinuousClock.now
        let isDistributed = try await lanes().isDistributed
        let first = try await recount(of: nil, every: interval) { if !isDistributed { try report($0) } }
        guard var result = first else { return nil }
        if isDistributed, result.differences > 0 {
            try await Task.sleep(for: pause)
            result = try await recount(of: result.lines, every: nil, report) ?? result
        }
        try await remember(result, seconds: (ContinuousClock.now - begin) / .seconds(1))
        return result
    }

    /// The last recount of this database, by whichever server or command.
    package func lastRecount() async throws -> RecountRun? {
        try await pool.withConnection { connection in
            try connection.query(RecountStatements.last).first.map { row in
                RecountRun(
                    beganAt: try row.decode(at: 0), seconds: try row.decode(at: 1), differences: try row.decode(at: 2))
            }
        }
    }

    /// Sums the figures and answers of some lines anew, and the sizes of the quarantine, in one transaction.
    ///
    /// Servers may write meanwhile. Folding waits, so reports of answers fall behind for as long as this takes, and
    /// reports of figures add up more events. Reports show the old figures until it commits.
    ///
    /// - Throws: `FiguresNotMended`, or an error of the database; then nothing has changed.
    package func mendFigures(of lines: Set<Int32>) async throws {
        var bindings = PostgresBindings()
        bindings.append(lines.sorted())
        let parameters = bindings
        try await pool.withTransaction("recount_mend", statementTimeout: Self.recountTimeout) { connection in
            for reader in FoldingReader.allCases { _ = try reader.isLocked(waits: true, over: connection) }
            _ = try connection.query(RecountStatements.mend, parameters)
            let rows = try connection.query(RecountStatements.left, parameters).first?.decode(Int64.self, at: 0) ?? 0
            guard rows == 0 else { throw FiguresNotMended(rows: rows) }
        }
    }

    /// Recounts some lines, or all, in one snapshot; nil if an interval is given and it is not time.
    private func recount(
        of lines: Set<Int32>?, every interval: Duration?, _ report: @Sendable (FigureDifference) throws -> Void
    ) async throws -> Recount? {
        var bindings = PostgresBindings()
        bindings.append(lines == nil)
        bindings.append((lines ?? []).sorted())
        let parameters = bindings
        // Not `withTransaction`, which may run a body twice: what was reported can't be taken back.
        return try await pool.withConnection { connection in
            try connection.transaction(
                "recount", isolation: .repeatableRead, statementTimeout: Self.recountTimeout
            ) { connection in
                if let interval {
                    guard try Self.isDue(every: interval, over: connection) else { return nil }
                }
                var result = Recount()
                result.waitingApps = try connection.query(RecountStatements.waitingApps).map { try $0.decode(at: 0) }
                try connection.query(RecountStatements.begin, parameters)
                while true {
                    let rows = try connection.query(RecountStatements.take)
                    guard !rows.isEmpty else { return result }
                    for row in rows {
                        let difference = try FigureDifference(row)
                        result.count(difference)
                        try report(difference)
                    }
                }
            }
        }
    }

    /// Whether the last recount began an interval ago, and no server is at one; if so, the transaction holds the lock.
    private static func isDue(every interval: Duration, over connection: isolated PostgresConnection) throws -> Bool {
        guard try connection.query(RecountStatements.lock).first?.decode(Bool.self, at: 0) == true else { return false }
        var bindings = PostgresBindings()
        bindings.append(interval / .seconds(1))
        return try connection.query(RecountStatements.isDue, bindings).first?.decode(Bool.self, at: 0) == true
    }

    private func remember(_ result: Recount, seconds: Double) async throws {
        var bindings = PostgresBindings()
        bindings.append(seconds)
        bindings.append(result.differences)
        let parameters = bindings
        try await pool.withTransaction("recount_store") { connection in
            _ = try connection.query(RecountStatements.store, parameters)
        }
    }
}

extension FigureDifference {
    fileprivate init(_ row: PostgresRow) throws(PostgresError) {
        var columns = ColumnCursor(row)
        table = try columns.next()
        key = try columns.next()
        line = try columns.next()
        campaign = try columns.next()
        figure = try columns.next()
        stored = try columns.next()
        recounted = try columns.next()
    }
}

/// A recount of a database.
package struct RecountRun: Sendable, Equatable {
    /// When it began, by the database's clock.
    package let beganAt: PostgresTimestamp
    /// How long it took.
    package let seconds: Double
    /// How many figures differed.
    package let differences: Int64
}
