import NIOCore

/// Sits ahead of the HTTP decoder and tells the guard of bytes that it would otherwise never see.
///
/// The decoder is silent until a head is complete, so a client that sends one byte a second would show only as a
/// connection without requests. Behind the decoder the clock could start no earlier than at the connection's idle
/// time-out; here it starts at the first byte. A head that begins in one read with the end of the request before is
/// seen at its next byte; if none comes, the idle time-out ends it. Bytes behind a refusal stop here too, undecoded.
final class RawBytesTap: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let owner: RequestGuard

    /// A tap for the guard further along the pipeline.
    init(owner: RequestGuard) {
        self.owner = owner
    }

    /// Hands bytes on that the guard wants decoded.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard owner.bytesArrived(Self.unwrapInboundIn(data)) else { return }
        context.fireChannelRead(data)
        owner.bytesDecoded()
    }
}
