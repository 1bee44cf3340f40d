import NIOCore

/// A connection that is used for one request after the other.
final class KeptConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Called once for each request with the status of its answer; nil if the connection closed without one.
    private var answer: ((_ status: Int?) -> Void)?
    private var received = ByteBuffer()
    private var context: ChannelHandlerContext?

    /// Whether another request can be sent.
    var isOpen: Bool { context != nil }

    /// Sends a request; the one before must be answered.
    func send(_ request: ByteBuffer, answer: @escaping (_ status: Int?) -> Void) {
        guard let context else { return answer(nil) }
        self.answer = answer
        context.writeAndFlush(Self.wrapOutboundOut(request), promise: nil)
    }

    /// Closes the connection.
    func close() { context?.close(promise: nil) }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = Self.unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        guard let response = Response(received) else { return }
        received.clear()
        if response.closes {
            self.context = nil
            context.close(promise: nil)
        }
        finish(response.status)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        finish(nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func finish(_ status: Int?) {
        let answer = answer
        self.answer = nil
        answer?(status)
    }
}

/// A whole response with a declared length.
private struct Response {
    private static let endOfHead = Array("\r\n\r\n".utf8)
    private static let length = Array("\r\nContent-Length: ".utf8)
    private static let close = Array("\r\nConnection: close".utf8)

    let status: Int
    let closes: Bool

    /// Reads it; nil if it is not complete.
    init?(_ bytes: ByteBuffer) {
        let all = Array(bytes.readableBytesView)
        guard let end = all.firstRange(of: Self.endOfHead) else { return nil }
        let head = all[..<end.lowerBound]
        guard head.count >= 12, let status = Self.number(head[9...]) else { return nil }
        let length = head.firstRange(of: Self.length).flatMap { Self.number(head[$0.upperBound...]) } ?? 0
        guard all.count - end.upperBound >= length else { return nil }
        self.status = status
        closes = head.firstRange(of: Self.close) != nil
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        Int(String(decoding: bytes.prefix { (0x30...0x39).contains($0) }, as: UTF8.self))
    }
}
