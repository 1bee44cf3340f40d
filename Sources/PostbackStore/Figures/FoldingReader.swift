package import PostgresClient

/// A reader of the log that adds its events to daily tables.
package enum FoldingReader: CaseIterable {
    /// Counts, several times a minute.
    case figures
    /// Events, revenue and missing values, less often.
    case answers

    /// The number of events that are folded in one transaction, of all lanes together.
    ///
    /// The more there are, the less each costs: all events of a row of a daily table become one update. An event costs
    /// several times as much for `answers` as for `figures`.
    var eventsAtOnce: Int {
        switch self {
        case .figures: 1_000_000
        case .answers: 200_000
        }
    }

    /// Locks the reader to the end of the transaction, so that one fold at a time is under way.
    ///
    /// - Parameter waits: Whether to wait while another transaction has the lock.
    /// - Returns: Whether the transaction got the lock; always true if it waits.
    package func isLocked(waits: Bool, over connection: isolated PostgresConnection) throws -> Bool {
        var bindings = PostgresBindings()
        bindings.append(lockNumber)
        return try connection.query(waits ? Self.waitForLock : Self.tryLock, bindings).first?
            .decode(Bool.self, at: 0) == true
    }

    /// The parameters of `fold`: the lanes, and about how many events of each.
    func bindings(_ lanes: [Int16], limit: Int) -> PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(lanes)
        bindings.append(Int64(limit))
        return bindings
    }

    /// Adds events to the tables and returns their number.
    var fold: PostgresStatement {
        switch self {
        case .figures: PostgresStatement("fold_lanes", "SELECT attribution.fold($1, $2)")
        case .answers: PostgresStatement("fold_answers", "SELECT attribution.fold_answers($1, $2)")
        }
    }

    /// The number of the reader's advisory lock; any fixed numbers do.
    var lockNumber: Int64 {
        switch self {
        case .figures: 7_421_001_643
        case .answers: 7_421_001_650
        }
    }

    private static let tryLock = PostgresStatement("fold_lock", "SELECT pg_try_advisory_xact_lock($1)")
    private static let waitForLock = PostgresStatement("fold_lock_wait", "SELECT true FROM pg_advisory_xact_lock($1)")
}
