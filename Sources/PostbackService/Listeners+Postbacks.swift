import AdAttribution
import HTTPListener
import Logging
import NIOCore
import NIOPosix
import Observability
import PostbackIngest
import ServiceLifecycle

extension Listeners {
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
                guard !rejection.isOfLargeBody else { return onUnreadNotification(rejection.outcome.rawValue) }
                // Only a body that is too large is one of a postback's own outcomes.
                guard rejection.outcome == .tooLarge else { return }
                metrics.postbacks.count(.tooLarge, .unknown)
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
}
