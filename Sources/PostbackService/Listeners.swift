import AdAttribution
import AdminAPI
import AdminPage
import HTTPListener
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import Observability
import PostbackIngest
import ServiceLifecycle

/// How the listeners are served: limits, time-outs, and what is logged when they are up.
enum Listeners {
    /// The public listener: bytes from anyone, so every limit is on.
    static func postbacks(
        _ configuration: ServiceConfiguration, receiver: PostbackReceiver, payloads: SignedPayloads,
        notifications: NotificationIntake? = nil, onUnreadNotification: @escaping @Sendable (String) -> Void = { _ in },
        certificate: ServerCertificate? = nil, clock: WallClock, metrics: ServiceMetrics, connections: ConnectionTable,
        logger: Logger
    ) -> any Service {
        let limits = RequestLimits(
            maximumBodyBytes: Postback.maximumBodySize, largeBodies: notifications?.bodies,
            lifetime: configuration.connectionLifetime,
            maximumRequests: configuration.connectionRequests, maximumUnverifiedRequests: 16)
        let pipeline = GuardedPipeline(
            limits: limits, transport: transport(configuration, certificate, metrics), table: connections,
            onRejection: { rejection in
                guard !rejection.isOfLargeBody else { return onUnreadNotification(rejection.outcome) }
                // Only a body that is too large is one of a postback's own outcomes.
                if rejection.outcome == PostbackOutcome.tooLarge.rawValue { metrics.count(.tooLarge, .unknown) }
            })
        let responses = PublicResponses(clock: clock)
        let (origins, trusted) = (configuration.origins, configuration.trustedProxies)
        let address = configuration.http
        let place = ListenerPlace.address(address)
        let listener = GuardedListener(pipeline, logger: logger) {
            $0.bind(host: address.host, port: address.port)
        } onRunning: {
            isListening($0, .postbacks, place, logger)
        } handler: { requestGuard in
            PublicChannelHandler(
                behind: requestGuard, trusting: trusted, origins: origins, responses: responses,
                receive: receiver.receive,
                ask: { body, answer in Task { answer(await payloads.answer(to: body)) } },
                notifications: notifications)
        }
        return ListenerService(service: listener, listener: .postbacks, place: place)
    }

    /// What stands before HTTP on the public listener.
    private static func transport(
        _ configuration: ServiceConfiguration, _ certificate: ServerCertificate?, _ metrics: ServiceMetrics
    ) -> ConnectionTransport {
        var isTrusted: (@Sendable (SocketAddress?) -> Bool)?
        if let proxies = configuration.headerProxies {
            isTrusted = { proxies.contains(ConnectionPeer($0)) }
        }
        return ConnectionTransport(
            certificate: certificate, isTrustedProxy: isTrusted, onFailure: { metrics.count($0) })
    }

    /// The admin listener, at an address or at a Unix socket, on threads of its own.
    ///
    /// - Parameter certificate: The certificate for TLS; at a Unix socket it is not used.
    static func admin(
        _ listener: ServiceMetrics.Listener, at place: ListenerPlace, names: AdminNames,
        trusting trusted: TrustedProxies?, router: AdminRouter, certificate: ServerCertificate? = nil,
        metrics: ServiceMetrics, connections: ConnectionTable, logger: Logger
    ) -> any Service {
        let pipeline = GuardedPipeline(
            limits: RequestLimits(
                maximumBodyBytes: max(ImpressionSigning.maximumBodySize, AdminPages.maximumBodySize)),
            transport: ConnectionTransport(
                certificate: place.isAddress ? certificate : nil, onFailure: { metrics.count($0) }),
            table: connections,
            encode: { Problem($0).encoded })
        let application = Application(
            responder: IdentifyingResponder(
                trusted: trusted,
                next: AdminGate(names: place.names(beside: names), next: FaultResponder(next: router))),
            server: HTTPServerBuilder { GuardedChannel(pipeline, responder: $0) },
            configuration: ApplicationConfiguration(
                address: place.bindAddress, serverName: nil, backlog: 1_024),
            onServerRunning: { channel in
                try? await channel.pipeline.addHandler(AcceptGate(connections), position: .first).get()
                if case .socket(let path) = place {
                    do {
                        try path.setMode()
                    } catch {
                        logger.error("only the owner of the process may connect", metadata: ["error": "\(error)"])
                    }
                }
                isListening(channel, listener, place, logger)
            },
            eventLoopGroupProvider: .shared(BackgroundThreads.admin.group), logger: logger)
        return ListenerService(
            service: application, listener: listener, place: place, executor: BackgroundThreads.admin.executor)
    }

    private static func isListening(
        _ channel: any Channel, _ listener: ServiceMetrics.Listener, _ place: ListenerPlace, _ logger: Logger
    ) {
        logger.info(
            "listening",
            metadata: ["listener": "\(listener.rawValue)"].merging(place.metadata(channel)) { $1 })
    }
}

/// Runs a listener; if it can't be bound, says which one and where.
private struct ListenerService<Listener: Service>: Service {
    let service: Listener
    let listener: ServiceMetrics.Listener
    let place: ListenerPlace
    /// Where its tasks run; nil on the threads of all tasks.
    var executor: (any TaskExecutor)?

    func run() async throws {
        do {
            if case .socket(let path) = place { try path.claim() }
            try await withTaskExecutorPreference(executor) { try await service.run() }
        } catch is CancellationError {
            // It took too long to stop.
        } catch {
            throw ListenerError(listener, place, error)
        }
    }
}

/// Answers what a handler threw with 500 and logs it; a request that the connection's guard has already answered is
/// passed on as it is.
struct FaultResponder<Next: HTTPResponder>: HTTPResponder where Next.Context: RequestContext {
    let next: Next
    private let failed = RepeatedLine(.error, "request failed")

    init(next: Next) {
        self.next = next
    }

    func respond(to request: Request, context: Next.Context) async throws -> Response {
        do {
            return try await next.respond(to: request, context: context)
        } catch let rejection as RequestError {
            throw rejection
        } catch {
            failed.log(to: context.logger, ["error": "\(error)"])
            return Response(Problem(.serverFailed, field: "server", rule: "failed; nothing was stored"))
        }
    }
}
