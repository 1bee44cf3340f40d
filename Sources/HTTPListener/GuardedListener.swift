package import Logging
package import NIOCore
import NIOExtras
package import NIOPosix
import ServiceLifecycle

/// A listener whose connections are answered by channel handlers, without a framework and without tasks.
///
/// A connection costs its handlers only. Opening and closing one takes the same time however many are open. An event
/// loop of its own accepts connections. So busy connections delay no new one. New ones would wait in the system's
/// backlog, and a full backlog drops them.
///
/// If the service shuts down, no connection is accepted any more, and each handler gets a `ChannelShouldQuiesceEvent`.
/// The service ends when all connections are closed, or at once if its task is cancelled.
package struct GuardedListener: Service {
    /// The size of the system's buffer for what is sent on a connection, which doubles it.
    private static let sendBufferBytes = 32 * 1024
    /// The size of the system's buffer for what was received on a connection, which doubles it.
    ///
    /// A client that sends and sends fills it and must stop.
    private static let receiveBufferBytes = 64 * 1024

    private let pipeline: GuardedPipeline
    private let logger: Logger
    private let bind: @Sendable (ServerBootstrap) -> EventLoopFuture<any Channel>
    private let onRunning: @Sendable (any Channel) -> Void
    private let handler: @Sendable (RequestGuard) -> any ChannelHandler

    /// Takes what each connection has.
    ///
    /// - Parameters:
    ///   - pipeline: What stands before the handler.
    ///   - logger: Gets messages of the transport.
    ///   - bind: Binds the listener.
    ///   - onRunning: Called when the listener is bound.
    ///   - handler: Makes the last handler of a connection. It gets the parts of `NIOHTTP1`.
    package init(
        _ pipeline: GuardedPipeline, logger: Logger,
        bind: @escaping @Sendable (ServerBootstrap) -> EventLoopFuture<any Channel>,
        onRunning: @escaping @Sendable (any Channel) -> Void,
        handler: @escaping @Sendable (RequestGuard) -> any ChannelHandler
    ) {
        self.pipeline = pipeline
        self.logger = logger
        self.bind = bind
        self.onRunning = onRunning
        self.handler = handler
    }

    /// The event loop that accepts, for all listeners of the process.
    ///
    /// It is never shut down: a connection that outlives its listener still tells it that it is closed.
    private static let acceptor = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    package func run() async throws {
        let quiescing = ServerQuiescingHelper(group: Self.acceptor)
        let channel = try await bind(bootstrap(quiescing)).get()
        let drained = channel.eventLoop.makePromise(of: Void.self)
        let over = channel.eventLoop.makePromise(of: Void.self)
        drained.futureResult.cascade(to: over)
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                onRunning(channel)
                try? await over.futureResult.get()
            } onGracefulShutdown: {
                quiescing.initiateShutdown(promise: drained)
            }
        } onCancel: {
            quiescing.initiateShutdown(promise: drained)
            over.succeed()
        }
    }

    private func bootstrap(_ quiescing: ServerQuiescingHelper) -> ServerBootstrap {
        ServerBootstrap(group: Self.acceptor, childGroup: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 4_096)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // Connections inherit the sizes of the buffers.
            .serverChannelOption(.socketOption(.so_sndbuf), value: .init(Self.sendBufferBytes))
            .serverChannelOption(.socketOption(.so_rcvbuf), value: .init(Self.receiveBufferBytes))
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let operations = channel.pipeline.syncOperations
                    try operations.addHandler(AcceptGate(pipeline.table))
                    try operations.addHandler(quiescing.makeServerChannelHandler(channel: channel))
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let requestGuard = try pipeline.setUp(channel, logger: logger)
                    try channel.pipeline.syncOperations.addHandler(handler(requestGuard))
                }
            }
    }
}
