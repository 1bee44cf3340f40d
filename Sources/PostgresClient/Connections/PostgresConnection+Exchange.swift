import CLibPQ

/// What queries, pipelines and transactions share: to prepare a statement, and to send and receive.
extension PostgresConnection {
    /// Returns the text, or throws if it has a zero character: libpq would end the text there.
    func sendable(_ text: String) throws(PostgresError) -> String {
        guard !text.utf8.contains(0) else { throw PostgresError(.server, sqlState: .characterNotInRepertoire) }
        return text
    }

    /// Runs a command that belongs to the client itself, such as BEGIN.
    @discardableResult
    func control(_ command: String, for name: String) throws(PostgresError) -> ResultStorage {
        try exchange(command == Self.commit ? .commit : .nothing) { handle in
            PQsendQueryParams(handle, PostgresStatement.text(named: name, command), 0, nil, nil, nil, nil, 1)
        }
    }

    static var commit: String { "COMMIT" }

    /// What an exchange may commit.
    ///
    /// A statement commits only outside a transaction.
    enum Effect {
        case nothing
        case statement
        case commit
    }

    /// Sends and receives.
    ///
    /// If a failure leaves open whether work was committed, the error says so.
    func exchange(
        _ effect: Effect,
        _ send: (OpaquePointer) -> Int32
    ) throws(PostgresError) -> ResultStorage {
        try exchange(effect) { (session, timeout) throws(PostgresError) in
            try session.exchange(within: timeout, send)
        }
    }

    /// The same for several statements.
    ///
    /// The server applies the statement timeout to each of them.
    func exchange<T>(
        _ effect: Effect,
        statements: Int = 1,
        _ body: (Session, Duration) throws(PostgresError) -> T
    ) throws(PostgresError) -> T {
        guard let session, session.isOpen else {
            close()
            throw PostgresError(.connectionLost)
        }
        let commits = effect == .commit || (effect == .statement && session.transactionStatus == PQTRANS_IDLE)
        do {
            let timeout = transactionTimeout ?? configuration.statementTimeout
            return try body(session, timeout * statements + configuration.answerGrace)
        } catch {
            var error = error
            // The server may complete a COPY, and what was sent with it, before it sees that the client is gone.
            let isUnanswered =
                error.isConnectionLoss || [.deadlineExceeded, .interrupted, .copyRefused].contains(error.code)
            error.isOutcomeUnknown = (commits && isUnanswered) || error.code == .notReplicated
            throw error
        }
    }

    /// Adds the statement's name to an error, and remembers the first failure of a transaction.
    func describing<T>(
        _ name: String,
        _ body: () throws(PostgresError) -> T
    ) throws(PostgresError) -> T {
        do {
            return try body()
        } catch {
            var error = error
            error.statement = name
            if error.isReadOnlySession { isReadOnly = true }
            if transactionFailure == nil { transactionFailure = error }
            throw error
        }
    }
}

extension PostgresConnection {
    /// Prepares a statement unless it is prepared, and uses it.
    ///
    /// If the store of prepared statements is full, the one that was not used for the longest time is deallocated.
    ///
    /// - Parameter moment: An earlier value of `prepared.uses`. Statements that were used later are not deallocated.
    /// - Returns: The name under which the server knows the statement.
    func prepare(
        _ key: PreparedStatements.Key,
        keepingUsedSince moment: UInt64
    ) throws(PostgresError) -> String {
        if let name = prepared.use(key) { return name }
        let text = try sendable(key.statement.text)
        while let unused = prepared.statementToRemove(unusedSince: moment) {
            try deallocate(unused)
        }
        let name = prepared.makeName(for: key.statement)
        let types = key.types.map(\.id)
        _ = try exchange(.nothing) { handle in
            types.withUnsafeBufferPointer { PQsendPrepare(handle, name, text, Int32($0.count), $0.baseAddress) }
        }
        prepared.add(key, as: name)
        return name
    }

    /// Removes a prepared statement from the server and from the store.
    ///
    /// Outside a transaction it is no error if the server does not know the statement.
    func deallocate(_ key: PreparedStatements.Key) throws(PostgresError) {
        guard let name = prepared[key] else { return }
        do throws(PostgresError) {
            try control("DEALLOCATE \"\(name)\"", for: key.statement.name)
        } catch {
            guard error.sqlState == .invalidStatementName else { throw error }
            prepared.remove(key)
            guard session?.transactionStatus == PQTRANS_IDLE else { throw error }
        }
        prepared.remove(key)
    }
}

extension PostgresError {
    /// True if a prepared statement may have become unusable: a migration changed its columns, or it was deallocated.
    var isUnusablePreparation: Bool {
        sqlState == .featureNotSupported || sqlState == .invalidStatementName
    }
}
