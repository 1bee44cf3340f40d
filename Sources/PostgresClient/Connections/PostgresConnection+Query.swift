import CLibPQ

extension PostgresConnection {
    /// Runs a statement.
    ///
    /// It is prepared at its first use on this connection. Parameters and results are binary. If a migration made a
    /// prepared statement unusable, it is prepared again outside a transaction; inside a transaction the error ends the
    /// transaction.
    ///
    /// - Parameters:
    ///   - statement: A single statement, no COPY.
    ///   - bindings: A value for each of its parameters.
    /// - Throws: The server's error, `deadlineExceeded`, `connectionLost`, `tooManyParameters`, `copyRefused`,
    ///   `notReplicated`.
    @discardableResult
    package func query(
        _ statement: PostgresStatement,
        _ bindings: PostgresBindings = PostgresBindings()
    ) throws(PostgresError) -> PostgresResult {
        try describing(statement.name) { () throws(PostgresError) in
            try bindings.checkLimits()
            let key = PreparedStatements.Key(statement: statement, types: bindings.types)
            do throws(PostgresError) {
                return PostgresResult(try run(key, bindings))
            } catch {
                guard error.isUnusablePreparation, prepared[key] != nil else { throw error }
                guard session?.transactionStatus == PQTRANS_IDLE else {
                    prepared.remove(key)
                    throw error
                }
                try deallocate(key)
                return PostgresResult(try run(key, bindings))
            }
        }
    }

    /// Runs a statement that can't be prepared, such as VACUUM.
    ///
    /// - Throws: As `query`.
    package func run(_ statement: PostgresStatement) throws(PostgresError) {
        try describing(statement.name) { () throws(PostgresError) in
            let text = try sendable(statement.text)
            _ = try exchange(.statement) { PQsendQuery($0, text) }
        }
    }

    /// Runs a text of several statements without parameters, in one transaction unless the text contains COMMIT.
    ///
    /// For migrations only: the text must be a constant of the program, because nothing in it is bound.
    ///
    /// - Parameters:
    ///   - script: The statements, separated by semicolons.
    ///   - name: Shown in errors, with the line of the script, and in `pg_stat_activity`.
    /// - Throws: The first error of the server, `deadlineExceeded`, `connectionLost`, `copyRefused`.
    package func execute(script: String, named name: String = "script") throws(PostgresError) {
        try describing(name) { () throws(PostgresError) in
            let text = try sendable(PostgresStatement.text(named: name, script))
            do throws(PostgresError) {
                _ = try exchange(.statement) { PQsendQuery($0, text) }
            } catch {
                var error = error
                error.line = Self.line(of: error, in: text)
                throw error
            }
        }
    }

    /// The line of a script with which an error has to do; the script is behind the line with its name.
    private static func line(of error: PostgresError, in text: String) -> Int? {
        guard error.sqlState != nil else { return nil }
        if let position = error.position {
            return text.unicodeScalars.prefix(max(0, position - 1)).count { $0 == "\n" }
        }
        let lines = ScriptStatements(text).lines
        return error.succeeded < lines.count ? lines[error.succeeded] - 1 : nil
    }

    /// Prepares the statement if it is not prepared, and executes it.
    private func run(
        _ key: PreparedStatements.Key,
        _ bindings: PostgresBindings
    ) throws(PostgresError) -> ResultStorage {
        let name = try prepare(key, keepingUsedSince: prepared.uses)
        return try exchange(.statement) { bindings.sendPrepared(name, on: $0) }
    }
}
