import NIOCore

/// A handler before the decoder and the encoder of HTTP.
///
/// It tells the guard about bytes that the guard would not see otherwise.
///
/// The decoder passes nothing on until a head is complete. So a client that sends one byte a second would look like an
/// idle connection, and only the idle time-out would end it. Here the clock starts at the first byte. If a head begins
/// in the same read as the end of the request before, it is seen at its next byte. If there is none, the idle time-out
/// ends the connection. Bytes after a refusal are stopped here and not decoded.
final class RawBytesTap: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let owner: RequestGuard
    private var context: ChannelHandlerContext?

    /// Makes the handler for the guard, which is later in the pipeline.
    init(owner: RequestGuard) {
        self.owner = owner
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Sends bytes past the encoder.
    func send(_ bytes: ByteBuffer, promise: EventLoopPromise<Void>?) {
        guard let context else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        context.writeAndFlush(Self.wrapOutboundOut(bytes), promise: promise)
    }

    /// Passes on the bytes that must be decoded.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard owner.bytesArrived(Self.unwrapInboundIn(data)) else { return }
        context.fireChannelRead(data)
        owner.bytesDecoded()
    }
}
