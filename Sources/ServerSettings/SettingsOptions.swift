import ArgumentParser
import Configuration

/// The settings as options of a command.
///
/// An option wins over every other source.
package struct SettingsOptions: ParsableArguments, Sendable {
    @Option(.httpHost) var httpHost: String?
    @Option(.httpPort) var httpPort: String?
    @Option(.adminHost) var adminHost: String?
    @Option(.adminPort) var adminPort: String?
    @Option(.adminNames) var adminNames: String?
    @Option(.adminSocket) var adminSocket: String?
    @Option(.adminCertificatePath) var adminCertificatePath: String?
    @Option(.adminPrivateKeyPath) var adminPrivateKeyPath: String?
    @Option(.adminAllowsPlaintext) var adminAllowsPlaintext: String?
    @Option(.adminToken) var adminToken: String?
    @Option(.adminUserHeader) var adminUserHeader: String?
    @Option(.adminTrustedProxies) var adminTrustedProxies: String?
    @Option(.metricsAccess) var metricsAccess: String?
    @Option(.databaseURL) var databaseURL: String?
    @Option(.reportsDatabaseURL) var reportsDatabaseURL: String?
    @Option(.workerAddresses) var workerAddresses: String?
    @Option(.reportDeadline) var reportDeadline: String?
    @Option(.keyRingPath) var keyRingPath: String?
    @Option(.conversionPolicy) var conversionPolicy: String?
    @Option(.receivedFrom) var receivedFrom: String?
    @Option(.forwardedHeader) var forwardedHeader: String?
    @Option(.trustedProxies) var trustedProxies: String?
    @Option(.proxyProtocol) var proxyProtocol: String?
    @Option(.certificatePath) var certificatePath: String?
    @Option(.privateKeyPath) var privateKeyPath: String?
    @Option(.ingestBatchSize) var ingestBatchSize: String?
    @Option(.ingestQueueCapacity) var ingestQueueCapacity: String?
    @Option(.ingestDeadline) var ingestDeadline: String?
    @Option(.maximumConnections) var maximumConnections: String?
    @Option(.connectionLifetime) var connectionLifetime: String?
    @Option(.connectionRequests) var connectionRequests: String?
    @Option(.quarantineMaximumRows) var quarantineMaximumRows: String?
    @Option(.quarantineMaximumBytes) var quarantineMaximumBytes: String?
    @Option(.bodyRetention) var bodyRetention: String?
    @Option(.logRetention) var logRetention: String?
    @Option(.addressRetention) var addressRetention: String?
    @Option(.readerRetention) var readerRetention: String?
    @Option(.loadRetention) var loadRetention: String?
    @Option(.trailRetention) var trailRetention: String?
    @Option(.appStoreBodyRetention) var appStoreBodyRetention: String?
    @Option(.appStoreBodyBytes) var appStoreBodyBytes: String?
    @Option(.appleAds) var appleAds: String?
    @Option(.appleAdsURL) var appleAdsURL: String?
    @Option(.recountInterval) var recountInterval: String?
    @Option(.forwarding) var forwarding: String?
    @Option(.forwardAllowAddresses) var forwardAllowAddresses: String?
    @Option(.deadLetterRetention) var deadLetterRetention: String?
    @Option(.webAdTimeToLive) var webAdTimeToLive: String?
    @Option(.verifier) var verifier: String?
    @Option(.logLevel) var logLevel: String?
    @Option(.logFormat) var logFormat: String?

    /// No option is given.
    package init() {}

    /// The options that were given.
    var values: [Settings.Key: String] {
        let all: [Settings.Key: String?] = [
            .httpHost: httpHost, .httpPort: httpPort, .adminHost: adminHost, .adminPort: adminPort,
            .adminNames: adminNames, .adminSocket: adminSocket, .adminCertificatePath: adminCertificatePath,
            .adminPrivateKeyPath: adminPrivateKeyPath, .adminAllowsPlaintext: adminAllowsPlaintext,
            .adminToken: adminToken,
            .adminUserHeader: adminUserHeader, .adminTrustedProxies: adminTrustedProxies,
            .metricsAccess: metricsAccess, .databaseURL: databaseURL, .reportsDatabaseURL: reportsDatabaseURL,
            .workerAddresses: workerAddresses,
            .keyRingPath: keyRingPath, .conversionPolicy: conversionPolicy, .receivedFrom: receivedFrom,
            .reportDeadline: reportDeadline, .forwardedHeader: forwardedHeader,
            .trustedProxies: trustedProxies, .proxyProtocol: proxyProtocol, .certificatePath: certificatePath,
            .privateKeyPath: privateKeyPath, .ingestBatchSize: ingestBatchSize,
            .ingestQueueCapacity: ingestQueueCapacity, .ingestDeadline: ingestDeadline,
            .maximumConnections: maximumConnections,
            .connectionLifetime: connectionLifetime, .connectionRequests: connectionRequests,
            .quarantineMaximumRows: quarantineMaximumRows, .quarantineMaximumBytes: quarantineMaximumBytes,
            .bodyRetention: bodyRetention, .logRetention: logRetention, .addressRetention: addressRetention,
            .readerRetention: readerRetention, .loadRetention: loadRetention, .trailRetention: trailRetention,
            .appStoreBodyRetention: appStoreBodyRetention, .appStoreBodyBytes: appStoreBodyBytes,
            .appleAds: appleAds, .appleAdsURL: appleAdsURL, .recountInterval: recountInterval, .forwarding: forwarding,
            .forwardAllowAddresses: forwardAllowAddresses, .deadLetterRetention: deadLetterRetention,
            .webAdTimeToLive: webAdTimeToLive,
            .verifier: verifier, .logLevel: logLevel, .logFormat: logFormat,
        ]
        return all.compactMapValues(\.self)
    }

    /// The options as the first source of the configuration.
    var provider: InMemoryProvider {
        InMemoryProvider(
            name: "options",
            values: Dictionary(
                uniqueKeysWithValues: values.map { key, text in
                    (AbsoluteConfigKey(stringLiteral: key.rawValue), ConfigValue(.string(text), isSecret: key.isSecret))
                }))
    }
}

extension Option where Value == String? {
    /// The option of a setting.
    ///
    /// It has no default here: the default is the last source, after the environment and files.
    fileprivate init(_ key: Settings.Key) {
        self.init(
            name: .customLong(String(key.option.dropFirst(2))),
            help: ArgumentHelp("\(key.environmentName): \(key.meaning)", valueName: key.valueName))
    }
}
