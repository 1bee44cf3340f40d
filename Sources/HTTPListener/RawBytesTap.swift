import NIOCore

/// A handler before the decoder and the encoder of HTTP.
///
/// It tells the guard about bytes that the guard would not see otherwise, and bounds how many requests are decoded
/// ahead.
///
/// The decoder passes nothing on until a head is complete. So a client that sends one byte a second would look like an
/// idle connection, and only the idle time-out would end it. Here the clock starts at the first byte. Bytes after a
/// refusal are stopped here and not decoded.
///
/// A decoded request takes 20 times the memory of its bytes. So what comes in one read is decoded in slices: the first
/// one at once, each further one if a handler behind asks for a read. The socket is read if all slices are decoded. No
/// slice holds bytes of two requests, so the guard knows when each begins, and nothing is decoded behind the last
/// request of a connection.
final class RawBytesTap: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The most bytes of a read that are decoded at once.
    static let firstSlice = 2_048
    /// The most bytes that are decoded at once after the first slice.
    static let furtherSlice = 512

    /// The guard, as long as this handler is in a pipeline.
    ///
    /// The guard has a reference to this handler, so each would keep the other in memory for ever.
    private var owner: RequestGuard?
    private let maximumHeldBytes: Int
    private var context: ChannelHandlerContext?
    /// Bytes that are not decoded yet.
    private var held = ByteBuffer()
    /// The end of the input and the shutdown of the server, if they are behind bytes that are held.
    private var heldEvents: [Any] = []
    private var isPassingOn = false
    private var isReadAsked = false
    /// Whether something was written that is not sent yet.
    private var isFlushDue = false

    /// Makes the handler for the guard, which is later in the pipeline.
    init(owner: RequestGuard, maximumHeldBytes: Int) {
        self.owner = owner
        self.maximumHeldBytes = maximumHeldBytes
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        owner = nil
        held = ByteBuffer()
    }

    func channelInactive(context: ChannelHandlerContext) {
        held = ByteBuffer()
        context.fireChannelInactive()
    }

    /// Sends bytes past the encoder.
    ///
    /// The answers to requests that are decoded together are sent together.
    func send(_ bytes: ByteBuffer, promise: EventLoopPromise<Void>?) {
        guard let context else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        context.write(Self.wrapOutboundOut(bytes), promise: promise)
        if isPassingOn { isFlushDue = true } else { context.flush() }
    }

    /// Ends the decoding of bytes: sends what was answered meanwhile.
    private func hasPassedOn(_ context: ChannelHandlerContext) {
        isPassingOn = false
        guard isFlushDue else { return }
        isFlushDue = false
        context.flush()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = Self.unwrapInboundIn(data)
        guard held.readableBytes == 0, !isPassingOn else { return hold(&bytes) }
        isPassingOn = true
        defer { hasPassedOn(context) }
        let length = lengthOfSlice(of: bytes, atMost: Self.firstSlice)
        guard bytes.readableBytes > length, let slice = bytes.readSlice(length: length) else {
            return passOn(bytes, context)
        }
        held = bytes
        passOn(slice, context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        let isEnd = event is ChannelShouldQuiesceEvent || event as? ChannelEvent == .inputClosed
        if isEnd, held.readableBytes > 0 {
            heldEvents.append(event)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func read(context: ChannelHandlerContext) {
        isReadAsked = true
        guard !isPassingOn else { return }
        isPassingOn = true
        defer { hasPassedOn(context) }
        // Each slice is treated as a read of the socket: after it the handlers behind are asked if they want more.
        while isReadAsked, held.readableBytes > 0, self.context != nil {
            isReadAsked = false
            let length = min(lengthOfSlice(of: held, atMost: Self.furtherSlice), held.readableBytes)
            guard let slice = held.readSlice(length: length) else { break }
            if held.readableBytes == 0 { held = ByteBuffer() }
            passOn(slice, context)
            passOnEvents(context)
            context.fireChannelReadComplete()
            context.pipeline.read()
        }
        guard isReadAsked, held.readableBytes == 0 else { return }
        isReadAsked = false
        context.read()
    }

    private func passOnEvents(_ context: ChannelHandlerContext) {
        guard held.readableBytes == 0, !heldEvents.isEmpty else { return }
        let events = heldEvents
        heldEvents = []
        for event in events { context.fireUserInboundEventTriggered(event) }
    }

    /// Keeps bytes for later.
    ///
    /// If the client closes its side, all that the system holds is read at once.
    private func hold(_ bytes: inout ByteBuffer) {
        guard held.readableBytes + bytes.readableBytes <= maximumHeldBytes else {
            owner?.tooManyBytesHeld()
            return
        }
        held.writeBuffer(&bytes)
    }

    /// How many bytes are decoded at once.
    ///
    /// That is what is missing of a declared body. Else it is what ends with a blank line: a head, or the last chunk of
    /// a body.
    ///
    /// Bytes that are not decoded any more are discarded at once.
    private func lengthOfSlice(of bytes: ByteBuffer, atMost limit: Int) -> Int {
        guard let owner, owner.wantsBytes else { return bytes.readableBytes }
        let due = owner.bodyBytesDue
        guard due == 0 else { return due }
        let start = bytes.readableBytesView.prefix(limit)
        return start.endOfHead.map { $0 - start.startIndex } ?? limit
    }

    /// Passes on the bytes that must be decoded.
    private func passOn(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        guard let owner, owner.bytesArrived(bytes) else { return }
        context.fireChannelRead(Self.wrapInboundOut(bytes))
        owner.bytesDecoded()
    }
}

extension ByteBufferView {
    /// The index behind the first blank line, which ends a head.
    fileprivate var endOfHead: Index? {
        withUnsafeBytes { bytes -> Int? in
            var start = 0
            while let line = bytes[start...].firstIndex(of: 0x0A), line + 2 < bytes.count {
                if bytes[line + 1] == 0x0D, bytes[line + 2] == 0x0A { return line + 3 }
                start = line + 1
            }
            return nil
        }.map { startIndex + $0 }
    }
}
