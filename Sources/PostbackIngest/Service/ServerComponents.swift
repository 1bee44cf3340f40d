package import AdAttribution
package import ConnectionTransport
import HTTPLimits
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
/// listeners finish what they have begun. Then the queues commit what they took. Last, impressions are counted and the
/// connections close. What is not over by `timeToStop` is cancelled, and what it waits for is given up.
package struct ServerComponents: Sendable {
    /// The parts, to be run as one `ServiceGroup`.
    package let services: [any Service]

    /// How long the parts have to stop in order.
    ///
    /// By then each postback was answered. The rest takes at most a second.
    package let timeToStop: Duration

    /// Wires the service over the connections to a database with these lanes.
    ///
    /// - Throws: An error of a template of the page.
    package init(
        configuration: ServiceConfiguration, keyRing: KeyRing, connections: StoreConnections, lanes: LaneMap,
        registry: PrometheusRegistry, certificate: ServerCertificate? = nil, clock: WallClock = .system, logger: Logger
    ) throws {
        // Otherwise there are as many event loops as the machine has cores, and they hinder each other.
        NIOSingletons.groupLoopCountSuggestion = AvailableCores.count
        let store = PostbackStore(
            connections, policy: configuration.conversionPolicy, quarantineLimits: configuration.quarantineLimits)
        let metrics = ServiceMetrics()
        let queues = IngestQueues(
            store: store, configuration: configuration, lanes: lanes, metrics: metrics, logger: logger)
        let counter = ImpressionCounter(store: store, logger: logger)
        let readiness = Readiness(store: store, metrics: metrics)
        let receiver = PostbackReceiver(
            verifier: PostbackVerifier(keyRing: keyRing), queues: queues, clock: clock, metrics: metrics, logger: logger
        )
        let payloads = SignedPayloads(
            keyRing: keyRing, store: store, counter: counter, clock: clock, metrics: metrics,
            gate: AdmissionGate(capacity: configuration.maximumSignedPayloadRequests), logger: logger)
        let clients = metrics.connectionTable(of: .postbacks, limit: configuration.maximumConnections)
        let adminListeners = Self.adminListeners(configuration, metrics)
        registry.onCollect {
            metrics.record(.postbacks, clients)
            for listener in adminListeners { metrics.record(listener.name, listener.clients) }
            metrics.queueDepth.record(queues.postbacks.depth)
            metrics.record(connections: connections.state)
            metrics.record(clusterBatches: connections.cluster.batches)
        }
        let admin = AdminRoutes(
            impressions: ImpressionSigning(keyRing: keyRing, counter: counter, clock: clock, metrics: metrics),
            webAds: WebAdLinks(
                keyRing: keyRing, store: store, timeToLive: configuration.webAdTimeToLive, clock: clock,
                logger: logger),
            reports: ReportRoutes(
                store: store, database: connections.hasReportsDatabase ? .reports : .main,
                limits: configuration.reportLimits, clock: clock, logger: logger),
            events: EventFeed(store: store, logger: logger), readers: EventReaders(store: store, logger: logger),
            readiness: readiness,
            exposition: { registry.exposition() })
        let page = try AdminPages(
            store: store, keyRing: keyRing, token: configuration.adminToken, limits: configuration.reportLimits,
            clock: clock, exposition: { registry.exposition() }, logger: logger)
        let router = AdminRouter(routes: admin.all, token: configuration.adminToken, page: page.router)
        var services: [any Service] = [
            ConnectionsService(connections: connections, counter: counter, logger: logger),
            queues,
            counter,
            LogFolder(store: store, logger: logger),
            AnswerFolder(store: store, logger: logger),
            Housekeeping.partitions(store, logger),
            DayExpiry(store: store, rules: configuration.retention, metrics: metrics, logger: logger),
            Housekeeping.addresses(store, configuration.retention, logger),
            Housekeeping.rejectedAddresses(store, configuration.retention, logger),
            StoreGauges(store: store, metrics: metrics, readiness: lanes.isDistributed ? readiness : nil),
            Housekeeping.webAds(store, clock: clock, logger),
            CertificateReader(certificate: certificate, logger: logger),
            MemoryReturn(tables: [clients] + adminListeners.map(\.clients)),
        ]
        services += adminListeners.map {
            Listeners.admin($0.name, at: $0.place, router: router, connections: $0.clients, logger: logger)
        }
        services += [
            Listeners.postbacks(
                configuration, receiver: receiver, payloads: payloads,
                certificate: certificate, clock: clock, metrics: metrics, connections: clients, logger: logger),
            readiness,
        ]
        self.services = services
        timeToStop = configuration.ingestDeadline + .milliseconds(500)
    }

    /// Where the admin listener is, each place with a table of its own: clients on TCP take no places on the socket.
    private static func adminListeners(
        _ configuration: ServiceConfiguration, _ metrics: ServiceMetrics
    ) -> [(name: ServiceMetrics.Listener, place: ListenerPlace, clients: ConnectionTable)] {
        var places: [(ServiceMetrics.Listener, ListenerPlace)] = [(.admin, .address(configuration.admin))]
        if let path = configuration.adminSocket { places.append((.adminSocket, .socket(path))) }
        return places.map { name, place in
            (name, place, metrics.connectionTable(of: name, limit: configuration.maximumAdminConnections))
        }
    }
}
