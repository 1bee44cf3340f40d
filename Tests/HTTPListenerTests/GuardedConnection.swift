import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOEmbedded
import NIOHTTPTypes

@testable import HTTPListener

/// A connection in virtual time: the server's pipeline with a guard in it, and an application that only takes notes.
final class GuardedConnection {
    /// Notes what reaches the application.
    final class Application: ChannelInboundHandler {
        typealias InboundIn = HTTPRequestPart
        typealias OutboundOut = HTTPResponsePart

        var parts: [HTTPRequestPart] = []
        var errors: [any Error] = []

        /// The bodies of the requests that are complete.
        var bodies: [[UInt8]] {
            var bodies: [[UInt8]] = []
            var body: [UInt8] = []
            for part in parts {
                switch part {
                case .head: body = []
                case .body(let bytes): body += bytes.readableBytesView
                case .end: bodies.append(body)
                }
            }
            return bodies
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { parts.append(Self.unwrapInboundIn(data)) }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { errors.append(error) }
    }

    /// Notes how the connection is closed; a half-close, which the embedded channel does not know, stops here.
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

    let channel = EmbeddedChannel()
    let application = Application()
    let socket = Socket()
    let requestGuard: RequestGuard

    init(
        limits: RequestLimits = RequestLimits(maximumHeaderBytes: 8 * 1024), table: ConnectionTable = ConnectionTable()
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(socket)
        let guarded = GuardedPipeline(limits: limits, table: table)
        requestGuard = try guarded.addHTTP(to: pipeline)
        try GuardedChannel(guarded) { _, _, _ in }.addFramework(to: pipeline, behind: requestGuard)
        try pipeline.addHandler(application)
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/client")).wait()
    }

    func receive(_ text: String) throws {
        try channel.writeInbound(ByteBuffer(string: text))
        // A real channel asks for the next read by itself.
        channel.read()
    }

    /// The client begins to read, or stops.
    func client(reads: Bool) {
        channel.isWritable = reads
        channel.pipeline.fireChannelWritabilityChanged()
    }

    func advance(_ time: TimeAmount) {
        channel.embeddedEventLoop.advanceTime(by: time)
    }

    /// What went out since the last call.
    func sent() throws -> String {
        var all = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { all += String(buffer: bytes) }
        return all
    }

    /// A response of the application with a body of one word.
    func respond(_ word: String, headerFields: HTTPFields = [:]) throws {
        var fields = headerFields
        fields[.contentLength] = String(word.utf8.count)
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok, headerFields: fields)))
        try channel.writeOutbound(HTTPResponsePart.body(ByteBuffer(string: word)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
    }
}
