import NIOCore
import NIOHTTP1
import NIOTLS

/// A request, and the promise of its answer.
struct HTTPExchange: Sendable {
    let head: HTTPRequestHead
    let body: ByteBuffer
    let answer: EventLoopPromise<HTTPAnswer>
}

/// One request after the other on one connection.
final class ExchangeHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = HTTPExchange
    typealias OutboundOut = HTTPClientRequestPart

    /// The greatest number of bytes of an answer's body.
    private static let largest = 1 << 20

    /// Succeeds when requests can be sent: after the handshake of TLS, if there is one.
    private let ready: EventLoopPromise<Void>
    private let isTLS: Bool
    private var waiting: HTTPExchange?
    private var head: HTTPResponseHead?
    private var beginning: [UInt8] = []
    private var size = 0

    init(ready: EventLoopPromise<Void>, isTLS: Bool) {
        self.ready = ready
        self.isTLS = isTLS
    }

    func channelActive(context: ChannelHandlerContext) {
        if !isTLS { ready.succeed() }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { ready.succeed() }
        context.fireUserInboundEventTriggered(event)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let exchange = unwrapOutboundIn(data)
        guard waiting == nil, context.channel.isActive else {
            promise?.fail(HTTPError.closed)
            return
        }
        waiting = exchange
        context.write(wrapOutboundOut(.head(exchange.head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(exchange.body))), promise: nil)
        context.write(wrapOutboundOut(.end(nil)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            beginning = []
            size = 0
        case .body(let buffer):
            size += buffer.readableBytes
            beginning += buffer.readableBytesView.prefix(HTTPAnswer.kept - beginning.count)
            if size > Self.largest { fail(HTTPError.tooLong, context) }
        case .end:
            guard let head, let waiting else { return fail(HTTPError.closed, context) }
            self.head = nil
            self.waiting = nil
            if !head.isKeepAlive { context.close(promise: nil) }
            waiting.answer.succeed(
                HTTPAnswer(
                    status: Int(head.status.code), location: head.headers.first(name: "location"), beginning: beginning)
            )
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(error, context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(HTTPError.closed, context)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        ready.fail(HTTPError.closed)
        waiting?.answer.fail(HTTPError.closed)
        waiting = nil
    }

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        ready.fail(error)
        waiting?.answer.fail(error)
        waiting = nil
        context.close(promise: nil)
    }
}
