import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import TestSupport

/// A receiver of forwarded postbacks on a free port of this machine: it keeps each request, and answers as it is told.
final class LocalReceiver: Sendable {
    /// A request that has come.
    struct Received: Sendable {
        let method: String
        let path: String
        let headers: HTTPHeaders
        let body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    fileprivate final class Log: Sendable {
        private let state = Mutex((status: 200, received: [Received]()))

        var status: Int {
            get { state.withLock { $0.status } }
            set { state.withLock { $0.status = newValue } }
        }
        var received: [Received] { state.withLock { $0.received } }

        /// Keeps a request.
        ///
        /// - Returns: The status to answer with.
        func take(_ request: Received) -> Int {
            state.withLock { state in
                state.received.append(request)
                return state.status
            }
        }
    }

    private let log: Log
    let port: Int

    private init(_ log: Log, port: Int) {
        self.log = log
        self.port = port
    }

    /// The requests so far.
    var received: [Received] { log.received }

    /// Answers with this status from now on.
    func answer(_ status: Int) { log.status = status }

    /// Starts a receiver, which is gone when the test ends.
    static func start() async throws -> LocalReceiver {
        let log = Log()
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(log))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        try Teardown.add { try await server.close() }
        return LocalReceiver(log, port: server.localAddress?.port ?? 0)
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let log: Log
        private var head: HTTPRequestHead?
        private var body: [UInt8] = []

        init(_ log: Log) {
            self.log = log
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): (self.head, body) = (head, [])
            case .body(let buffer): body += Array(buffer.readableBytesView)
            case .end:
                guard let head else { return }
                let status = log.take(
                    Received(method: head.method.rawValue, path: head.uri, headers: head.headers, body: body))
                // It repeats what it got, as some do.
                let key = head.headers.first(name: "X-Key").map { ", key \($0)" } ?? ""
                let text = ByteBuffer(string: "status \(status)\(key)")
                let answer = HTTPResponseHead(
                    version: .http1_1, status: HTTPResponseStatus(statusCode: status),
                    headers: ["Content-Length": "\(text.readableBytes)"])
                context.write(wrapOutboundOut(.head(answer)), promise: nil)
                context.write(wrapOutboundOut(.body(.byteBuffer(text))), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            }
        }
    }
}

extension Installation {
    /// The file of a destination that sends to a receiver, with more members as JSON.
    static func destination(_ name: String, to receiver: LocalReceiver, _ members: [String] = []) -> String {
        let own = [
            "\"name\": \"\(name)\"", "\"url\": \"http://127.0.0.1:\(receiver.port)/\(name)\"", "\"allow-http\": true",
            "\"body\": \"raw\"",
        ]
        return "{ " + (own + members).joined(separator: ",\n  ") + " }\n"
    }

    /// Loads a destination that sends to a receiver.
    func load(_ name: String, to receiver: LocalReceiver, _ members: String...) async throws {
        try write(Self.destination(name, to: receiver, members), to: "\(name).json")
        try await succeed(["destination", "load", "\(folder)/\(name).json"])
    }
}
