import Logging
import PostbackService
import PostbackStore
import PostgresClient
import ServerSettings

/// A store for one command: its schema is checked first, and its connections are closed afterwards.
enum StoreSession {
    /// Runs a body with a store for tables of the operator.
    static func with<Value: Sendable>(
        _ options: SettingsOptions, _ body: (PostbackStore) async throws -> Value
    ) async throws -> Value {
        let settings = try await Settings.load(options)
        return try await with(settings, ProgramLog.makeLogger(settings), body)
    }

    /// Runs a body with a store for tables of the operator.
    static func with<Value: Sendable>(
        _ settings: Settings, _ logger: Logger, _ body: (PostbackStore) async throws -> Value
    ) async throws -> Value {
        let connections = StoreConnections(configuration(settings), size: 1, logger: logger)
        return try await run(PostbackStore(connections), over: connections, body)
    }

    /// Runs a body with a store that counts by the rules of the settings.
    ///
    /// - Parameter size: The greatest number of connections for everything but batches.
    static func counting<Value: Sendable>(
        _ settings: Settings, _ logger: Logger, size: Int, _ body: (PostbackStore) async throws -> Value
    ) async throws -> Value {
        let connections = StoreConnections(
            settings.databaseConfiguration(), workerAddresses: settings.workerAddresses, size: size, logger: logger)
        let store = PostbackStore(
            connections, policy: settings.service.conversionPolicy, quarantineLimits: settings.service.quarantineLimits)
        return try await run(store, over: connections, body)
    }

    /// Runs a body with a store that reads reports, from their own database if they have one.
    static func reading<Value: Sendable>(
        _ settings: Settings, _ logger: Logger, _ body: (PostbackStore) async throws -> Value
    ) async throws -> Value {
        let connections = StoreConnections(
            settings.databaseConfiguration(), reports: settings.reportsConfiguration(), size: 1, logger: logger)
        return try await run(PostbackStore(connections), over: connections, body)
    }

    private static func run<Value: Sendable>(
        _ store: PostbackStore, over connections: StoreConnections, _ body: (PostbackStore) async throws -> Value
    ) async throws -> Value {
        do {
            try await store.checkSchema()
            let value = try await body(store)
            await connections.close()
            return value
        } catch {
            let explained = await store.explained(error)
            await connections.close()
            throw explained
        }
    }

    /// How long a session for tables of the operator waits.
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
