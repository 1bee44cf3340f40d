package import AdAttribution
package import ConnectionTransport
import Hummingbird
import HummingbirdCore
package import Logging
import Metrics
import NIOCore
package import Observability
package import PostbackStore
package import ServiceLifecycle

/// The whole service, wired: two listeners, the queues behind them, and the counters beside.
///
/// Its parts stop in the reverse of the order in which `services` lists them. First `/ready` says no, and then the
/// listeners finish what they have begun. Then the queues commit what they took. Last, the connections close.
package struct ServerComponents: Sendable {
    /// The parts, to be run as one `ServiceGroup`.
    package let services: [any Service]

    /// Wires the service over the connections to a database with these lanes.
    package init(
        configuration: ServiceConfiguration, keyRing: KeyRing, connections: StoreConnections, lanes: LaneMap,
        registry: PrometheusRegistry, certificate: ServerCertificate? = nil, clock: WallClock = .system, logger: Logger
    ) {
        // Otherwise there are as many event loops as the machine has cores, and they hinder each other.
        NIOSingletons.groupLoopCountSuggestion = AvailableCores.count
        let store = PostbackStore(
            connections, policy: configuration.conversionPolicy, quarantineLimits: configuration.quarantineLimits)
        let metrics = ServiceMetrics()
        let queues = IngestQueues(
            store: store, configuration: configuration, lanes: lanes, metrics: metrics, logger: logger)
        let counter = ImpressionCounter(store: store, logger: logger)
        let readiness = Readiness(store: store)
        let receiver = PostbackReceiver(
            verifier: PostbackVerifier(keyRing: keyRing), queues: queues, clock: clock, metrics: metrics, logger: logger
        )
        let payloads = SignedPayloads(
            keyRing: keyRing, store: store, counter: counter, clock: clock, metrics: metrics,
            gate: AdmissionGate(capacity: configuration.maximumSignedPayloadRequests), logger: logger)
        let clients = metrics.connectionTable(of: .postbacks, limit: configuration.maximumConnections)
        let adminClients = metrics.connectionTable(of: .admin, limit: configuration.maximumAdminConnections)
        registry.onCollect {
            metrics.record(.postbacks, clients)
            metrics.record(.admin, adminClients)
            metrics.queueDepth.record(queues.postbacks.depth)
            metrics.record(connections: connections.state)
        }
        let admin = AdminRoutes(
            token: configuration.adminToken,
            impressions: ImpressionSigning(keyRing: keyRing, counter: counter, clock: clock, metrics: metrics),
            webAds: WebAdLinks(
                keyRing: keyRing, store: store, timeToLive: configuration.webAdTimeToLive, clock: clock,
                logger: logger),
            reports: CampaignReports(
                store: store, database: connections.reports == nil ? .main : .reports, clock: clock, logger: logger),
            readiness: readiness,
            exposition: { registry.exposition() })
        services = [
            ConnectionsService(connections: connections),
            queues,
            counter,
            LogFolder(store: store, logger: logger),
            AnswerFolder(store: store, logger: logger),
            PartitionMaker(store: store, logger: logger),
            DayExpiry(store: store, rules: configuration.retention, metrics: metrics, logger: logger),
            AddressExpiry(store: store, rules: configuration.retention, logger: logger),
            StoreGauges(store: store, metrics: metrics),
            WebAdExpiry(store: store, clock: clock, logger: logger),
            CertificateReader(certificate: certificate, logger: logger),
            MemoryReturn(tables: [clients, adminClients]),
            Listeners.admin(configuration, routes: admin.table(), connections: adminClients, logger: logger),
            Listeners.postbacks(
                configuration, receiver: receiver, payloads: payloads,
                certificate: certificate, clock: clock, metrics: metrics, connections: clients, logger: logger),
            readiness,
        ]
    }
}

/// Closes the connections to the database when everything else has stopped.
private struct ConnectionsService: Service {
    let connections: StoreConnections

    func run() async throws {
        try? await gracefulShutdown()
        await connections.close()
    }
}
