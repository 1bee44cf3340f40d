package import Access
package import AdminAPI
import AdminPage
import AppStoreEvents
import AppleAds
import AuditTrail
import BackgroundWork
import EventLog
import Forwarding
package import HTTPListener
import Hummingbird
import HummingbirdCore
package import Logging
import Metrics
import NIOCore
package import Observability
package import PostbackIngest
package import PostbackStore
package import PostgresClient
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
    /// What is read again on SIGHUP.
    package let files: ServerFiles
    private let store: PostbackStore

    /// Wires the service over the connections to a database with these lanes, which was made at this time.
    ///
    /// - Throws: An error of a template of the page.
    package init(
        configuration: ServiceConfiguration, keyRing: KeyRingInForce, tokens: TokensInForce,
        connections: StoreConnections, lanes: LaneMap,
        installedAt: PostgresTimestamp, timeZone: ReportTimeZone, registry: PrometheusRegistry,
        certificate: ServerCertificate? = nil, adminCertificate: ServerCertificate? = nil,
        clock: WallClock = .system, logger: Logger
    ) throws {
        // Otherwise there are as many event loops as the machine has cores, and they hinder each other.
        NIOSingletons.groupLoopCountSuggestion = AvailableCores.count
        var logging = PostbackStore(
            connections, policy: configuration.conversionPolicy, quarantineLimits: configuration.quarantineLimits)
        logging.trailLogger = logger
        let store = logging
        let trail = Trail(store: store, logger: logger)
        let metrics = ServiceMetrics()
        let logMetrics = LogMetrics()
        let forwarding = ForwardingMetrics()
        let appleAds = AppleAdsMetrics()
        let queues = IngestQueues(
            store: store, limits: configuration.queues, lanes: lanes, metrics: metrics.postbacks, logger: logger)
        let counter = ImpressionCounter(store: store, logger: logger)
        let files = ServerFiles(
            keyRing: keyRing.reloading, tokens: tokens.reloading, certificate: certificate?.reloading,
            adminCertificate: adminCertificate?.reloading, logger: logger
        ) {
            await trail.note(.reload, of: $0, by: $1, $2)
        }
        let readiness = Readiness(store: store, metrics: metrics, files: files)
        let receiver = PostbackReceiver(
            keyRing: keyRing, queues: queues, clock: clock, metrics: metrics.postbacks, logger: logger)
        let storeMetrics = NotificationMetrics(unreplicatedCommits: metrics.postbacks.unreplicatedCommits)
        let notifications = NotificationQueues(
            store: store, limits: configuration.queues, keyRing: keyRing, metrics: storeMetrics, logger: logger)
        let intake = NotificationReceiver(
            keyRing: keyRing, queues: notifications, clock: clock, metrics: storeMetrics, logger: logger
        ).intake(budget: configuration.notificationBytes)
        let payloads = SignedPayloads(
            keyRing: keyRing, store: store, counter: counter, clock: clock, metrics: metrics,
            gate: AdmissionGate(capacity: configuration.maximumSignedPayloadRequests), logger: logger)
        let clients = metrics.connectionTable(of: .postbacks, limit: configuration.maximumConnections)
        let adminListeners = Self.adminPlaces(configuration).map { name, place in
            (
                name: name, place: place,
                clients: metrics.connectionTable(of: name, limit: configuration.maximumAdminConnections)
            )
        }
        var certificates: [(listener: ServiceMetrics.Listener, certificate: ServerCertificate)] = []
        if let certificate { certificates.append((listener: .postbacks, certificate: certificate)) }
        if let adminCertificate { certificates.append((listener: .admin, certificate: adminCertificate)) }
        let serverMetrics = ServerMetrics(certificates: certificates, tokens: tokens, clock: clock)
        registry.onCollect {
            serverMetrics.update()
            metrics.record(.postbacks, clients)
            for listener in adminListeners { metrics.record(listener.name, listener.clients) }
            metrics.queueDepth.record(queues.depth)
            storeMetrics.record(waiting: notifications.depth, bodyBytes: intake.bodies.reservedBytes)
            metrics.record(connections: connections.state)
            let refused = Set(files.refusals.map(\.part))
            for part in files.all { metrics.record(part.rawValue, isRefused: refused.contains(part)) }
            metrics.record(clusterBatches: connections.cluster.batches)
        }
        let admin = AdminRoutes(
            store: store, keyRing: keyRing, counter: counter, trail: trail, metrics: metrics,
            timeToLive: configuration.webAdTimeToLive,
            reportsDatabase: connections.hasReportsDatabase ? .reports : .main,
            reportLimits: configuration.reportLimits, readiness: readiness, files: files, timeZone: timeZone,
            clock: clock, exposition: { registry.exposition() }, guardsMetrics: configuration.guardsMetrics,
            logger: logger)
        let check = TokenCheck(admin: configuration.adminToken, named: tokens, clock: clock, logger: logger) {
            trail.sum($0, by: $1, $2)
        }
        let page = try AdminPages(
            store: store, keyRing: keyRing, tokens: check, proxy: configuration.signOnProxy, trail: trail,
            installedAt: installedAt,
            timeZone: timeZone, limits: configuration.reportLimits, clock: clock,
            tests: TestDelivery(
                secrets: configuration.forwarding.secrets, addresses: configuration.forwarding.addresses),
            secrets: configuration.forwarding.secrets, exposition: { registry.exposition() }, logger: logger)
        let router = AdminRouter(routes: admin.all, tokens: check, page: page.router)
        var services: [any Service] = [
            ConnectionsService(connections: connections, counter: counter, logger: logger),
            trail,
            queues,
            notifications,
            counter,
            FoldingService(.figures, store: store, logger: logger),
            FoldingService(.answers, store: store, logger: logger),
            Housekeeping.partitions(store, logger),
            Housekeeping.rights(store, logger),
            DayExpiry(store: store, rules: configuration.retention, metrics: logMetrics, logger: logger),
            Housekeeping.addresses(store, configuration.retention, logger),
            Housekeeping.rejectedAddresses(store, configuration.retention, logger),
            StoreGauges(
                store: store, metrics: metrics, logMetrics: logMetrics,
                readiness: lanes.isDistributed ? readiness : nil, standbys: StandbyMetrics(logger: logger),
                appleAds: appleAds, forwarding: configuration.forwarding.isOn ? nil : forwarding),
            LogCheck(store: store, metrics: logMetrics, logger: logger),
            FigureRecount(store: store, interval: configuration.recountInterval, logger: logger),
            Housekeeping.webAds(store, clock: clock, logger),
            Housekeeping.drafts(store, clock: clock, logger),
            Housekeeping.loads(store, configuration.retention, clock: clock, logger),
            Housekeeping.trail(store, configuration.retention, logger),
            Housekeeping.storeApps(store, keyRing, logger),
            Housekeeping.notificationAddresses(store, configuration.retention, clock: clock, logger),
            Housekeeping.storeBodies(store, days: configuration.storeBodyDays, clock: clock, logger),
            Housekeeping.appleAds(store, appleAds, logger),
            Housekeeping.deadLetters(store, configuration.forwarding, logger),
            TokenTrail(tokens: tokens, trail: trail, trailDays: configuration.retention.trailDays, logger: logger),
            ChangedFiles(files: files),
            MemoryReturn(tables: [clients] + adminListeners.map(\.clients)),
        ]
        if configuration.appleAds.isOn {
            services.append(
                AppleAdsService(
                    store: store, address: configuration.appleAds.address, metrics: appleAds, logger: logger))
        }
        if configuration.forwarding.isOn {
            services.append(
                ForwardingService(
                    store: store, secrets: configuration.forwarding.secrets,
                    addresses: configuration.forwarding.addresses,
                    threads: SendingThreads(
                        eventLoops: BackgroundThreads.sending.group, executor: BackgroundThreads.sending.executor),
                    metrics: forwarding, clock: clock, logger: logger))
        }
        services += adminListeners.map {
            Listeners.admin(
                $0.name, at: $0.place, names: configuration.adminNames, trusting: configuration.adminTrustedProxies,
                router: router, certificate: adminCertificate, metrics: metrics, connections: $0.clients,
                logger: logger)
        }
        services += [
            Listeners.postbacks(
                configuration, receiver: receiver, payloads: payloads, notifications: intake,
                onUnreadNotification: { storeMetrics.countUnread($0) },
                certificate: certificate, clock: clock, metrics: metrics, connections: clients, logger: logger),
            readiness,
        ]
        self.services = services
        self.files = files
        self.store = store
        timeToStop = configuration.queues.deadline + .milliseconds(500)
    }

    /// Reads lines and domains, so that the first batches need not wait for them.
    package func readDimensions() async { await store.readDimensions() }

    /// Makes sure that all listeners can be bound, before anything is begun.
    ///
    /// So a place that is taken gives one line, and no listener has opened its doors. The places are free again
    /// afterwards: if somebody else takes one before the listener does, the listener's own error says so.
    ///
    /// - Throws: `ListenerError`.
    package static func checkListeners(_ configuration: ServiceConfiguration) throws(ListenerError) {
        var probes: [ListenerProbe] = []
        defer { for probe in probes { probe.close() } }
        let places = [(ServiceMetrics.Listener.postbacks, .address(configuration.http))] + adminPlaces(configuration)
        for (listener, place) in places {
            do {
                probes.append(try ListenerProbe(place))
            } catch {
                throw ListenerError(listener, place, error)
            }
        }
    }

    /// Where the admin listener is, each place with a table of its own: clients on TCP take no places on the socket.
    private static func adminPlaces(
        _ configuration: ServiceConfiguration
    ) -> [(ServiceMetrics.Listener, ListenerPlace)] {
        [(.admin, .address(configuration.admin))]
            + (configuration.adminSocket.map { [(.adminSocket, .socket($0))] } ?? [])
    }
}
