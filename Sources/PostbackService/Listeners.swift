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

    static func isListening(
        _ channel: any Channel, _ listener: ServiceMetrics.Listener, _ place: ListenerPlace, _ logger: Logger
    ) {
        logger.info(
            "listening",
            metadata: ["listener": "\(listener.rawValue)"].merging(place.metadata(channel)) { $1 })
    }
}

/// Runs a listener; if it can't be bound, says which one and where.
struct ListenerService<Listener: Service>: Service {
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
