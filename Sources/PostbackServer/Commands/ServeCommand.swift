import Access
import AdAttribution
import AppStoreData
import AppleAds
import ArgumentParser
import EventLog
import Foundation
import HTTPListener
import Instrumentation
import Logging
import Metrics
import Observability
import PostbackIngest
import PostbackService
import PostbackStore
import PostgresClient
import PublicSuffixes
import ServerSettings
import ServiceLifecycle
import UnixSignals

/// The command `PostbackServer serve`: checks everything, then runs until SIGTERM or SIGINT, and drains.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Receive postbacks, sign impressions and report, until SIGTERM or SIGINT.",
        discussion: """
            The public listener takes postbacks and serves web ads' payloads. The admin listener signs, reports, and \
            tells metrics and health. The server does not start if a setting, the key ring, the tokens, a \
            certificate or the schema is wrong.

            Examples:
              PostbackServer serve --keyring-path keys \\
                --database-url postgresql:///attribution
              PostbackServer serve --http-host 0.0.0.0 --http-port 80 --log-format text
              PostbackServer serve --check-config
            """)

    @Flag(
        help: ArgumentHelp(
            "Serve nothing: read everything, try the database, and end.",
            discussion: "The exit code is 0, or 78 with a line for each thing that is wrong."))
    var checkConfig = false

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        // Until `HangupSignal` runs.
        signal(SIGHUP, SIG_IGN)
        let settings = try await Settings.load(options)
        let logger = ProgramLog.makeLogger(settings)
        for warning in SettingNames.warnings(about: ProcessInfo.processInfo.environment) {
            logger.warning("\(warning)")
        }
        guard !checkConfig else { return try await ConfigurationCheck.run(settings, logger) }
        let keyRing = try KeyRingInForce.folder { try settings.keyRingFolder(logger, noting: &$0) }
        var configuration = settings.service
        configuration.takesNotifications = keyRing.current.store != nil
        let tokenFile = TokenFile(folder: settings.keyRingPath)
        let tokens = try TokensInForce { try tokenFile.read(noting: &$0) }
        let certificate = try settings.service.certificate.map(ServerCertificate.init)
        let adminCertificate = try settings.service.adminCertificate.map(ServerCertificate.init)
        let registry = PrometheusRegistry(help: MetricHelp.texts)
        MetricsSystem.bootstrap(registry)
        InstrumentationSystem.bootstrap(TraceContextInstrument())
        ProgramLog.sink.show(in: registry)
        let connections = StoreConnections(
            settings.databaseConfiguration(), reports: settings.reportsConfiguration(),
            workerAddresses: settings.workerAddresses, size: configuration.databaseConnections, logger: logger)
        let store = PostbackStore(connections)
        let stored: StartReadings
        do {
            stored = try await StartReadings(store)
            try DescriptorLimit.fit(&configuration, lanes: stored.lanes, logger)
            try ServerComponents.checkListeners(configuration)
        } catch {
            let explained = await store.explained(error)
            await connections.close()
            throw explained
        }
        Self.log(settings, keyRing.current, tokens.ring, stored.lanes, stored.timeZone, logger)
        let service = try ServerComponents(
            configuration: configuration, keyRing: keyRing, tokens: tokens, connections: connections,
            lanes: stored.lanes, installedAt: stored.installedAt, timeZone: stored.timeZone, registry: registry,
            certificate: certificate, adminCertificate: adminCertificate, logger: logger)
        await service.readDimensions()
        let hangup = HangupSignal(files: service.files, logger: logger)
        var group = ServiceGroupConfiguration(
            services: [hangup] + service.services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        group.maximumGracefulShutdownDuration = service.timeToStop
        try await ServiceGroup(configuration: group).run()
        logger.info("stopped")
    }

    /// The effective configuration, once, without secrets.
    private static func log(
        _ settings: Settings, _ keys: KeyRingInForce.Content, _ tokens: TokenRing, _ lanes: LaneMap,
        _ timeZone: ReportTimeZone, _ logger: Logger
    ) {
        let keyRing = keys.keyRing
        if settings.service.adminToken == nil, tokens.tokens.isEmpty {
            logger.warning(
                """
                ADMIN_TOKEN is not set, and tokens.json has no token: signing and reports answer 401, and nobody can sign in to \
                the page
                """)
        }
        if settings.service.adminCertificate == nil, !settings.service.admin.isLoopback {
            logger.warning(
                """
                ADMIN_ALLOW_PLAINTEXT is on: tokens and the page cross the network unencrypted at \
                \(settings.service.admin.host)
                """)
        }
        logger.info(
            "starting",
            metadata: [
                "version": "\(BuildVersion.current)",
                "networks": "\(keyRing.networks.map(\.adNetworkID.text).joined(separator: " "))",
                "developer_apps": "\(keyRing.developerApps.count)",
                "app_store_apps": "\(keys.store?.trust.apps.count ?? 0)",
                "postback_keys": "\(keyRing.postbackKeys.map(\.name).joined(separator: " "))",
                "verifier": "\(settings.verifier.rawValue)",
                "public_suffix_list": "\(PublicSuffixList.embeddedDate)",
                "conversion_policy": "\(settings.service.conversionPolicy.rawValue)",
                "received_from": "\(settings.service.origins)",
                "reports_database": "\(settings.reportsDatabaseURL == nil ? "main" : "own")",
                "tls": "\(settings.service.certificate == nil ? "off" : "on")",
                "admin_tls": "\(settings.service.adminCertificate == nil ? "off" : "on")",
                "proxy_protocol": "\(settings.service.headerProxies == nil ? "off" : "on")",
                "lanes": "\(lanes.count)",
                "time_zone": "\(timeZone.name)",
                "distributed": "\(lanes.isDistributed)",
                "body_retention_days": "\(days(settings.service.retention.bodyDays))",
                "log_retention_days": "\(days(settings.service.retention.logDays))",
                "address_retention_days": "\(days(settings.service.retention.addressDays))",
                "reader_retention_days": "\(days(settings.service.retention.readerDays))",
                "load_retention_days": "\(days(settings.service.retention.loadDays))",
                "trail_retention_days": "\(days(settings.service.retention.trailDays))",
                "app_store_body_retention_days": "\(days(settings.service.storeBodyDays))",
                "apple_ads": "\(settings.service.appleAds.isOn ? "on" : "off")",
                "recount_interval_hours":
                    "\(settings.service.recountInterval.map { "\($0.components.seconds / 3_600)" } ?? "never")",
                "forwarding": "\(settings.service.forwarding.isOn ? "on" : "off")",
                "dead_letter_retention_days": "\(days(settings.service.forwarding.deadLetterDays))",
                "tokens": "\(tokens.tokens.count)",
            ])
    }

    private static func days(_ days: Int32?) -> String { days.map { String($0) } ?? "never" }
}
