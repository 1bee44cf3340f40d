import CLibPQ

extension PostgresConnection {
    /// Runs several statements in one round trip: all of them or none.
    ///
    /// Outside a transaction the statements are a transaction of their own, which is committed at their end. Inside a
    /// transaction they belong to it. A statement starts after the one before it has ended. With the isolation level
    /// READ COMMITTED each statement sees what was committed before it started. If the first one waits for a lock, the
    /// second one therefore sees what the former owner of the lock committed.
    ///
    /// Statements are prepared at their first use on this connection, before the first one runs. So a statement can't
    /// use a table that an earlier one creates. The steps must not contain BEGIN, COMMIT or ROLLBACK, nor a statement
    /// that can't run in a transaction, such as VACUUM. The rule "all or none" would not hold then.
    ///
    /// Each statement may take the statement timeout. If no answer comes, the client waits for the sum of these times
    /// and `answerGrace`. Unusable prepared statements are handled as in `query`: outside a transaction all steps run
    /// again, once.
    ///
    /// - Parameter steps: The statements in order, with at most 1 GiB of values in total. Nothing happens if there are
    ///   none.
    /// - Returns: A result for each step, in the same order.
    /// - Throws: The error of the first step that failed, with its name; as `query`. An error of the commit, such as a
    ///   deferred constraint, has the name of the last step. The connection can be used afterwards unless it is lost.
    ///   If `isOutcomeUnknown` is set, the work may have been committed.
    @discardableResult
    package func pipeline(_ steps: [PostgresPipelineStep]) throws(PostgresError) -> [PostgresResult] {
        try checkLimits(steps)
        let keys = steps.map { PreparedStatements.Key(statement: $0.statement, types: $0.bindings.types) }
        let names = try prepare(keys)
        var results: [ResultStorage] = []
        do throws(PostgresError) {
            try run(steps, names, &results)
        } catch {
            guard error.isUnusablePreparation else { throw error }
            guard session?.transactionStatus == PQTRANS_IDLE else {
                if results.count < keys.count { prepared.remove(keys[results.count]) }
                throw error
            }
            // The change that made one statement unusable may concern the others: all are prepared again.
            for key in keys {
                try describing(key.statement.name) { () throws(PostgresError) in try deallocate(key) }
            }
            try run(steps, prepare(keys), &results)
        }
        return results.map(PostgresResult.init)
    }

    private func checkLimits(_ steps: [PostgresPipelineStep]) throws(PostgresError) {
        var size = 0
        for step in steps {
            try describing(step.statement.name) { () throws(PostgresError) in
                try step.bindings.checkLimits()
                size += step.bindings.size
                guard size <= PostgresBindings.greatestSize else { throw PostgresError(.tooManyParameters) }
            }
        }
    }

    /// Prepares what is not prepared; returns the names under which the server knows the statements.
    private func prepare(_ keys: [PreparedStatements.Key]) throws(PostgresError) -> [String] {
        let moment = prepared.uses
        // Use those that are already prepared first, so that none of them is deallocated for another one.
        var known: [String?] = []
        for key in keys { known.append(prepared.use(key)) }
        var names: [String] = []
        for (key, name) in zip(keys, known) {
            if let name {
                names.append(name)
                continue
            }
            try describing(key.statement.name) { () throws(PostgresError) in
                names.append(try prepare(key, keepingUsedSince: moment))
            }
        }
        return names
    }

    /// Sends the steps and receives their results; after an error `results` has those of the steps before it.
    private func run(
        _ steps: [PostgresPipelineStep],
        _ names: [String],
        _ results: inout [ResultStorage]
    ) throws(PostgresError) {
        results = []
        guard let last = steps.last else { return }
        var received: [ResultStorage] = []
        do throws(PostgresError) {
            try exchange(.statement, statements: steps.count) { (session, timeout) throws(PostgresError) in
                try session.pipeline(steps.count, within: timeout, into: &received) { handle, step in
                    steps[step].bindings.sendPrepared(names[step], on: handle)
                }
            }
            results = received
        } catch {
            results = received
            let failed = received.count < steps.count ? steps[received.count] : last
            try describing(failed.statement.name) { () throws(PostgresError) in throw error }
        }
    }
}

/// A statement of a pipeline, with its values.
package struct PostgresPipelineStep: Sendable {
    /// A single statement, no COPY.
    package let statement: PostgresStatement
    /// A value for each parameter of the statement.
    package let bindings: PostgresBindings

    /// Takes a statement and its values.
    ///
    /// - Parameters:
    ///   - statement: A single statement, no COPY.
    ///   - bindings: A value for each of its parameters.
    package init(_ statement: PostgresStatement, _ bindings: PostgresBindings = PostgresBindings()) {
        self.statement = statement
        self.bindings = bindings
    }
}
