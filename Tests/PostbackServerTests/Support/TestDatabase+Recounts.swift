import Foundation
import PostgresClient
import TestSupport
import Testing

extension TestDatabase {
    /// What `tools/recount-bodies.sql` returns: each row of a report that differs from what the bodies say.
    func recountBodies() async throws -> [String] {
        try await column("SELECT r FROM (\(Self.recountBodiesStatement())) AS r").compactMap { $0 }
    }

    /// The statement of `tools/recount-bodies.sql`, which stands behind a block that tells what is missing.
    static func recountBodiesStatement() throws -> String {
        let file = String(decoding: try TestEnvironment.file("tools/recount-bodies.sql"), as: UTF8.self)
        let statement = try #require(file.range(of: "\nWITH missing AS"))
        return file[statement.lowerBound...].trimmingCharacters(in: .whitespacesAndNewlines).dropLast() + "\n"
    }

    /// What both recounts return.
    func recounts() async throws -> [String] {
        let differences = try await recount()
        return differences + (try await recountBodies())
    }

    /// What `recount`, the recount in Python, prints, and its exit code.
    func recountInPython(_ options: [String] = []) async throws -> (code: Int32, text: String) {
        let result = try await ChildProcess.run(
            "/usr/bin/env", ["python3", TestEnvironment.root + "recount"] + options,
            environment: ProcessInfo.processInfo.environment.merging(
                ["DATABASE_URL": url, "PYTHONDONTWRITEBYTECODE": "1"]
            ) { _, mine in mine })
        return (result.code, String(decoding: result.output + result.errors, as: UTF8.self))
    }

    /// Lends a session of its own to a body and closes it, with what it holds.
    func withSession<T>(_ body: (PostgresConnection) async throws -> T) async throws -> T {
        var configuration = PostgresConfiguration(connectionString: url)
        configuration.idleInTransactionTimeout = .seconds(600)
        configuration.statementTimeout = .seconds(60)
        let session = try await PostgresConnection.connect(configuration, logger: .silent)
        do {
            let value = try await body(session)
            await session.close()
            return value
        } catch {
            await session.close()
            throw error
        }
    }

    /// The index of the lane of each transaction id: there are as many lanes as the database has.
    func lanes(of transactionIDs: [UUID]) async throws -> [Int] {
        let values = transactionIDs.map { "'\($0)'::uuid" }.joined(separator: ", ")
        return try await column(
            """
            SELECT lane
              FROM unnest(ARRAY[\(values)]) WITH ORDINALITY AS id (transaction_id, number)
              JOIN attribution.lane
                ON attribution.transaction_hash(transaction_id) BETWEEN first_hash AND last_hash
             ORDER BY number
            """
        ).compactMap { $0.flatMap { Int($0) } }
    }

    /// Whether somebody waits for a lane that another session holds.
    func hasWaiter(forLane lane: Int) async throws -> Bool {
        try await value(
            """
            SELECT EXISTS (
                SELECT FROM pg_locks
                 WHERE locktype = 'advisory' AND classid = 742100164 AND objid = \(lane) AND NOT granted
                   AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
            """) == "true"
    }
}
