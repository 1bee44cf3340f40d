import PostgresClient

/// A reader of the log that adds its events to daily tables.
enum FoldingReader {
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

    /// Whether the transaction got the lock of the reader, which it holds to its end; true if it waits for it.
    func isLocked(waits: Bool, over connection: isolated PostgresConnection) throws -> Bool {
        try connection.query(waits ? waitingLock : lock).first?.decode(Bool.self, at: 0) == true
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

    /// Lets one fold at a time, to the end of the transaction; any fixed numbers do.
    private var lock: PostgresStatement {
        switch self {
        case .figures: PostgresStatement("fold_lock", "SELECT pg_try_advisory_xact_lock(7421001643)")
        case .answers: PostgresStatement("fold_answers_lock", "SELECT pg_try_advisory_xact_lock(7421001650)")
        }
    }

    /// The same lock, as soon as nobody else has it.
    private var waitingLock: PostgresStatement {
        switch self {
        case .figures: PostgresStatement("fold_lock_wait", "SELECT true FROM pg_advisory_xact_lock(7421001643)")
        case .answers: PostgresStatement("fold_answers_lock_wait", "SELECT true FROM pg_advisory_xact_lock(7421001650)")
        }
    }
}
