import HTTPLimits
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import PostbackStore
import Synchronization

@testable import PostbackIngest

/// A connection of the public listener in virtual time.
///
/// A framework and a receiver only take notes; the test answers.
final class PostbackConnection {
    /// A postback that reached the receiver.
    struct Received: Sendable {
        let body: String
        let origin: DeliveryOrigin
        let reply: PostbackReply
    }

    /// Notes what reaches the framework.
    final class Framework: ChannelInboundHandler {
        typealias InboundIn = HTTPRequestPart
        typealias OutboundOut = HTTPResponsePart

        var paths: [String] = []
        var bodies = ""
        var ends = 0
        var completedReads = 0
        var events: [String] = []
        var errors: [any Error] = []

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch Self.unwrapInboundIn(data) {
            case .head(let request): paths.append(request.path ?? "")
            case .body(let bytes): bodies += String(buffer: bytes)
            case .end: ends += 1
            }
        }

        func channelReadComplete(context: ChannelHandlerContext) { completedReads += 1 }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event is ChannelShouldQuiesceEvent { events.append("shutdown") }
            if case .inputClosed? = event as? ChannelEvent { events.append("input closed") }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { errors.append(error) }
    }

    /// Counts reads; a half-close, which the embedded channel does not know, stops here.
    final class Socket: ChannelOutboundHandler {
        typealias OutboundIn = IOData

        var isOutputClosed = false
        var reads = 0

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            guard mode == .output else { return context.close(mode: mode, promise: promise) }
            isOutputClosed = true
            promise?.succeed()
        }

        func read(context: ChannelHandlerContext) {
            reads += 1
            context.read()
        }
    }

    static let path = PublicRoutes.postbackPaths[0]

    let channel = EmbeddedChannel()
    let framework = Framework()
    let socket = Socket()
    private let all: Box<[Received]>

    /// - Parameter answer: What the receiver answers at once; nil if the test answers.
    init(answer: PostbackAnswer? = nil) throws {
        let all = Box<[Received]>([])
        self.all = all
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(socket)
        let responses = PostbackResponses(clock: WallClock { 784_111_777_000 })
        let http = GuardedChannel(limits: RequestLimits()) { _, _, _ in
        } handlers: { requestGuard in
            let handler = PostbackChannelHandler(behind: requestGuard, origins: .connection, responses: responses) {
                body, origin, reply in
                all.value.withLock {
                    $0.append(Received(body: String(decoding: body, as: UTF8.self), origin: origin, reply: reply))
                }
                if let answer { reply.now(answer) }
            }
            return [handler]
        }
        try http.addHTTP(to: pipeline)
        try pipeline.addHandler(framework)
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.7", port: 4_711)).wait()
    }

    private final class Box<Value: Sendable>: Sendable {
        let value: Mutex<Value>

        init(_ value: Value) { self.value = Mutex(value) }
    }

    /// The postbacks that reached the receiver.
    var received: [Received] { all.value.withLock { $0 } }
    /// Their bodies.
    var bodies: [String] { received.map(\.body) }

    func receive(_ text: String) throws {
        try channel.writeInbound(ByteBuffer(string: text))
        // A real channel asks for the next read by itself.
        if text.utf8.count > 2_048 { channel.read() }
    }

    /// A request for a postback with this body.
    static func postback(_ body: String, _ lines: String...) -> String {
        (["POST \(path) HTTP/1.1", "Host: h", "Content-Length: \(body.utf8.count)"] + lines + ["", body])
            .joined(separator: "\r\n")
    }

    /// A request for the framework.
    static func other(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n" }

    /// What went out since the last call.
    func sent() throws -> String {
        var all = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { all += String(buffer: bytes) }
        return all
    }

    /// A response of the framework with a body of one word.
    func respond(_ word: String) throws {
        let fields: HTTPFields = [.contentLength: String(word.utf8.count)]
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok, headerFields: fields)))
        try channel.writeOutbound(HTTPResponsePart.body(ByteBuffer(string: word)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
    }
}
