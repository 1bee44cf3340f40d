import AdAttribution
import ConnectionTransport
import HTTPLimits
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Observability
import ServiceLifecycle

/// How the two listeners are served: limits, time-outs, and what is logged when they are up.
enum Listeners {
    /// The public listener: bytes from anyone, so every limit is on.
    static func postbacks(
        _ configuration: ServiceConfiguration, receiver: PostbackReceiver, routes: RouteTable<BasicRequestContext>,
        certificate: ServerCertificate? = nil, clock: WallClock, metrics: ServiceMetrics, connections: ConnectionTable,
        logger: Logger
    ) -> any Service {
        let transport = transport(configuration, certificate, metrics)
        let limits = RequestLimits(
            maximumBodyBytes: Postback.maximumBodySize, sendBufferBytes: 32 * 1024,
            lifetime: configuration.connectionLifetime, maximumRequests: configuration.connectionRequests,
            maximumUnverifiedRequests: 50)
        let responses = PostbackResponses(clock: clock)
        let origins = configuration.origins
        return application(
            configuration.http, name: "postbacks", routes: routes, connections: connections, logger: logger
        ) { responder in
            GuardedChannel(limits: limits, transport: transport, table: connections, responder: responder) {
                rejection in
                // Only a body that is too large is one of a postback's own outcomes.
                if rejection.outcome == PostbackOutcome.tooLarge.rawValue { metrics.count(.tooLarge, .unknown) }
            } handlers: { requestGuard in
                [
                    PostbackChannelHandler(
                        behind: requestGuard, origins: origins, responses: responses, receive: receiver.receive)
                ]
            }
        }
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

    /// The admin listener.
    static func admin(
        _ configuration: ServiceConfiguration, routes: RouteTable<BasicRequestContext>, connections: ConnectionTable,
        logger: Logger
    ) -> any Service {
        let limits = RequestLimits(maximumBodyBytes: ImpressionSigning.maximumBodySize)
        return application(
            configuration.admin, name: "admin", routes: routes, connections: connections, logger: logger
        ) {
            GuardedChannel(limits: limits, table: connections, responder: $0)
        }
    }

    /// - Parameter channel: Sets up the channel of each connection.
    private static func application(
        _ listener: ServiceConfiguration.ListenerAddress, name: String, routes: RouteTable<BasicRequestContext>,
        connections: ConnectionTable, logger: Logger,
        channel: @escaping @Sendable (@escaping HTTPChannelHandler.Responder) -> GuardedChannel
    ) -> any Service {
        let configuration = ApplicationConfiguration(
            address: .hostname(listener.host, port: listener.port), serverName: nil, backlog: 1_024)
        let application = Application(
            responder: FaultResponder(next: routes),
            server: HTTPServerBuilder(channel),
            configuration: configuration,
            onServerRunning: { channel in
                try? await channel.pipeline.addHandler(AcceptGate(connections), position: .first).get()
                logger.info(
                    "listening",
                    metadata: [
                        "listener": "\(name)", "host": "\(listener.host)",
                        "port": "\(channel.localAddress?.port ?? listener.port)",
                    ])
            },
            logger: logger)
        return ListenerService(application: application, name: name, address: listener)
    }
}

/// Runs a listener; where it can't be bound, says which one and where.
private struct ListenerService<Application: ApplicationProtocol>: Service {
    let application: Application
    let name: String
    let address: ServiceConfiguration.ListenerAddress

    func run() async throws {
        do {
            try await application.run()
        } catch let error where !(error is CancellationError) {
            throw ListenerError(name: name, host: address.host, port: address.port, reason: "\(error)")
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
        } catch let rejection as RequestRejection {
            throw rejection
        } catch {
            failed.log(to: context.logger, ["error": "\(error)"])
            return .error(.internalServerError, field: "server", rule: "failed; nothing was stored")
        }
    }
}

/// Why a listener can't be bound.
///
/// Often its port is in use, or its host is not an address of this machine.
package struct ListenerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The listener: `postbacks` or `admin`.
    package let name: String
    /// The host of the address.
    package let host: String
    /// The port of the address.
    package let port: Int
    /// The system's reason.
    package let reason: String

    /// Listener, address and reason in one line.
    package var description: String { "listener \(name): \(host):\(port): \(reason)" }
}
