import Logging
import NIOCore
import NIOSSL
import NIOTLS

/// Watches how a connection opens, up to the first byte of HTTP: the header of a proxy, then the TLS handshake.
///
/// It stands behind the handler of TLS. Both steps together have one deadline, and the time that they took is told as
/// an event of type `ConnectionOpened`.
final class ConnectionOpening: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// What the connection waits for.
    private enum Phase {
        case proxyHeader
        case handshake
        case open
        case closed
    }

    private let deadline: Duration
    private let isSecure: Bool
    private let onFailure: (OpeningFailure) -> Void
    private let logger: Logger
    private var phase: Phase
    private var began: NIODeadline?
    private var timeout: Scheduled<Void>?

    /// Makes the handler for one connection.
    ///
    /// - Parameters:
    ///   - deadline: The greatest time for both steps.
    ///   - awaitsProxyHeader: Whether the connection begins with a header of the PROXY protocol.
    ///   - isSecure: Whether it goes on with TLS.
    ///   - onFailure: Called on the event loop if a step fails here.
    init(
        deadline: Duration, awaitsProxyHeader: Bool, isSecure: Bool,
        onFailure: @escaping @Sendable (OpeningFailure) -> Void, logger: Logger
    ) {
        self.deadline = deadline
        self.isSecure = isSecure
        self.onFailure = onFailure
        self.logger = logger
        phase = awaitsProxyHeader ? .proxyHeader : .handshake
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timeout?.cancel()
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        phase = .closed
        timeout?.cancel()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        switch (phase, event) {
        case (.proxyHeader, is ProxyHeader) where isSecure: phase = .handshake
        case (.proxyHeader, is ProxyHeader): end(context)
        case (.handshake, TLSUserEvent.handshakeCompleted): end(context)
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch (phase, error) {
        case (.proxyHeader, is NIOSSLError), (.closed, is NIOSSLError):
            // The client went away before the handshake, or the handshake ended together with the connection.
            break
        case (.handshake, let error as NIOSSLError):
            phase = .closed
            onFailure(Self.isEnd(error) ? .abandonedHandshake : .refusedHandshake)
            logger.debug("TLS handshake failed", metadata: ["error": "\(error)"])
        case (.open, NIOSSLError.uncleanShutdown):
            // Many clients close without saying so in TLS. HTTP has its own ends, so nothing can be cut unseen.
            break
        default:
            context.fireErrorCaught(error)
        }
    }

    /// Whether the connection ended before the handshake was complete.
    private static func isEnd(_ error: NIOSSLError) -> Bool {
        error == .handshakeFailed(.sslError([.eofDuringHandshake]))
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard began == nil else { return }
        began = context.eventLoop.now
        timeout = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(deadline)) { [weak self] in
            self?.expire(context)
        }
    }

    private func expire(_ context: ChannelHandlerContext) {
        switch phase {
        case .proxyHeader: onFailure(.slowProxyHeader)
        case .handshake: onFailure(.slowHandshake)
        case .open, .closed: return
        }
        phase = .closed
        context.close(promise: nil)
    }

    private func end(_ context: ChannelHandlerContext) {
        phase = .open
        timeout?.cancel()
        timeout = nil
        let now = context.eventLoop.now
        let elapsed = now - (began ?? now)
        context.fireUserInboundEventTriggered(ConnectionOpened(elapsed: .nanoseconds(elapsed.nanoseconds)))
    }
}

/// A connection is ready for its first request.
package struct ConnectionOpened: Sendable {
    /// The time from the beginning of the connection until now.
    package let elapsed: Duration
}
