import PostgresClient
import Testing

@Suite(
    "Sessions that allow no writing", .enabled(if: ClientTestDatabase.isAvailable, ClientTestDatabase.reason))
struct ReadOnlySessionTests {
    private static let backend = PostgresStatement("backend", "SELECT pg_backend_pid()")
    private static let readOnly = PostgresStatement("read_only", "SET default_transaction_read_only = on")

    private func readOnlyPool() async throws -> (pool: PostgresPool, backend: Int32) {
        let pool = try ClientTestDatabase.pool(size: 1)
        let backend = try await pool.withConnection { connection in
            try connection.query(Self.readOnly)
            return try connection.query(Self.backend)[0].decode(Int32.self, at: 0)
        }
        return (pool, backend)
    }

    private func createTable(_ pool: PostgresPool) async throws -> Int32 {
        try await pool.withConnection { connection in
            try connection.execute(script: "CREATE SCHEMA written; DROP SCHEMA written")
            return try connection.query(Self.backend)[0].decode(Int32.self, at: 0)
        }
    }

    @Test("A session that refuses to write is closed, and a new one is made after a pause")
    func closed() async throws {
        let (pool, backend) = try await readOnlyPool()
        let refused = try await clientError { try await createTable(pool) }
        #expect(refused.isReadOnlySession && refused.isUnavailable)
        #expect(pool.state == (0, 0, 0, 1))
        let during = try? await clientError { try await createTable(pool) }
        // On a slow machine the pause may have passed already.
        if let during { #expect(during.code == .connectFailed && during.isReadOnlySession) }
        #expect(try await eventually { await (try? createTable(pool)).map { $0 != backend } ?? false })
        await pool.close()
    }

    @Test("A transaction and a pipeline that refuse to write close the session too, even if the body catches the error")
    func everyWay() async throws {
        var (pool, _) = try await readOnlyPool()
        let transaction = try await clientError {
            try await pool.withTransaction("t") { connection in
                _ = try? connection.execute(script: "CREATE SCHEMA s")
            }
        }
        #expect(transaction.isReadOnlySession)
        #expect(pool.state.closed == 1)
        await pool.close()
        (pool, _) = try await readOnlyPool()
        let pipeline = try await clientError {
            try await pool.withConnection { connection in
                let create = PostgresStatement("create", "CREATE SCHEMA s")
                _ = try connection.pipeline([PostgresPipelineStep(Self.backend), PostgresPipelineStep(create)])
            }
        }
        #expect(pipeline.isReadOnlySession)
        #expect(pool.state.closed == 1)
        await pool.close()
    }

    @Test("A session that only reads is kept, even if it allows no writing")
    func reading() async throws {
        let (pool, backend) = try await readOnlyPool()
        let again = try await pool.withConnection { try $0.query(Self.backend)[0].decode(Int32.self, at: 0) }
        #expect(again == backend)
        await pool.close()
    }
}
