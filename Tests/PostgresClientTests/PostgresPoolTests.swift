import Dispatch
import PostgresClient
import Synchronization
import Testing

@Suite("The pool", .enabled(if: ClientTestDatabase.isAvailable, ClientTestDatabase.reason))
struct PostgresPoolTests {
    private static let one = PostgresStatement("one", "SELECT 1::int8")
    private static let backend = PostgresStatement("backend", "SELECT pg_backend_pid()")

    /// Takes a pool's only connection until the semaphore is signalled.
    private func hold(_ pool: PostgresPool, _ semaphore: DispatchSemaphore) async throws -> Task<Void, any Error> {
        let holder = Task {
            try await pool.withConnection { _ in _ = semaphore.wait(timeout: .now() + 60) }
        }
        #expect(try await eventually { pool.state.busy == 1 })
        return holder
    }

    private func backend(_ pool: PostgresPool) async throws -> Int32 {
        try await pool.withConnection { try $0.query(Self.backend)[0].decode(Int32.self, at: 0) }
    }

    @Test("Connections are made when they are needed, and used again")
    func reuse() async throws {
        let pool = try ClientTestDatabase.pool(size: 3)
        #expect(pool.state == (0, 0, 0, 3))
        let first = try await backend(pool)
        #expect(try await backend(pool) == first)
        #expect(pool.state == (1, 0, 0, 2))
        await pool.close()
        #expect(pool.state == (0, 0, 0, 3))
    }

    @Test("Many tasks share few connections")
    func sharing() async throws {
        let pool = try ClientTestDatabase.pool(size: 3)
        let backends = try await withThrowingTaskGroup(of: Int32.self) { group in
            for _ in 0..<200 { group.addTask { try await backend(pool) } }
            return try await group.reduce(into: Set<Int32>()) { $0.insert($1) }
        }
        #expect((1...3).contains(backends.count))
        #expect(pool.waiterCount == 0 && pool.state.busy == 0)
        await pool.close()
    }

