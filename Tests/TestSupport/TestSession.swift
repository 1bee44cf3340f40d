import PostgresClient
import Synchronization

/// The session of a database for the questions of a test, as `psql` has it: the test may make tables in `public`.
///
/// It is opened when it is needed, and again if it was lost. If two questions are asked at once, the second one gets a
/// session of its own. No question sees a setting, a temporary table or a lock of an earlier one.
final class TestSession: Sendable {
    private static let reset = """
        ROLLBACK; RESET SESSION AUTHORIZATION; RESET ALL; SELECT pg_advisory_unlock_all(); UNLISTEN *; DISCARD TEMP
        """

    private let configuration: PostgresConfiguration
    private let idle = Mutex<PostgresConnection?>(nil)

    init(_ configuration: PostgresConfiguration) {
        self.configuration = configuration
    }

    /// Runs a body on the session's thread.
    func ask<T: Sendable>(_ body: @Sendable (isolated PostgresConnection) throws -> T) async throws -> T {
        let connection = try await open()
        let result: Result<T, any Error>
        do {
            result = .success(try await Self.run(body, on: connection))
        } catch {
            result = .failure(error)
        }
        await keep(connection)
        return try result.get()
    }

    /// Runs a body on a session that is closed then.
    static func askOnce<T: Sendable>(
        _ configuration: PostgresConfiguration, _ body: @Sendable (isolated PostgresConnection) throws -> T
    ) async throws -> T {
        let connection = try await connect(configuration)
        do {
            let value = try await run(body, on: connection)
            await connection.close()
            return value
        } catch {
            await connection.close()
            throw error
        }
    }

    /// Closes the session.
    func close() async {
        await take()?.close()
    }

    /// The idle session if it is alive, or a new one.
    private func open() async throws -> PostgresConnection {
        if let connection = take() {
            if await Self.isReset(connection) { return connection }
            await connection.close()
        }
        return try await Self.connect(configuration)
    }

    /// Keeps a session for the next question, unless there is one or it can't be used again.
    private func keep(_ connection: PostgresConnection) async {
        guard await Self.isReset(connection) else { return await connection.close() }
        let other = idle.withLock { idle in
            defer { idle = connection }
            return idle
        }
        await other?.close()
    }

    private func take() -> PostgresConnection? {
        idle.withLock { idle in
            defer { idle = nil }
            return idle
        }
    }

    private static func connect(_ configuration: PostgresConfiguration) async throws -> PostgresConnection {
        var configuration = configuration
        // Programs count the sessions that have the name of theirs.
        configuration.applicationName = "test"
        configuration.sessionSettings.append((name: "search_path", value: "\"$user\",public"))
        return try await PostgresConnection.connect(configuration, logger: .silent)
    }

    /// Whether a session is alive and as it was made.
    private static func isReset(_ connection: PostgresConnection) async -> Bool {
        do {
            try await connection.execute(script: reset)
            return true
        } catch {
            return false
        }
    }

    private static func run<T: Sendable>(
        _ body: @Sendable (isolated PostgresConnection) throws -> T, on connection: isolated PostgresConnection
    ) throws -> T {
        try body(connection)
    }
}
