import CLibPQ

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
