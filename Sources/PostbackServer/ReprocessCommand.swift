import AdAttribution
import PostbackIngest
import PostbackStore
import PostgresClient

/// `PostbackServer reprocess`: moves in what the quarantine holds and today's key ring and build accept.
enum ReprocessCommand {
    static func run(_ settings: Settings) async throws {
        let logger = ProgramLog.makeLogger(settings)
        let keyRing = try settings.keyRing(logger)
        let connections = StoreConnections(settings.databaseConfiguration(), size: 1, logger: logger)
        do {
            let store = PostbackStore(connections, policy: settings.service.conversionPolicy)
            try await store.checkSchema()
            let summary = try await QuarantineReprocessing(store: store, keyRing: keyRing, logger: logger).run()
            await connections.close()
            print(summary)
        } catch {
            await connections.close()
            throw error
        }
    }
}
