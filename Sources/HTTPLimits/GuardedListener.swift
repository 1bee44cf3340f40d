package import Logging
package import NIOCore
import NIOExtras
package import NIOPosix
import ServiceLifecycle

/// A listener whose connections are answered by channel handlers, without a framework and without tasks.
///
/// A connection costs its handlers only. Opening and closing one takes the same time however many are open. Connections are
/// accepted on an event loop of their own, so a busy connection does not leave others in the system's backlog, where they
/// are dropped if it is full.
///
/// If the service shuts down, no connection is accepted any more, and each handler gets a `ChannelShouldQuiesceEvent`. The
/// service ends when all connections are closed, or at once if its task is cancelled.
package struct GuardedListener: Service {
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

    package func run() async throws {
        let acceptor = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            try await serve(acceptor)
        } catch {
            try await acceptor.shutdownGracefully()
            throw error
        }
        try await acceptor.shutdownGracefully()
    }

    private func serve(_ acceptor: MultiThreadedEventLoopGroup) async throws {
        let quiescing = ServerQuiescingHelper(group: acceptor)
        let channel = try await bind(bootstrap(acceptor, quiescing)).get()
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

    private func bootstrap(_ acceptor: MultiThreadedEventLoopGroup, _ quiescing: ServerQuiescingHelper)
        -> ServerBootstrap
    {
        ServerBootstrap(group: acceptor, childGroup: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 4_096)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
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
