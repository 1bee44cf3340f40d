import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A receiver of forwarded postbacks on 127.0.0.1: it counts each request and answers 200 at once.
///
/// Requests to `/hang` are never answered, and `/reading` answers what was counted.
final class ForwardReceiver: Sendable {
    /// The header with the milliseconds since 1970 at which the server received the postback.
    static let receivedHeader = "X-Received-Millis"
    static let hangPath = "/hang"
    static let readingPath = "/reading"

    private struct Counted {
        var reading = ReceiverReading()
        var latencies = LatencyHistogram()
    }

    private let counted = Mutex(Counted())

    /// Serves until the process ends.
    func run(port: Int) async throws {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup(numberOfThreads: 1))
            .serverChannelOption(.backlog, value: 1_024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
                    try pipeline.addHandler(ReceiverHandler(receiver: self))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        try await channel.closeFuture.get()
    }

    /// A request came that was sent for a postback, if the header says when that was received.
    fileprivate func count(receivedAt received: Int?) {
        let now = Int(Date().timeIntervalSince1970 * 1_000)
        counted.withLock { counted in
            counted.reading.received += 1
            counted.reading.first = counted.reading.first ?? now
            counted.reading.last = now
            if let received { counted.latencies.add(milliseconds: now - received) }
        }
    }

    /// What was counted so far.
    var reading: ReceiverReading {
        counted.withLock { counted in
            var reading = counted.reading
            reading.p50 = counted.latencies.quantile(0.5)
            reading.p99 = counted.latencies.quantile(0.99)
            return reading
        }
    }
}

/// The requests of one connection.
private final class ReceiverHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let receiver: ForwardReceiver
    private var head: HTTPRequestHead?

    init(receiver: ForwardReceiver) {
        self.receiver = receiver
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: break
        case .end:
            guard let head else { return }
            self.head = nil
            answer(head, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        switch head.uri {
        case ForwardReceiver.hangPath: break
        case ForwardReceiver.readingPath:
            write((try? JSONEncoder().encode(receiver.reading)).map { [UInt8]($0) } ?? [], context)
        default:
            receiver.count(receivedAt: head.headers.first(name: ForwardReceiver.receivedHeader).flatMap { Int($0) })
            write([], context)
        }
    }

    private func write(_ body: [UInt8], _ context: ChannelHandlerContext) {
        let headers: HTTPHeaders = ["Content-Length": String(body.count)]
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)
        context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
        if !body.isEmpty {
            context.write(Self.wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
        }
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
    }
}
