import CLibPQ

extension PostgresConnection {
    /// What a transaction sees of other transactions (PostgreSQL manual, "Transaction Isolation").
    package enum Isolation: String, Sendable, CaseIterable {
        /// Each statement sees what was committed before it began; the default.
        case readCommitted = "READ COMMITTED"
        /// The whole transaction sees what was committed before its first statement; may fail with 40001.
        case repeatableRead = "REPEATABLE READ"
        /// As if transactions ran one after the other; may fail with 40001.
        case serializable = "SERIALIZABLE"
    }

    /// How a transaction ends if nothing fails.
    package enum Ending: Sendable {
        /// What it did stays.
        case commit
        /// It only shows what it would do.
        case rollback
    }

    /// Runs a body in a transaction: COMMIT if it returns, ROLLBACK if it throws.
    ///
    /// Nothing is retried. If a statement fails, the transaction fails, even if the body catches the error: that error
    /// is thrown then.
    ///
    /// - Parameters:
    ///   - name: Shown in errors and in `pg_stat_activity`.
    ///   - isolation: What the transaction sees of other transactions.
    ///   - statementTimeout: The greatest time that a statement of it may take; nil for that of the configuration.
    ///   - ending: Whether what it did stays.
    ///   - body: The work; it must not begin or end a transaction.
    /// - Throws: What the body throws; the errors of `query`; `transactionInProgress`, `transactionAborted`. If
    ///   `isOutcomeUnknown` is set, the work may have been committed.
    package func transaction<T: Sendable>(
        _ name: StaticString,
        isolation: Isolation = .readCommitted,
        statementTimeout: Duration? = nil,
        ending: Ending = .commit,
        _ body: (isolated PostgresConnection) throws -> T
    ) throws -> T {
        let name = name.description
        guard let session, session.isOpen else { throw PostgresError(.connectionLost, statement: name) }
        guard session.transactionStatus == PQTRANS_IDLE else {
            throw PostgresError(.transactionInProgress, statement: name)
        }
        transactionFailure = nil
        transactionTimeout = statementTimeout
        defer {
            transactionFailure = nil
            transactionTimeout = nil
        }
        try named(name) { () throws(PostgresError) in
            try control("BEGIN ISOLATION LEVEL \(isolation.rawValue)", for: name)
        }
        let value: T
        do {
            if let statementTimeout {
                try named(name) { () throws(PostgresError) in
                    try control("SET LOCAL statement_timeout = \(statementTimeout.serverMilliseconds)", for: name)
                }
            }
            value = try body(self)
        } catch {
            rollback(name)
            throw error
        }
        guard session.isOpen, session.transactionStatus == PQTRANS_INTRANS else {
            let failure = transactionFailure
            rollback(name)
            throw failure ?? PostgresError(session.isOpen ? .transactionAborted : .connectionLost, statement: name)
        }
        guard ending == .commit else {
            rollback(name)
            return value
        }
        try named(name) { () throws(PostgresError) in
            // If the transaction has failed, the server answers COMMIT with the tag ROLLBACK and no error.
            guard try control(Self.commit, for: name).commandTag == Self.commit else {
                throw PostgresError(.transactionAborted)
            }
        }
        return value
    }

    /// Rolls back if a transaction is open.
    ///
    /// If that fails, the connection is closed.
    private func rollback(_ name: String) {
        guard let session, session.isOpen, session.transactionStatus != PQTRANS_IDLE else { return }
        do throws(PostgresError) {
            try control("ROLLBACK", for: name)
        } catch {
            close()
        }
    }

    private func named(_ name: String, _ body: () throws(PostgresError) -> Void) throws(PostgresError) {
        do {
            try body()
        } catch {
            var error = error
            error.statement = name
            throw error
        }
    }
}
