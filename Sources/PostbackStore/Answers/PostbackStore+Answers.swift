import PostgresClient

extension PostbackStore {
    /// Adds what the log holds beyond the sums of answers to them, then folds apps anew whose schemes changed for past
    /// days.
    ///
    /// One server does this at a time. If another one does, this returns at once.
    /// - Returns: How many events were folded.
    @discardableResult
    public func foldAnswers() async throws -> Int {
        let events = try await fold(.answers)
        for app in try await appsToRefold() {
            guard try await refoldAnswers(ofApp: app) else { break }
        }
        return events
    }

    /// The apps whose answers must be folded anew, those first that wait longest.
    private func appsToRefold() async throws -> [Int64] {
        try await pool.withConnection { connection in
            try connection.query(Self.requests).map { try $0.decode(Int64.self, at: 0) }
        }
    }

    /// Folds the answers of an app anew, in one snapshot in which the log and the state of the postbacks agree.
    ///
    /// Reports show the old answers until it commits.
    /// - Returns: Whether it was done; false if another server is at it.
    private func refoldAnswers(ofApp app: Int64) async throws -> Bool {
        let everything = FoldingReader.answers.bindings(try await lanes().lanes.map(\.number), limit: .max)
        var bindings = PostgresBindings()
        bindings.append(app)
        let key = bindings
        // If the lock was free only after the snapshot was taken, the reader's place has moved since. Then the fold fails
        // with 40001, and the transaction runs again.
        return try await pool.withTransaction(
            "refold_answers", isolation: .repeatableRead, statementTimeout: .seconds(600)
        ) { connection in
            guard try FoldingReader.answers.isLocked(over: connection) else { return false }
            _ = try connection.query(FoldingReader.answers.fold, everything)
            _ = try connection.query(Self.refold, key)
            return true
        }
    }

    private static let requests = PostgresStatement(
        "answers_to_refold", "SELECT advertised_app_id FROM attribution.answer_refold ORDER BY requested_at")

    private static let refold = PostgresStatement("refold_answers", "SELECT attribution.refold_answers($1)")
}
