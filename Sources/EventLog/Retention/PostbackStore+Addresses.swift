package import PostbackStore
package import PostgresClient

extension PostbackStore {
    /// The pages of a day that are changed in one transaction: about ten thousand bodies.
    private static let pagesAtOnce: Int64 = 2_000
    /// How often `forget` tries to get a lock: for half a minute.
    private static let lockAttempts = 100

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

    /// Removes an address, and the User-Agents of the deliveries that came from it, from all bodies and the quarantine.
    ///
    /// Bodies are changed in portions. What is written meanwhile may keep the address.
    ///
    /// - Throws: `PostgresError`; with 55P03 another server or command works on days, or the quarantine is written to.
    package func forget(_ address: IPAddress) async throws -> ForgottenAddress {
        var forgotten = ForgottenAddress()
        let days = try await pool.withConnection { connection in
            try connection.query(RetentionStatements.bodyDays).map { try $0.decode(PostgresDate.self, at: 0) }
        }
        for day in days {
            let bodies = try await forget(address, on: day)
            forgotten.bodies += bodies
            if bodies > 0 { forgotten.days += 1 }
        }
        let atOnce: Int64 = 1_000
        var bindings = PostgresBindings()
        bindings.append(atOnce)
        bindings.append("\(address)")
        let parameters = bindings
        var count = atOnce
        while count == atOnce {
            count = try await patiently {
                try await pool.withStatement("forget_rejected") { connection in
                    try connection.query(RetentionStatements.forgetRejectedOfAddress, parameters).first?
                        .decode(Int64.self, at: 0) ?? 0
                }
            }
            forgotten.refusals += count
        }
        forgotten.archives = try await pool.withConnection { connection in
            try connection.query(RetentionStatements.archives).map { try $0.decode(String.self, at: 0) }
        }
        return forgotten
    }

    /// - Returns: From how many bodies of the day it was removed.
    private func forget(_ address: IPAddress, on day: PostgresDate) async throws -> Int64 {
        var range = PostgresBindings()
        range.append(WritingDay.firstPosition(day))
        range.append("\(address)")
        var key = PostgresBindings()
        key.append(date: day)
        let (rangeParameters, dayParameters) = (range, key)
        let isThere = try await pool.withConnection { connection in
            try connection.query(RetentionStatements.hasAddress, rangeParameters).first?.decode(Bool.self, at: 0)
                ?? false
        }
        guard isThere else { return 0 }
        let pages = try await patiently {
            try await pool.withStatement("vacuum_at_once") { connection in
                try connection.query(RetentionStatements.vacuumAtOnce, dayParameters).first?
                    .decode(Int64?.self, at: 0) ?? nil
            }
        }
        var bodies: Int64 = 0
        // The last page may be of bodies that came after its size was read.
        for first in stride(from: 0, through: pages ?? 0, by: Int(Self.pagesAtOnce)) {
            var portion = PostgresBindings()
            portion.append(date: day)
            portion.append(Int64(first))
            portion.append(Self.pagesAtOnce)
            portion.append("\(address)")
            let parameters = portion
            bodies += try await patiently {
                try await pool.withStatement("forget_address") { connection in
                    try connection.query(RetentionStatements.forgetAddress, parameters).first?
                        .decode(Int64.self, at: 0) ?? 0
                }
            }
        }
        return bodies
    }

    /// Runs a body again if a lock that it needs is not free: servers hold such locks for moments.
    private func patiently<T: Sendable>(_ body: () async throws -> T) async throws -> T {
        for _ in 1..<Self.lockAttempts {
            do {
                return try await body()
            } catch let error as PostgresError where error.sqlState == .lockNotAvailable {
                try await Task.sleep(for: .milliseconds(300))
            }
        }
        return try await body()
    }
}

/// What was done to forget an address, and what was not.
package struct ForgottenAddress: Sendable, Equatable {
    /// The bodies from which it was removed.
    package var bodies: Int64 = 0
    /// The days of writing of these bodies.
    package var days = 0
    /// The rows of the quarantine from which it was removed.
    package var refusals: Int64 = 0
    /// The names of all archives, whose files may hold it.
    package var archives: [String] = []
}
