import TestSupport

/// An app with postbacks, a scheme and customers, for tests of what stands between them: app 7 of `AnswerRows`.
enum StoreAnswers {
    /// Stores lines, answers and sales, and a scheme whose values bring nothing, 1 to 3 twice, and 5 and more.
    ///
    /// - Parameter copies: Whether the app has a line of copies (8).
    static func store(
        _ rows: [AnswerRows.Row], _ sales: [StoreRow], copies: Bool = false, in database: TestDatabase
    ) async throws {
        try await AnswerRows.store(rows, in: database)
        if !copies { try await database.run("DELETE FROM attribution.line WHERE line = 8") }
        try await StoreRow.store(sales, in: database)
        let meanings = ["0, 0, 0", "1, 1, 3", "2, 1, 3", "3, 5, NULL"].map {
            "(7, '2026-06-01 00:00Z', 0, 'purchase', 1, 1, false, \($0))"
        }
        try await database.run(
            """
            INSERT INTO attribution.store_app_id (bundle_id, app_id) VALUES ('com.example.app', 7);
            INSERT INTO attribution.conversion_scheme (
                   advertised_app_id, valid_from, name, currency, measurement_window_hours, document, sha256,
                   loaded_at)
            VALUES (7, '2026-06-01 00:00Z', 'amounts', 'USD', 72, '{}', '', now());
            INSERT INTO attribution.conversion_meaning (
                   advertised_app_id, valid_from, sequence_index, event, count_low, count_high, locks, fine, revenue_low,
                   revenue_high)
            VALUES \(meanings.joined(separator: ", "))
            """)
    }

    /// One dollar is half a unit of a currency from a day on.
    static func storeRate(of currency: String, in database: TestDatabase) async throws {
        try await database.run(
            """
            INSERT INTO attribution.currency_rate (day, currency, units_per_usd, loaded_at)
            VALUES ('2026-07-06', '\(currency)', 0.5, now())
            """)
    }
}
