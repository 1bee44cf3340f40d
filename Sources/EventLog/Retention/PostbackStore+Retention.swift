package import PostbackStore
package import PostgresClient

extension PostbackStore {
    /// How often a day is tried if the lock that it needs is not free.
    private static let attempts = 5

    /// Drops the days that are past their retention, the oldest first.
    ///
    /// A day stays while a reader of the log has not read it. If it has been over for longer than `readerDays`, the
    /// reader is removed instead. Counting waits for a tenth of a second at most, for each attempt. One server at a
    /// time drops a day; another one takes its place at once if it dies.
    ///
    /// - Throws: An error of the database if nothing was tried. Later errors are in the report, with what was done
    ///   before.
    package func dropExpiredDays(_ rules: RetentionRules) async throws -> RetentionReport {
        var report = RetentionReport()
        guard rules.bodyDays != nil || rules.logDays != nil else { return report }
        let expired = try await expiredDays(rules)
        guard let last = expired.map(\.day.day).max() else { return report }
        try await moveIdleLanes(beyond: last)
        for (day, age) in expired {
            let removesReaders = rules.readerDays.map { age >= $0 } ?? false
            do {
                guard try await drop(day, removingReaders: removesReaders, &report) else {
                    report.busy = day
                    break
                }
            } catch {
                report.failure = error
                break
            }
        }
        return report
    }

    /// The first day of the bodies and of the log; a part without days has none.
    package func oldestDays() async throws -> [DayPart: PostgresDate] {
        try await pool.withConnection { connection in
            try connection.query(RetentionStatements.oldest).reduce(into: [:]) { days, row in
                guard let part = DayPart(rawValue: try row.decode(at: 0)) else { return }
                days[part] = try row.decode(PostgresDate?.self, at: 1)
            }
        }
    }

    private func expiredDays(_ rules: RetentionRules) async throws -> [(day: WrittenDay, age: Int32)] {
        var bindings = PostgresBindings()
        bindings.append(rules.bodyDays)
        bindings.append(rules.logDays)
        let parameters = bindings
        return try await pool.withConnection { connection in
            try connection.query(RetentionStatements.expired, parameters).compactMap { row in
                guard let part = DayPart(rawValue: try row.decode(at: 0)) else { return nil }
                return (WrittenDay(part: part, day: try row.decode(at: 1)), try row.decode(Int32.self, at: 2))
            }
        }
    }

    /// Moves lanes to today in which nothing was written since a day.
    ///
    /// A day is over only when no lane writes in it any more.
    package func moveIdleLanes(beyond day: PostgresDate) async throws {
        var bindings = PostgresBindings()
        bindings.append(date: day)
        let parameters = bindings
        let idle = try await pool.withConnection { connection in
            try connection.query(RetentionStatements.lanesAt, parameters).map { try $0.decode(Int16.self, at: 0) }
        }
        for lane in idle { try await moveDay(of: lane, to: today) }
    }

    /// Drops a day, unless a reader needs it.
    ///
    /// - Returns: False if the lock was not free.
    private func drop(
        _ day: WrittenDay, removingReaders: Bool, _ report: inout RetentionReport
    ) async throws -> Bool {
        var bindings = PostgresBindings()
        bindings.append(day.part.rawValue)
        bindings.append(date: day.day)
        bindings.append(removingReaders)
        let parameters = bindings
        for attempt in 1...Self.attempts {
            do {
                let outcome = try await pool.withTransaction("drop_day") { connection in
                    try connection.query(RetentionStatements.drop, parameters).first.map { row in
                        (
                            isDropped: try row.decode(Bool.self, at: 0), needed: try row.decode(String.self, at: 1),
                            removed: try row.decode(String.self, at: 2)
                        )
                    }
                }
                guard let outcome else { return true }
                if outcome.isDropped { report.dropped.append(day) }
                report.droppedReaders += outcome.removed.split(separator: " ").map { (String($0), day) }
                let needed = outcome.needed.split(separator: " ").map(String.init)
                if !needed.isEmpty { report.held.append(RetentionReport.Held(day: day, readers: needed)) }
                return true
            } catch let error as PostgresError where error.sqlState == .objectInUse {
                // The database's clock or a lane says that the day is not over yet.
                return true
            } catch let error as PostgresError where error.sqlState == .lockNotAvailable {
                guard attempt < Self.attempts else { return false }
                try await Task.sleep(for: .milliseconds(300))
            }
        }
        return false
    }
}
