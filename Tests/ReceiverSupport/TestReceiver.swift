package import NIOCore
package import NIOHTTP1
import NIOPosix
package import NIOSSL
import Synchronization

/// A receiver of postbacks on a socket of this machine, which answers as a test says.
package final class TestReceiver: Sendable {
    /// A request as it arrived.
    package struct Request: Sendable {
        package let method: String
        package let path: String
        package let headers: HTTPHeaders
        package let body: [UInt8]

        /// The body as text.
        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// What the receiver does with a request.
    package enum Reaction: Sendable {
        /// An answer with a body.
        case status(Int, headers: [String] = [], body: String = "")
        /// These bytes, and the connection stays open.
        case bytes(String)
        /// These bytes, and the connection is closed.
        case bytesAndClose(String)
        /// Nothing.
        case silence
        /// These bytes, and then a body that goes on for as long as the client reads.
        case endless(String)
        /// An answer with this status after a while.
        case late(Int, after: TimeAmount)
        /// An answer with this status once the test says so.
        case held(HeldAnswers, Int)
    }

    private struct State {
        var requests: [Request] = []
        var connections = 0
        var bytesSent = 0
    }

    private let state = Mutex(State())
    private let react: @Sendable (Request, Int) -> Reaction
    private let channel = Mutex<(any Channel)?>(nil)

    private init(_ react: @escaping @Sendable (Request, Int) -> Reaction) {
        self.react = react
    }

    /// Runs a receiver and gives it to the body.
    ///
    /// - Parameters:
    ///   - context: For TLS; nil for HTTP.
    ///   - react: Gets the request and its number, from 1.
    package static func with(
        _ context: NIOSSLContext? = nil, react: @escaping @Sendable (Request, Int) -> Reaction,
        _ body: (TestReceiver) async throws -> Void
    ) async throws {
        let receiver = try await start(context, react: react)
        do {
            try await body(receiver)
            try await receiver.close()
        } catch {
            try? await receiver.close()
            throw error
        }
    }

    /// Starts a receiver, which somebody must close.
    ///
    /// The parameters are those of `with`.
    package static func start(
        _ context: NIOSSLContext? = nil, react: @escaping @Sendable (Request, Int) -> Reaction
    ) async throws -> TestReceiver {
        let receiver = TestReceiver(react)
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let context { try pipeline.addHandler(NIOSSLServerHandler(context: context)) }
                    try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
                    try pipeline.addHandler(Connection(receiver))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        receiver.channel.withLock { $0 = server }
        return receiver
    }

    /// Takes no more connections.
    package func close() async throws { try await channel.withLock { $0 }?.close() }

    /// The port on 127.0.0.1.
    package var port: Int { channel.withLock { $0?.localAddress?.port } ?? 0 }

    /// What arrived so far, in order.
    package var requests: [Request] { state.withLock(\.requests) }

    /// How many connections were opened.
    package var connections: Int { state.withLock(\.connections) }

    /// How many bytes of endless bodies were taken by the system.
    package var bytesSent: Int { state.withLock(\.bytesSent) }

    /// The header `webhook-id` of each request, in order.
    package var webhookIDs: [String] { requests.map { $0.headers.first(name: "webhook-id") ?? "" } }

    private func opened() { state.withLock { $0.connections += 1 } }

    private func sent(_ count: Int) { state.withLock { $0.bytesSent += count } }

    private func received(_ request: Request) -> Reaction {
        let number = state.withLock { state in
            state.requests.append(request)
            return state.requests.count
        }
        return react(request, number)
    }

    private final class Connection: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = ByteBuffer

        private let receiver: TestReceiver
        private var head: HTTPRequestHead?
        private var body: [UInt8] = []

        init(_ receiver: TestReceiver) {
            self.receiver = receiver
        }

        func channelActive(context: ChannelHandlerContext) {
            receiver.opened()
            context.fireChannelActive()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch Self.unwrapInboundIn(data) {
            case .head(let head):
                self.head = head
                body = []
            case .body(let bytes): body += bytes.readableBytesView
            case .end:
                guard let head else { return }
                perform(
                    receiver.received(
                        Request(method: head.method.rawValue, path: head.uri, headers: head.headers, body: body)),
                    context)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        private func perform(_ reaction: Reaction, _ context: ChannelHandlerContext) {
            switch reaction {
            case .status(let status, let headers, let body):
                let lines = ["HTTP/1.1 \(status) X", "Content-Length: \(body.utf8.count)"] + headers
                write(lines.joined(separator: "\r\n") + "\r\n\r\n" + body, context)
            case .bytes(let text): write(text, context)
            case .bytesAndClose(let text):
                let channel = context.channel
                context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(string: text)))
                    .whenComplete { _ in channel.close(promise: nil) }
            case .silence: break
            case .endless(let head):
                write(head, context)
                Self.writeEndlessly(to: context.channel, receiver)
            case .late(let status, let delay):
                let channel = context.channel
                let answer = "HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n"
                context.eventLoop.scheduleTask(in: delay) {
                    channel.writeAndFlush(ByteBuffer(string: answer), promise: nil)
                }
            case .held(let answers, let status):
                let channel = context.channel
                let answer = "HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n"
                answers.add { channel.writeAndFlush(ByteBuffer(string: answer), promise: nil) }
            }
        }

        private func write(_ text: String, _ context: ChannelHandlerContext) {
            context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        }

        /// Writes the next piece when the system has taken the one before.
        private static func writeEndlessly(to channel: any Channel, _ receiver: TestReceiver) {
            let piece = ByteBuffer(repeating: UInt8(ascii: "x"), count: 65_536)
            channel.writeAndFlush(piece).whenSuccess {
                receiver.sent(piece.readableBytes)
                channel.eventLoop.execute { writeEndlessly(to: channel, receiver) }
            }
        }
    }
}
