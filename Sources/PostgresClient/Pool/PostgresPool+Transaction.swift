import Logging

extension PostgresPool {
    /// Runs a body in a transaction.
    ///
    /// If the server answers 40001 or 40P01, the whole transaction runs again.
    ///
    /// There are at most five attempts, with growing pauses between them in which no connection is held. No other error
    /// is retried. The body may run several times, so it must not have effects outside the database, and it must not
    /// catch the client's errors.
    ///
    /// - Parameters:
    ///   - name: Shown in errors, logs and `pg_stat_activity`.
    ///   - isolation: What the transaction sees of other transactions.
    ///   - statementTimeout: The greatest time that a statement of it may take; nil for that of the configuration.
    ///   - ending: Whether what it did stays.
    ///   - body: The work; see `PostgresConnection.transaction`.
    /// - Throws: What `withConnection` and `PostgresConnection.transaction` throw.
    package func withTransaction<T: Sendable>(
        _ name: StaticString,
        isolation: PostgresConnection.Isolation = .readCommitted,
        statementTimeout: Duration? = nil,
        ending: PostgresConnection.Ending = .commit,
        _ body: @Sendable (isolated PostgresConnection) throws -> T
    ) async throws -> T {
        try await retrying(name) { connection in
            try connection.transaction(
                name, isolation: isolation, statementTimeout: statementTimeout, ending: ending, body)
        }
    }

    /// Runs a body that is a transaction by itself.
    ///
    /// If the server answers 40001 or 40P01, it runs again.
    ///
    /// The body is one call of `query` or one call of `pipeline`. With several calls, those before the failed one would
    /// already be committed and would run twice.
    ///
    /// - Throws: What `withConnection`, `PostgresConnection.query` and `PostgresConnection.pipeline` throw. If
    ///   `isOutcomeUnknown` is set, the work may have been committed.
    package func withStatement<T: Sendable>(
        _ name: StaticString, _ body: @Sendable (isolated PostgresConnection) throws -> T
    ) async throws -> T {
        try await retrying(name, body)
    }

    private func retrying<T: Sendable>(
        _ name: StaticString, _ body: @Sendable (isolated PostgresConnection) throws -> T
    ) async throws -> T {
        var pauses = Self.collisionPauses
        while true {
            do {
                return try await withConnection(body)
            } catch let error as PostgresError where error.isRetryableTransaction {
                let pause = pauses.fail(jitter: jitter())
                guard pauses.failures < Self.attempts else { throw error }
                logRepetition(of: name.description, error, attempt: pauses.failures)
                try await Task.sleep(for: pause)
            }
        }
    }

    /// Logs that a transaction runs again.
    ///
    /// - Parameters:
    ///   - name: The transaction or its statement.
    ///   - error: Why it runs again.
    ///   - attempt: How often it has failed.
    package func logRepetition(of name: String, _ error: PostgresError, attempt: Int) {
        logger.info(
            "transaction runs again",
            metadata: [
                "transaction": "\(name)", "sqlState": "\(error.sqlState?.code ?? "")", "attempt": "\(attempt)",
            ])
    }

    /// Logs that work failed which nobody waits for.
    ///
    /// - Parameters:
    ///   - name: The transaction or its statement.
    ///   - error: Why it failed.
    package func logFailure(of name: String, _ error: any Error) {
        logger.warning("transaction failed", metadata: ["transaction": "\(name)", "error": "\(error)"])
    }

    /// The greatest number of times that a transaction is run.
    package static var attempts: Int { 5 }

    /// The pauses between them.
    package static let collisionPauses = Backoff(shortest: .milliseconds(5), longest: .milliseconds(200))
}
