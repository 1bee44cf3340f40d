package import AdAttribution
import Configuration
package import LocalFiles
package import Logging
package import PostbackIngest
package import PostbackService
package import PostbackStore
package import PostgresClient
import Reports
import StrictJSON
import SystemPackage

/// What one start of the program goes by; every value is checked before anything is begun.
package struct Settings: Sendable {
    /// How the log is written.
    package enum LogFormat: String, Sendable, CaseIterable {
        case json
        case text
    }

    /// Who verifies postbacks: the fast verifier for keys that never change, or libcrypto, its reference.
    package enum Verifier: String, Sendable, CaseIterable {
        case fixedKey = "fixed-key"
        case openssl
    }

    /// Who may read the metrics.
    private enum MetricsAccess: String, CaseIterable {
        case open
        case token
    }

    /// What the service goes by.
    package let service: ServiceConfiguration
    /// Who verifies postbacks.
    package let verifier: Verifier
    let databaseURL: String
    /// Nil if reports are made by the database of `databaseURL`.
    package let reportsDatabaseURL: String?
    /// The addresses of a cluster's workers that are others than the nodes know.
    package let workerAddresses: WorkerAddresses
    /// The folder of the key ring.
    package let keyRingPath: String
    /// The least level that is logged.
    package let logLevel: Logger.Level
    /// How the log is written.
    package let logFormat: LogFormat

    /// Reads the options, the environment, `.env` in the working folder and the file that `CONFIG_FILE` names, in this
    /// order of precedence.
    ///
    /// - Throws: `SettingsErrors`, which names each key that is wrong, and never holds a secret.
    package static func load(_ options: SettingsOptions) async throws -> Settings {
        try await Settings(reader(options))
    }

    /// The folder of the key ring alone, for commands that need no other setting.
    ///
    /// - Throws: `SettingsErrors`.
    package static func keyRingPath(_ options: SettingsOptions) async throws -> String {
        var reader = try await reader(options)
        let path = keyRingPath(&reader)
        guard reader.errors.isEmpty else { throw SettingsErrors(errors: reader.errors) }
        return path
    }

    private static func keyRingPath(_ reader: inout SettingsReader) -> String { reader.text(.keyRingPath) ?? "keys" }

    private static func reader(_ options: SettingsOptions) async throws -> SettingsReader {
        let secrets = SecretsSpecifier<String, String>.specific(
            Set(Key.allCases.filter(\.isSecret).map(\.environmentName)))
        let environment = EnvironmentVariablesProvider(secretsSpecifier: secrets)
        var providers: [any ConfigProvider] = [options.provider, environment]
        var errors: [SettingsError] = []
        do {
            if let bytes = try file(".env", as: ".env", mayBeMissing: true) {
                errors += SettingNames.errors(ofVariables: bytes)
                providers.append(
                    try await EnvironmentVariablesProvider(
                        environmentFilePath: ".env", allowMissing: true, secretsSpecifier: secrets))
            }
        } catch {
            errors.append(error as? SettingsError ?? SettingsError(key: ".env", rule: "can't be read"))
        }
        if let path = ConfigReader(providers: providers).string(forKey: "config.file") {
            let before = errors.count
            let shown = JSONText.line(path)
            do {
                guard !path.isEmpty else {
                    throw SettingsError(key: SettingNames.file, rule: "is empty; name a file, or remove the setting")
                }
                if let bytes = try file(path, as: SettingNames.file) {
                    errors += SettingNames.errors(ofFile: bytes, at: shown)
                }
                providers.append(try await FileProvider<JSONSnapshot>(filePath: FilePath(path)))
            } catch let error as SettingsError {
                errors.append(error)
            } catch {
                // If the names could not be read, that is said already.
                if errors.count == before {
                    errors.append(
                        SettingsError(
                            key: SettingNames.file,
                            rule: "\(shown): each value must be a string or a number, or an array of one of these"))
                }
            }
        }
        return SettingsReader(config: ConfigReader(providers: providers), errors: errors)
    }

    /// The greatest number of bytes of a file with settings.
    private static let maximumFileSize = 1 << 20

    /// The bytes of a file, or nil if there is none and there need not be one.
    ///
    /// A file that could be waited for without end, that has no end, or that everybody may write is refused.
    private static func file(
        _ path: String, as key: String, mayBeMissing: Bool = false
    ) throws(SettingsError) -> [UInt8]? {
        do throws(FileError) {
            return try RegularFile.bytes(path, atMost: maximumFileSize, trust: .notForAllToWrite)
        } catch {
            if mayBeMissing, error.isMissing { return nil }
            throw SettingsError(key: key, rule: key == path ? "\(error)" : "\(JSONText.line(path)) \(error)")
        }
    }

    private init(_ reader: SettingsReader) throws {
        var reader = reader
        var service = ServiceConfiguration()
        service.http.host = reader.text(.httpHost) ?? service.http.host
        service.http.port = reader.integer(.httpPort, 0...65_535) ?? service.http.port
        service.admin.host = reader.text(.adminHost) ?? service.admin.host
        service.admin.port = reader.integer(.adminPort, 0...65_535) ?? service.admin.port
        reader.checkPlaces(service.http, service.admin)
        service.adminNames = reader.adminNames()
        service.adminSocket = reader.socketPath(.adminSocket)
        service.adminCertificate = reader.adminCertificate(at: service.admin)
        service.adminToken = reader.token(.adminToken)
        service.adminTrustedProxies = reader.trustedProxies(.adminTrustedProxies)
        service.signOnProxy = reader.signOnProxy(
            of: service.adminTrustedProxies, sealedWith: service.adminToken)
        service.guardsMetrics = reader.choice(.metricsAccess) == MetricsAccess.token
        service.conversionPolicy = reader.choice(.conversionPolicy) ?? service.conversionPolicy
        (service.origins, service.headerProxies, service.trustedProxies) = reader.origins()
        service.certificate = reader.certificate(.certificatePath, .privateKeyPath)
        service.queues.maximumBatch = reader.integer(.ingestBatchSize, 1...5_000) ?? service.queues.maximumBatch
        service.queues.capacity =
            reader.integer(.ingestQueueCapacity, 1...1_000_000) ?? service.queues.capacity
        service.queues.deadline =
            reader.integer(.ingestDeadline, 1...3_600).map { .seconds($0) } ?? service.queues.deadline
        service.maximumConnections =
            reader.integer(.maximumConnections, 1...100_000) ?? service.maximumConnections
        service.connectionLifetime =
            reader.integer(.connectionLifetime, 1...86_400).map { .seconds($0) } ?? service.connectionLifetime
        service.connectionRequests =
            reader.integer(.connectionRequests, 1...1_000_000) ?? service.connectionRequests
        let limits = service.quarantineLimits
        service.quarantineLimits = QuarantineLimits(
            maximumRows: reader.integer(.quarantineMaximumRows, 0...100_000_000).map(Int64.init)
                ?? limits.maximumRows,
            maximumBytes: reader.integer(.quarantineMaximumBytes, 0...(1 << 50)).map(Int64.init)
                ?? limits.maximumBytes)
        service.retention = reader.retention()
        service.storeBodyDays = reader.integerOrNever(.appStoreBodyRetention, 0...36_500)
            .flatMap { $0 == 0 ? nil : Int32($0) }
        service.notificationBytes =
            reader.integer(.appStoreBodyBytes, 1_048_576...(1 << 28)) ?? service.notificationBytes
        service.appleAds = reader.appleAds()
        service.recountInterval = reader.integerOrNever(.recountInterval, 1...8_760).map { .seconds($0 * 3_600) }
        keyRingPath = Self.keyRingPath(&reader)
        service.forwarding = reader.forwarding(keyRing: keyRingPath)
        service.webAdTimeToLive =
            reader.integer(.webAdTimeToLive, 60...2_592_000)
            .flatMap { WebAdParameters.TimeToLive(Int64($0)) } ?? service.webAdTimeToLive
        reportsDatabaseURL = reader.text(.reportsDatabaseURL)
        workerAddresses = reader.workerAddresses()
        service.reportLimits.statement =
            reader.integer(.reportDeadline, 1...3_600).map { .seconds($0) } ?? service.reportLimits.statement
        self.service = service
        verifier = reader.choice(.verifier) ?? .fixedKey
        databaseURL = reader.text(.databaseURL) ?? ""
        if databaseURL.isEmpty {
            reader.refuse(.databaseURL, "must be set: a libpq connection string")
        } else if (try? PostgresConfiguration(connectionString: databaseURL).validate()) == nil {
            reader.refuse(.databaseURL, "must be a libpq connection string")
        }
        if let reportsDatabaseURL,
            reportsDatabaseURL.isEmpty
                || (try? Self.reportsConfiguration(reportsDatabaseURL).validate()) == nil
        {
            reader.refuse(.reportsDatabaseURL, "must be a libpq connection string")
        }
        logLevel = reader.choice(.logLevel) ?? .info
        logFormat = reader.choice(.logFormat) ?? .json
        guard reader.errors.isEmpty else { throw SettingsErrors(errors: reader.errors) }
    }

    /// The connection to the database, with the usual time-outs.
    package func databaseConfiguration() -> PostgresConfiguration {
        PostgresConfiguration(connectionString: databaseURL)
    }

    /// The connection to the database of reports, if they have one of their own.
    ///
    /// Of several hosts a standby is preferred.
    package func reportsConfiguration() -> PostgresConfiguration? {
        reportsDatabaseURL.map(Self.reportsConfiguration)
    }

    private static func reportsConfiguration(_ url: String) -> PostgresConfiguration {
        var configuration = PostgresConfiguration(connectionString: url)
        configuration.preferredHost = .standby
        return configuration
    }

    /// The key ring, its postback keys prepared for the verifier that was chosen.
    ///
    /// If the fast verifier does not agree with libcrypto about a key, that is logged as an error, and libcrypto
    /// verifies under that key.
    package func keyRing(_ logger: Logger) throws -> KeyRing { try keyRingFolder(logger).keyRing }

    /// The same, and what the folder says of the App Store.
    package func keyRingFolder(_ logger: Logger) throws -> KeyRingFolder {
        var files = FileStamps()
        return try keyRingFolder(logger, noting: &files)
    }

    /// The same, to be read again when a file changes.
    ///
    /// - Parameter files: Where each file is noted before it is read, also if this throws.
    package func keyRingFolder(_ logger: Logger, noting files: inout FileStamps) throws -> KeyRingFolder {
        var folder = try KeyRingFolder(keyRingPath, noting: &files)
        guard verifier == .fixedKey else { return folder }
        for name in folder.keyRing.verify(with: FixedKey.backend) {
            logger.error(
                "the fast verifier failed its check; verifying with libcrypto, which is slower",
                metadata: ["postback_key": "\(name)"])
        }
        return folder
    }
}
