import Logging
import PostbackIngest
import PostbackStore
import PostgresClient

/// `PostbackServer import FILE…`: counts the postbacks of archives.
enum ImportCommand {
    static func run(_ files: [String], _ settings: Settings) async throws {
        let logger = ProgramLog.makeLogger(settings)
        let keyRing = try settings.keyRing(logger)
        // One adds dimensions, one folds, one keeps what is refused.
        let connections = StoreConnections(settings.databaseConfiguration(), size: 3, logger: logger)
        let display = ImportDisplay()
        do {
            let store = PostbackStore(
                connections, policy: settings.service.conversionPolicy,
                quarantineLimits: settings.service.quarantineLimits)
            try await store.checkSchema()
            let counts = try await ArchiveImport(store: store, keyRing: keyRing, logger: logger)
                .run(files, report: display.show, refused: display.show)
            await connections.close()
            display.finish(counts)
            guard counts.refused == 0 else { throw RefusedLines(count: counts.refused) }
        } catch {
            await connections.close()
            throw error
        }
    }
}

/// Lines of an archive that were not counted.
struct RefusedLines: Error, CustomStringConvertible {
    let count: Int64

    var description: String { "\(count) lines were refused; they are in the quarantine, as far as it holds them" }
}
