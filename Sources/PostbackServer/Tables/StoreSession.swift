import Logging
import PostbackStore
import PostgresClient

/// A store for a command that reads or changes tables of the operator.
enum StoreSession {
    /// Runs a body with a store whose schema is checked, and closes its connections.
    static func with<Value: Sendable>(
        _ options: SettingsOptions, _ body: (PostbackStore) async throws -> Value
    ) async throws -> Value {
        let settings = try await Settings.load(options)
        return try await with(settings, ProgramLog.makeLogger(settings), body)
    }

    /// Runs a body with a store whose schema is checked, and closes its connections.
    static func with<Value: Sendable>(
        _ settings: Settings, _ logger: Logger, _ body: (PostbackStore) async throws -> Value
    ) async throws -> Value {
        let connections = StoreConnections(configuration(settings), size: 1, logger: logger)
        do {
            let store = PostbackStore(connections)
            try await store.checkSchema()
            let value = try await body(store)
            await connections.close()
            return value
        } catch {
            await connections.close()
            throw error
        }
    }

    /// How long a session of such a command waits.
    ///
    /// Another load may be under way, a file may be large, and it is read within the transaction.
    static func configuration(_ settings: Settings) -> PostgresConfiguration {
        var database = settings.databaseConfiguration()
        database.lockTimeout = .seconds(600)
        database.statementTimeout = .seconds(3_600)
        database.idleInTransactionTimeout = .seconds(600)
        return database
    }
}
