import Logging
import PostbackStore
import PostgresClient

/// `PostbackServer migrate`: brings the schema up to what this build knows.
enum MigrateCommand {
    /// - Parameter lanes: The number of lanes; nil takes what is there, or the default.
    static func run(_ settings: Settings, lanes: Int?) async throws {
        let logger = ProgramLog.makeLogger(settings)
        var database = settings.databaseConfiguration()
        // Another server may be migrating, and a migration may rewrite a large table.
        database.lockTimeout = .seconds(600)
        database.statementTimeout = .seconds(3_600)
        let pool = PostgresPool(configuration: database, size: 1, logger: logger)
        do {
            let applied = try await PostbackStore.migrate(lanes: lanes, over: pool)
            await pool.close()
            print(applied.isEmpty ? "schema is up to date" : "applied \(applied.joined(separator: ", "))")
        } catch {
            await pool.close()
            throw error
        }
    }
}
