package import PostbackStore
package import PostgresClient

extension PostbackStore {
    /// The pages of a day that are changed in one transaction: about ten thousand bodies.
    private static let pagesAtOnce: Int64 = 2_000

    /// Removes source addresses and User-Agents of bodies that are past their retention, of the first day that has
    /// some.
    ///
    /// Bodies are changed in portions. After each one this rests as long as it took. If a server dies meanwhile,
    /// another one goes through the day again.
    ///
    /// - Returns: The day, if one is done; nil if there was nothing to do, or somebody else works on days.
    package func forgetAddresses(_ rules: RetentionRules) async throws -> PostgresDate? {
        guard let days = rules.addressDays else { return nil }
        do {
            guard let day = try await addressDay(days) else { return nil }
            try await moveIdleLanes(beyond: day)
            try await forgetAddresses(of: day)
            return day
        } catch let error as PostgresError where error.sqlState == .lockNotAvailable {
            return nil
        }
    }

    private func addressDay(_ days: Int32) async throws -> PostgresDate? {
        var bindings = PostgresBindings()
        bindings.append(days)
        let parameters = bindings
        return try await pool.withConnection { connection in
            try connection.query(RetentionStatements.addressDay, parameters).first?
                .decode(PostgresDate?.self, at: 0) ?? nil
        }
    }

    private func forgetAddresses(of day: PostgresDate) async throws {
        var key = PostgresBindings()
        key.append(date: day)
        let bindings = key
        let pages = try await pool.withStatement("begin_to_forget") { connection in
            try connection.query(RetentionStatements.beginToForget, bindings).first?.decode(Int64?.self, at: 0) ?? nil
        }
        guard let pages else { return }
        for first in stride(from: 0, to: pages, by: Int(Self.pagesAtOnce)) {
            var bindings = PostgresBindings()
            bindings.append(date: day)
            bindings.append(Int64(first))
            bindings.append(Self.pagesAtOnce)
            let parameters = bindings
            let begin = ContinuousClock.now
            try await pool.withStatement("forget_addresses") { connection in
                _ = try connection.query(RetentionStatements.forgetAddresses, parameters)
            }
            try await Task.sleep(for: ContinuousClock.now - begin)
        }
        try await pool.withStatement("forgotten_addresses") { connection in
            _ = try connection.query(RetentionStatements.forgotten, bindings)
        }
    }

    /// Removes source addresses and User-Agents in the quarantine that are past their retention.
    package func forgetRejectedAddresses(_ rules: RetentionRules) async throws {
        guard let days = rules.addressDays else { return }
        let atOnce: Int64 = 1_000
        var bindings = PostgresBindings()
        bindings.append(days)
        bindings.append(atOnce)
        let parameters = bindings
        var count = atOnce
        do {
            while count == atOnce {
                count = try await pool.withStatement("forget_rejected") { connection in
                    try connection.query(RetentionStatements.forgetRejected, parameters).first?
                        .decode(Int64.self, at: 0) ?? 0
                }
            }
        } catch let error as PostgresError where error.sqlState == .lockNotAvailable {
            // Servers are writing to the quarantine. The rest is removed next time.
        }
    }
}
