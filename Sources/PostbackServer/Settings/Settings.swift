import AdAttribution
import Configuration
import LocalFiles
import Logging
import PostbackIngest
import PostbackService
import PostbackStore
import PostgresClient
import Reports
import SystemPackage

/// What one start of the program goes by; every value is checked before anything is begun.
struct Settings: Sendable {
    enum LogFormat: String, CaseIterable {
        case json
        case text
    }

    /// Who verifies postbacks: the fast verifier for keys that never change, or libcrypto, its reference.
    enum Verifier: String, CaseIterable {
        case fixedKey = "fixed-key"
        case openssl
    }

    let service: ServiceConfiguration
    let verifier: Verifier
    let databaseURL: String
    /// Nil if reports are made by the database of `databaseURL`.
    let reportsDatabaseURL: String?
    /// The addresses of a cluster's workers that are others than the nodes know.
    let workerAddresses: WorkerAddresses
    let keyRingPath: String
    let logLevel: Logger.Level
    let logFormat: LogFormat

    /// Reads the options, the environment, `.env` in the working folder and the file that `CONFIG_FILE` names, in this
    /// order of precedence.
    ///
    /// - Throws: `SettingsError`, which names the key and never holds a secret.
    static func load(_ options: SettingsOptions) async throws -> Settings {
        let secrets = SecretsSpecifier<String, String>.specific(
            Set(Key.allCases.filter(\.isSecret).map(\.environmentName)))
        let environment = EnvironmentVariablesProvider(secretsSpecifier: secrets)
        var providers: [any ConfigProvider] = [options.provider, environment]
        try check(".env", as: ".env")
        do {
            providers.append(
                try await EnvironmentVariablesProvider(
                    environmentFilePath: ".env", allowMissing: true, secretsSpecifier: secrets))
        } catch {
            throw SettingsError(key: ".env", rule: "can't be read")
        }
        if let file = ConfigReader(providers: providers).string(forKey: "config.file") {
            try check(file, as: "CONFIG_FILE")
            do {
                providers.append(try await FileProvider<JSONSnapshot>(filePath: FilePath(file)))
            } catch {
                throw SettingsError(key: "CONFIG_FILE", rule: "names a file that can't be read as JSON")
            }
        }
        return try Settings(SettingsReader(config: ConfigReader(providers: providers)))
    }

    /// The greatest number of bytes of a file with settings.
    private static let maximumFileSize = 1 << 20

    /// Refuses a file that could be waited for without end, that has no end, or that everybody may write.
    ///
    /// If there is none, whoever reads it says so.
    private static func check(_ path: String, as key: String) throws(SettingsError) {
        do throws(FileError) {
            _ = try RegularFile.bytes(path, atMost: maximumFileSize, trust: .notForAllToWrite)
        } catch {
            guard !error.isMissing else { return }
            throw SettingsError(key: key, rule: key == path ? "\(error)" : "\(path) \(error)")
        }
    }

    private init(_ reader: SettingsReader) throws {
        var service = ServiceConfiguration()
        service.http.host = try reader.text(.httpHost) ?? service.http.host
        service.http.port = try reader.integer(.httpPort, 0...65_535) ?? service.http.port
        service.admin.host = try reader.text(.adminHost) ?? service.admin.host
        service.admin.port = try reader.integer(.adminPort, 0...65_535) ?? service.admin.port
        service.adminNames = try reader.adminNames()
        service.adminSocket = try reader.socketPath(.adminSocket)
        service.adminToken = try reader.token(.adminToken)
        service.conversionPolicy = try reader.choice(.conversionPolicy) ?? service.conversionPolicy
        (service.origins, service.headerProxies) = try reader.origins()
        service.certificate = try reader.certificate()
        service.queues.maximumBatch = try reader.integer(.ingestBatchSize, 1...5_000) ?? service.queues.maximumBatch
        service.queues.capacity =
            try reader.integer(.ingestQueueCapacity, 1...1_000_000) ?? service.queues.capacity
        service.queues.deadline =
            try reader.integer(.ingestDeadline, 1...3_600).map { .seconds($0) } ?? service.queues.deadline
        service.maximumConnections =
            try reader.integer(.maximumConnections, 1...100_000) ?? service.maximumConnections
        service.connectionLifetime =
            try reader.integer(.connectionLifetime, 1...86_400).map { .seconds($0) } ?? service.connectionLifetime
        service.connectionRequests =
            try reader.integer(.connectionRequests, 1...1_000_000) ?? service.connectionRequests
        let limits = service.quarantineLimits
        service.quarantineLimits = QuarantineLimits(
            maximumRows: try reader.integer(.quarantineMaximumRows, 0...100_000_000).map(Int64.init)
                ?? limits.maximumRows,
            maximumBytes: try reader.integer(.quarantineMaximumBytes, 0...(1 << 50)).map(Int64.init)
                ?? limits.maximumBytes)
        service.retention = try reader.retention()
        service.webAdTimeToLive =
            try reader.integer(.webAdTimeToLive, 60...2_592_000)
            .flatMap { WebAdParameters.TimeToLive(Int64($0)) } ?? service.webAdTimeToLive
        reportsDatabaseURL = try reader.text(.reportsDatabaseURL)
        workerAddresses = try reader.workerAddresses()
        service.reportLimits.statement =
            try reader.integer(.reportDeadline, 1...3_600).map { .seconds($0) } ?? service.reportLimits.statement
        self.service = service
        verifier = try reader.choice(.verifier) ?? .fixedKey
        guard let url = try reader.text(.databaseURL), !url.isEmpty else {
            throw SettingsError(key: Key.databaseURL.environmentName, rule: "must be set: a libpq connection string")
        }
        databaseURL = url
        if let reportsDatabaseURL {
            guard (try? Self.reportsConfiguration(reportsDatabaseURL).validate()) != nil, !reportsDatabaseURL.isEmpty
            else {
                throw SettingsError(
                    key: Key.reportsDatabaseURL.environmentName, rule: "must be a libpq connection string")
            }
        }
        keyRingPath = try reader.text(.keyRingPath) ?? "keys"
        logLevel = try reader.choice(.logLevel) ?? .info
        logFormat = try reader.choice(.logFormat) ?? .json
    }

    /// The connection to the database, with the usual time-outs.
    func databaseConfiguration() -> PostgresConfiguration {
        PostgresConfiguration(connectionString: databaseURL)
    }

    /// The connection to the database of reports, if they have one of their own.
    ///
    /// Of several hosts a standby is preferred.
    func reportsConfiguration() -> PostgresConfiguration? {
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
    func keyRing(_ logger: Logger) throws -> KeyRing {
        var keyRing = try KeyRing(folder: keyRingPath)
        guard verifier == .fixedKey else { return keyRing }
        for name in keyRing.verify(with: FixedKey.backend) {
            logger.error(
                "the fast verifier failed its check; verifying with libcrypto, which is slower",
                metadata: ["postback_key": "\(name)"])
        }
        return keyRing
    }
}
