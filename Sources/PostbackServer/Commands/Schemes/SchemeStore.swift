import Logging
import PostbackStore
import PostgresClient

/// The store, for a command about schemes.
enum SchemeStore {
    /// Lends the store to a body, after its schema was checked, and closes its connections.
    static func with<Value: Sendable>(
        _ options: SettingsOptions, _ body: (PostbackStore) async throws -> Value
    ) async throws -> Value {
        let settings = try await Settings.load(options)
        let logger = ProgramLog.makeLogger(settings)
        let connections = StoreConnections(settings.databaseConfiguration(), size: 1, logger: logger)
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
}
