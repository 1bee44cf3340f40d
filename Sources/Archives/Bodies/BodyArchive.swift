import EventLog
package import PostbackStore
package import PostgresClient

/// The days of bodies, for a session that archives them.
///
/// While it works on a day, nobody else changes days that are over: it holds the lock of retention for its session. If
/// the program dies, the database gives the lock back.
package struct BodyArchive: Sendable {
    private let store: PostbackStore
    private let connection: PostgresConnection
    private let lanes: [Int16]

    /// How many bodies are read at once: some megabytes.
    private static let pageSize: Int64 = 2_000

    /// Makes an archive of a store's bodies.
    ///
    /// - Parameter connection: A session of the same database for nothing but this; close it afterwards.
    package init(_ store: PostbackStore, over connection: PostgresConnection) async throws {
        self.store = store
        self.connection = connection
        lanes = try await store.lanes().lanes.map(\.number).sorted()
        try await connection.query(PostgresStatement("archive_planning", "SET enable_seqscan = off"))
    }

    /// The days of bodies before a day, in order, as far as they are over.
    package func days(before day: PostgresDate) async throws -> [PostgresDate] {
        try await store.moveIdleLanes(beyond: min(day.before, store.today.before))
        var bindings = PostgresBindings()
        bindings.append(date: day)
        return try await connection.query(BodyArchiveStatements.days, bindings).map { try $0.decode(at: 0) }
    }

    /// Runs a body while nobody else works on days.
    package func alone<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        _ = try await connection.query(BodyArchiveStatements.lock)
        do {
            let value = try await body()
            _ = try await connection.query(BodyArchiveStatements.unlock)
            return value
        } catch {
            _ = try? await connection.query(BodyArchiveStatements.unlock)
            throw error
        }
    }

    /// The readers of the log that need a day; nil if its bodies are not there.
    package func readers(in day: PostgresDate) async throws -> [String]? {
        var bindings = PostgresBindings()
        bindings.append(date: day)
        guard let row = try await connection.query(BodyArchiveStatements.need, bindings).first,
            try row.decode(Bool.self, at: 0)
        else { return nil }
        return try row.decode(String.self, at: 1).split(separator: " ").map(String.init)
    }

    /// Passes on the bodies of a day, by lane and in the order in which they were written.
    package func read(_ day: PostgresDate, _ body: (ArchivedBody) async throws -> Void) async throws {
        let page = BodyArchiveStatements.page(day)
        for lane in lanes {
            var last: (position: Int64, ordinal: Int16) = (0, 0)
            while true {
                var bindings = PostgresBindings()
                bindings.append(lane)
                bindings.append(last.position)
                bindings.append(last.ordinal)
                bindings.append(Self.pageSize)
                let bodies = try await connection.query(page, bindings).map { row in
                    var columns = ColumnCursor(row)
                    return try ArchivedBody(&columns)
                }
                for one in bodies { try await body(one) }
                guard let end = bodies.last, bodies.count == Int(Self.pageSize) else { break }
                last = (end.position, end.ordinal)
            }
        }
    }

    /// Drops a day whose bodies are archived.
    ///
    /// It tries for a minute to get the lock that it needs, for a tenth of a second each time.
    ///
    /// - Parameter archive: The name of the file, the number of bodies and the digest of the lines; nil if the day has
    ///   no bodies.
    /// - Returns: The readers that need the day, so that it was not dropped.
    package func drop(
        _ day: PostgresDate, archive: (name: String, bodies: Int64, sha256: [UInt8])?
    ) async throws -> [String] {
        var bindings = PostgresBindings()
        bindings.append(date: day)
        bindings.append(archive?.name)
        bindings.append(archive?.bodies)
        bindings.append(bytea: archive?.sha256)
        let deadline = ContinuousClock.now.advanced(by: .seconds(60))
        while true {
            if let result = try await dropped(bindings) {
                return try result.first?.decode(String.self, at: 1).split(separator: " ").map(String.init) ?? []
            }
            guard ContinuousClock.now < deadline else { throw BodyArchiveError.locked(day) }
            try await Task.sleep(for: .milliseconds(300))
        }
    }

    /// Tries to drop a day; nil if the lock was not free.
    private func dropped(_ bindings: PostgresBindings) async throws -> PostgresResult? {
        do throws(PostgresError) {
            return try await connection.query(BodyArchiveStatements.drop, bindings)
        } catch {
            guard error.sqlState == .lockNotAvailable else { throw error }
            return nil
        }
    }
}

/// Why a day can't be dropped.
package enum BodyArchiveError: Error, Sendable, CustomStringConvertible {
    /// Somebody holds the bodies for long.
    case locked(PostgresDate)

    /// What is wrong, and what to do about it.
    package var description: String {
        switch self {
        case .locked(let day):
            "the day \(day) is archived but not dropped: a long report or a dump reads the bodies; run it again later"
        }
    }
}

extension PostgresDate {
    /// The day before.
    fileprivate var before: PostgresDate { PostgresDate(daysSince2000: daysSince2000 - 1) }
}
