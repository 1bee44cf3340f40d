import PostgresClient

extension PostbackStore {
    /// Adds what the log holds beyond the sums of answers to them, then folds apps anew whose schemes changed for past
    /// days.
    ///
    /// One server does this at a time.
    /// - Parameter waits: Whether to wait while another server does it; else this returns at once then.
    /// - Returns: How many events were folded.
    @discardableResult
    package func foldAnswers(waits: Bool = false) async throws -> Int {
        let events = try await fold(.answers, waits: waits)
        try await refoldAnswers(waits: waits)
        return events
    }

    /// The same in one transaction for a part of the events.
    ///
    /// Apps are folded anew if it was the last part.
    /// - Returns: Whether there was nothing more to fold; nil if another server is at it.
    package func foldPartOfAnswers() async throws -> Bool? {
        let lanes = try await lanes().lanes.map(\.number)
        let limit = FoldingReader.answers.eventsAtOnce / lanes.count
        guard let events = try await fold(.answers, lanes, limit: limit) else { return nil }
        if events >= limit { return false }
        try await refoldAnswers()
        return true
    }

    /// Whether folding answers should leave the database to counting: many postbacks arrive, and reports of answers are
    /// less than an hour behind.
    package func answersMayWait() async throws -> Bool {
        try await pool.withConnection { connection in
            try connection.query(Self.mayWait).first?.decode(Bool.self, at: 0) == true
        }
    }

    /// Folds apps anew whose schemes changed for past days, those first that wait longest.
    private func refoldAnswers(waits: Bool = false) async throws {
        let apps = try await pool.withConnection { connection in
            try connection.query(Self.requests).map { try $0.decode(Int64.self, at: 0) }
        }
        for app in apps {
            guard try await refoldAnswers(ofApp: app, waits: waits) else { return }
        }
    }

    /// Folds the answers of an app anew.
    ///
    /// Reports show the old answers until it commits.
    /// - Returns: Whether it was done; false if another server is at it.
    private func refoldAnswers(ofApp app: Int64, waits: Bool) async throws -> Bool {
        var bindings = PostgresBindings()
        bindings.append(app)
        let key = bindings
        return try await pool.withTransaction("refold_answers", statementTimeout: .seconds(3_600)) { connection in
            guard try FoldingReader.answers.isLocked(waits: waits, over: connection) else { return false }
            _ = try connection.query(Self.refold, key)
            return true
        }
    }

    private static let requests = PostgresStatement(
        "answers_to_refold", "SELECT advertised_app_id FROM attribution.answer_refold ORDER BY requested_at")

    private static let refold = PostgresStatement("refold_answers", "SELECT attribution.refold_answers($1)")

    /// A thousand postbacks a second take about a tenth of one core of the database.
    private static let mayWait = PostgresStatement(
        "answers_may_wait",
        """
        SELECT attribution.events_of_last_second(1000) >= 1000
               AND attribution.answers_up_to() > now() - interval '1 hour'
        """)
}
