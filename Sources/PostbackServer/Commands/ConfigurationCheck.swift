import Access
import AdAttribution
import AppStoreData
import Destinations
import Forwarding
import HTTPListener
import Logging
import PostbackIngest
import PostbackService
import PostbackStore
import PostgresClient
import ServerSettings

/// What `serve --check-config` does: it reads everything that a start reads, tries the databases, and serves nothing.
///
/// It takes no port, so it can run beside a server with the same settings.
enum ConfigurationCheck {
    /// Tries everything, and prints what was found.
    ///
    /// - Throws: `FailedCheck` with all that is wrong.
    static func run(_ settings: Settings, _ logger: Logger) async throws {
        var errors: [any Error] = []
        var found: [String] = []
        do {
            let folder = try settings.keyRingFolder(logger)
            let keyRing = folder.keyRing
            found.append("\(keyRing.networks.count) networks, \(keyRing.postbackKeys.count) keys of postbacks")
            if let store = folder.store { found.append("\(store.apps.count) apps of the App Store") }
        } catch {
            errors.append(error)
        }
        do {
            found.append("\(try TokenFile(folder: settings.keyRingPath).read().tokens.count) tokens")
        } catch {
            errors.append(error)
        }
        do {
            let certificate = try settings.service.certificate.map(ServerCertificate.init)
            found.append(certificate == nil ? "no TLS" : "TLS")
        } catch {
            errors.append(error)
        }
        do {
            if try settings.service.adminCertificate.map(ServerCertificate.init) != nil {
                found.append("TLS on the admin listener")
            }
        } catch {
            errors.append(error)
        }
        let connections = StoreConnections(
            settings.databaseConfiguration(), reports: settings.reportsConfiguration(),
            workerAddresses: settings.workerAddresses, size: 1, logger: logger)
        let store = PostbackStore(connections)
        do {
            let stored = try await StartReadings(store)
            found.append("\(stored.lanes.count) lanes")
            var service = settings.service
            try DescriptorLimit.fit(&service, lanes: stored.lanes, logger)
            if service.forwarding.isOn {
                let destinations = try await store.destinations().map(\.destination)
                if !destinations.isEmpty { found.append("\(destinations.count) destinations") }
                for destination in destinations {
                    for problem in settings.missingSecrets(of: destination) {
                        errors.append(MissingSecret(destination: destination.name, problem: problem))
                    }
                }
            }
        } catch {
            // If a right is missing, the setting is not to blame: the same words as those of a start.
            errors.append(named(.databaseURL, await store.explained(error)))
        }
        if connections.hasReportsDatabase {
            do {
                try await connections.reports.withConnection { connection in
                    _ = try connection.query(PostgresStatement("check_reports", "SELECT 1"))
                }
                found.append("a database for reports")
            } catch {
                errors.append(named(.reportsDatabaseURL, error))
            }
        }
        await connections.close()
        guard errors.isEmpty else { throw FailedCheck(errors: errors) }
        try StandardOutput.summary("the configuration is good: \(found.joined(separator: ", "))")
    }

    /// An error of a database under the name of the setting that leads there.
    private static func named(_ key: Settings.Key, _ error: any Error) -> any Error {
        guard let error = error as? PostgresError, error.code != .invalidConfiguration else { return error }
        return SettingsError(key: key.environmentName, rule: "the database can't be used: \(error.words)")
    }
}

/// Everything that `serve --check-config` found to be wrong; at least one error.
struct FailedCheck: Error {
    let errors: [any Error]
}

/// What a start reads of the database.
struct StartReadings: Sendable {
    let lanes: LaneMap
    let installedAt: PostgresTimestamp
    let timeZone: ReportTimeZone

    /// Checks the schema and the rights, reads the rest, and connects to the workers of a cluster.
    init(_ store: PostbackStore) async throws {
        try await store.checkSchema()
        try await store.checkRights()
        lanes = try await store.lanes()
        installedAt = try await store.installedAt()
        timeZone = try await store.reportTimeZone()
        try await store.connectToWorkers()
    }
}
