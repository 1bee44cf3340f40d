import Dispatch
import PostgresClient
import Synchronization
import Testing

@Suite("Transactions", .enabled(if: ClientTestDatabase.isAvailable, ClientTestDatabase.reason))
struct TransactionTests {
    private struct Refusal: Error {}

    /// Holds two threads until both are there; on their first visit only.
    private final class Meeting: Sendable {
        private let visits = Mutex(0)
        private let first = DispatchSemaphore(value: 0)
        private let second = DispatchSemaphore(value: 0)

        var count: Int { visits.withLock { $0 } }

        func meet() {
            let visit = visits.withLock { visits in
                visits += 1
                return visits
            }
            if visit == 1 {
                second.signal()
                _ = first.wait(timeout: .now() + 60)
            } else if visit == 2 {
                first.signal()
                _ = second.wait(timeout: .now() + 60)
            }
        }
    }

    /// A table with two rows of a counter.
    private func makeTable() async throws -> String {
        let table = ClientTestDatabase.tableName()
        try await ClientTestDatabase.connected {
            try $0.execute(
                script: "CREATE TABLE \(table) (k int4 PRIMARY KEY, n int4); INSERT INTO \(table) VALUES (1, 0), (2, 0)"
            )
        }
        return table
    }

    private func add(_ table: String, _ key: Int) -> PostgresStatement {
        PostgresStatement("add", "UPDATE \(table) SET n = n + 1 WHERE k = \(key)")
    }

    private func counts(_ table: String) async throws -> [Int32] {
        try await ClientTestDatabase.connected { connection in
            try connection.query(PostgresStatement("counts", "SELECT n FROM \(table) ORDER BY k")).map { row in
                try row.decode(Int32.self, at: 0)
            }
        }
    }

    @Test("A transaction in a deadlock runs again")
    func deadlock() async throws {
        let table = try await makeTable()
        let log = LogRecorder()
        let pool = try ClientTestDatabase.pool(logger: log.logger) {
            $0.sessionSettings.append((name: "deadlock_timeout", value: "50ms"))
        }
        let meeting = Meeting()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for keys in [[1, 2], [2, 1]] {
                let (first, second) = (add(table, keys[0]), add(table, keys[1]))
                group.addTask {
                    try await pool.withTransaction("crosswise") { connection in
                        try connection.query(first)
                        meeting.meet()
                        try connection.query(second)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await counts(table) == [2, 2])
        // The server may end both, when both look for the deadlock at the same moment.
        #expect(meeting.count >= 3)
        #expect(
            log.lines.withLock { $0 }.contains(
                "info transaction runs again attempt=1 sqlState=40P01 transaction=crosswise"))
        await pool.close()
    }

    @Test("A transaction that can't be serialised runs again")
    func serialisation() async throws {
        let table = try await makeTable()
        let log = LogRecorder()
        let pool = try ClientTestDatabase.pool(logger: log.logger)
        let meeting = Meeting()
        let (read, add) = (PostgresStatement("read", "SELECT n FROM \(table)"), add(table, 1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    try await pool.withTransaction("snapshot", isolation: .repeatableRead) { connection in
                        try connection.query(read)
                        meeting.meet()
                        try connection.query(add)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await counts(table) == [2, 0])
        #expect(meeting.count == 3)
        #expect(
            log.lines.withLock { $0 }.contains(
                "info transaction runs again attempt=1 sqlState=40001 transaction=snapshot"))
        await pool.close()
    }

    @Test(
        "Attempts are bounded, and other errors are not retried",
        arguments: [("40001", 5), ("40P01", 5), ("23505", 1), ("57014", 1), ("0A000", 1)])
    func attempts(state: String, attempts: Int) async throws {
        let pool = try ClientTestDatabase.pool()
        let runs = Mutex(0)
        let fail = "DO $$ BEGIN RAISE EXCEPTION 'secret' USING ERRCODE = '\(state)'; END $$"
        let error = try await clientError {
            try await pool.withTransaction("failing") { connection in
                runs.withLock { $0 += 1 }
                try connection.query(PostgresStatement("raise", fail))
            }
        }
        #expect(error.sqlState?.code == state)
        #expect(runs.withLock { $0 } == attempts)
        #expect(pool.state.idle == 1)
        await pool.close()
    }

    @Test("A thrown error rolls back")
    func thrownError() async throws {
        let table = try await makeTable()
        let pool = try ClientTestDatabase.pool(size: 1)
        let add = add(table, 1)
        await #expect(throws: Refusal.self) {
            try await pool.withTransaction("refused") { connection in
                try connection.query(add)
                throw Refusal()
            }
        }
        #expect(try await counts(table) == [0, 0])
        #expect(pool.state.idle == 1)
        await pool.close()
    }

    @Test("A transaction whose body catches an error is not committed")
    func caughtError() async throws {
        let table = try await makeTable()
        let add = add(table, 1)
        let error = try await clientError {
            try await ClientTestDatabase.connected { connection in
                try connection.transaction("swallowing") { connection in
                    try connection.query(add)
                    _ = try? connection.query(PostgresStatement("divide", "SELECT 1 / 0"))
                    _ = try? connection.query(add)
                }
            }
        }
        #expect(error.sqlState?.code == "22012")
        #expect(error.statement == "divide")
        #expect(try await counts(table) == [0, 0])
    }

    @Test("A deferred violation is thrown at the commit")
    func deferred() async throws {
        let table = ClientTestDatabase.tableName()
        let error = try await clientError {
            try await ClientTestDatabase.connected { connection in
                try connection.execute(
                    script:
                        "CREATE TABLE \(table) (k int4, CONSTRAINT \(table)_later UNIQUE (k) DEFERRABLE INITIALLY DEFERRED)"
                )
                try connection.transaction("deferred") {
                    _ = try $0.query(PostgresStatement("twice", "INSERT INTO \(table) VALUES (1), (1)"))
                }
            }
        }
        #expect(error.sqlState == .uniqueViolation)
        #expect(error.constraint == "\(table)_later")
        #expect(error.statement == "deferred")
        #expect(!error.isOutcomeUnknown)
    }

    @Test("Transactions can't be nested")
    func nested() async throws {
        try await ClientTestDatabase.connected { connection in
            let error = #expect(throws: PostgresError.self) {
                try connection.transaction("outer") { try $0.transaction("inner") { _ in } }
            }
            #expect(error?.code == .transactionInProgress)
            let ended = #expect(throws: PostgresError.self) {
                try connection.transaction("ended") { try $0.execute(script: "COMMIT") }
            }
            #expect(ended?.code == .transactionAborted)
            try connection.transaction("after") { _ in }
        }
    }

    @Test("A transaction that a body leaves open is rolled back")
    func leftOpen() async throws {
        let table = try await makeTable()
        let pool = try ClientTestDatabase.pool(size: 1)
        let add = add(table, 1)
        try await pool.withConnection { connection in
            try connection.execute(script: "BEGIN")
            try connection.query(add)
        }
        #expect(pool.state.idle == 1)
        #expect(try await counts(table) == [0, 0])
        await pool.close()
    }
}