    @Test("Callers are served in the order in which they asked")
    func order() async throws {
        let pool = try ClientTestDatabase.pool(size: 1)
        let semaphore = DispatchSemaphore(value: 0)
        let holder = try await hold(pool, semaphore)
        let order = Shared<[Int]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask { try await pool.withConnection { _ in order.value.withLock { $0.append(number) } } }
                #expect(try await eventually { pool.waiterCount == number + 1 })
            }
            semaphore.signal()
            try await group.waitForAll()
        }
        try await holder.value
        #expect(order.value.withLock { $0 } == Array(0..<8))
        await pool.close()
    }

    @Test("If it is interrupted, statements under way are given up, with an unknown outcome, and new ones are not")
    func interruption() async throws {
        let sleep = PostgresStatement("sleep", "SELECT pg_sleep(50)::text")
        let pool = try ClientTestDatabase.pool(size: 2)
        let first = Task { try await clientError { try await pool.withConnection { try $0.query(sleep).count } } }
        #expect(try await eventually { pool.state.busy == 1 })
        let isRunning = PostgresStatement(
            "sleeping",
            "SELECT count(*) > 0 FROM pg_stat_activity WHERE query LIKE '%sleep(50)%' AND pid <> pg_backend_pid()")
        #expect(try await eventually { try await pool.withConnection { try $0.query(isRunning)[0].decode(at: 0) } })
        pool.interrupt()
        let error = try await first.value
        #expect(error.code == .interrupted)
        #expect(error.isOutcomeUnknown && error.isUnavailable)
        #expect(try await pool.withConnection { try $0.query(Self.one).count } == 1)

        let second = Task { try await clientError { try await pool.withConnection { try $0.query(sleep).count } } }
        #expect(try await eventually { pool.state.busy == 1 })
        await pool.close(interrupting: true)
        #expect(try await second.value.code == .interrupted)
        #expect(pool.state == (0, 0, 0, 2))
    }

    @Test("The wait for a connection ends at the lease timeout")
    func leaseTimeout() async throws {
        let pool = try ClientTestDatabase.pool(size: 1, leaseTimeout: .milliseconds(100))
        let semaphore = DispatchSemaphore(value: 0)
        // The holder itself must not fail to connect in time.
        #expect(try await eventually { (try? await pool.withConnection { try $0.query(Self.one) }) != nil })
        let holder = try await hold(pool, semaphore)
        let error = try await clientError { try await pool.withConnection { try $0.query(Self.one) } }
        #expect(error.code == .leaseTimeout)
        #expect(pool.waiterCount == 0)
        semaphore.signal()
        try await holder.value
        #expect(pool.state.idle == 1)
        await pool.close()
    }

    @Test("Cancelling a wait leaks no connection")
    func cancellation() async throws {
        let pool = try ClientTestDatabase.pool(size: 1)
        let semaphore = DispatchSemaphore(value: 0)
        let holder = try await hold(pool, semaphore)
        let tasks = (0..<20).map { _ in Task { try await pool.withConnection { try $0.query(Self.one) } } }
        #expect(try await eventually { pool.waiterCount == 20 })
        for task in tasks { task.cancel() }
        for task in tasks {
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(pool.waiterCount == 0 && pool.state.busy == 1)
        semaphore.signal()
        try await holder.value
        // Cancelled at any moment around being served.
        for _ in 0..<50 {
            let task = Task { try await pool.withConnection { try $0.query(Self.one) } }
            let other = Task { try await pool.withConnection { try $0.query(Self.one) } }
            await Task.yield()
            task.cancel()
            _ = await task.result
            _ = try await other.value
        }
        #expect(pool.state == (1, 0, 0, 0))
        await pool.close()
    }

    @Test("A connection that ended while it was idle is replaced, and the caller does not notice")
    func endedIdle() async throws {
        let pool = try ClientTestDatabase.pool(size: 1)
        let first = try await backend(pool)
        let end = PostgresStatement("end", "SELECT pg_terminate_backend(\(first), 60000)")
        #expect(try await ClientTestDatabase.connected { try $0.query(end)[0].decode(Bool.self, at: 0) })
        #expect(try await backend(pool) != first)
        await pool.close()
    }

    @Test("A connection that ended in use is replaced")
    func endedInUse() async throws {
        let pool = try ClientTestDatabase.pool(size: 1)
        let error = try await clientError {
            try await pool.withTransaction("ended") { connection in
                try connection.query(PostgresStatement("end itself", "SELECT pg_terminate_backend(pg_backend_pid())"))
            }
        }
        #expect(error.isConnectionLoss)
        #expect(error.sqlState == .adminShutdown)
        #expect(!error.isOutcomeUnknown)
        #expect(pool.state == (0, 0, 0, 1))
        #expect(try await backend(pool) > 0)
        await pool.close()
    }

    @Test("Closing waits for connections in use")
    func close() async throws {
        let pool = try ClientTestDatabase.pool(size: 1)
        let semaphore = DispatchSemaphore(value: 0)
        let holder = try await hold(pool, semaphore)
        let waiting = Task { try await pool.withConnection { try $0.query(Self.one) } }
        #expect(try await eventually { pool.waiterCount == 1 })
        let isClosed = Shared(false)
        async let closing: Void = {
            await pool.close()
            isClosed.value.withLock { $0 = true }
        }()
        let refused = try await clientError { try await waiting.value }
        #expect(refused.code == .poolClosed)
        #expect(isClosed.value.withLock { !$0 })
        semaphore.signal()
        try await holder.value
        await closing
        #expect(pool.state == (0, 0, 0, 1))
        let error = try await clientError { try await pool.withConnection { try $0.query(Self.one) } }
        #expect(error.code == .poolClosed)
        await pool.close()
    }
}
