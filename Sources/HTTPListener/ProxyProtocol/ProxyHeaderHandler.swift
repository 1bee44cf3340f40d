import NIOCore

/// The first handler of a connection that comes through a proxy: takes the header, then leaves the pipeline.
///
/// It tells the handlers behind it what the header says, as an event of type `ProxyHeader`.
final class ProxyHeaderHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let isTrusted: (SocketAddress?) -> Bool
    private let onFailure: (OpeningFailure) -> Void
    private var received = ByteBuffer()
    private var isClosing = false

    /// Makes the handler for one connection.
    /// - Parameters:
    ///   - isTrusted: Whether a peer is a proxy whose header is believed.
    ///   - onFailure: Called on the event loop if the connection is refused.
    init(
        isTrusted: @escaping @Sendable (SocketAddress?) -> Bool,
        onFailure: @escaping @Sendable (OpeningFailure) -> Void
    ) {
        self.isTrusted = isTrusted
        self.onFailure = onFailure
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { checkPeer(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        checkPeer(context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        var bytes = Self.unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        do throws(ProxyHeaderError) {
            guard let header = try ProxyHeader.read(from: &received) else { return }
            context.fireUserInboundEventTriggered(header)
            if received.readableBytes > 0 { context.fireChannelRead(Self.wrapInboundOut(received)) }
            received = ByteBuffer()
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        } catch {
            refuse(.malformedProxyHeader, context)
        }
    }

    private func checkPeer(_ context: ChannelHandlerContext) {
        if !isTrusted(context.channel.remoteAddress) { refuse(.untrustedProxy, context) }
    }

    private func refuse(_ failure: OpeningFailure, _ context: ChannelHandlerContext) {
        guard !isClosing else { return }
        isClosing = true
        onFailure(failure)
        context.close(promise: nil)
    }
}
