import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// A connection of one client, which sends the bytes that it is told to.
struct SocketClient {
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private let channel: any Channel

    /// Runs a body with a connection, which is closed afterwards.
    ///
    /// - Parameters:
    ///   - context: For TLS; nil for a connection that is not encrypted.
    ///   - preface: What is sent before TLS.
    static func with<T>(
        port: Int, _ context: NIOSSLContext? = nil, preface: [UInt8] = [],
        _ body: (inout SocketClient) async throws -> T
    ) async throws -> T {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(Preface(bytes: preface))
                    if let context {
                        try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: "localhost"))
                    }
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var client = SocketClient(
                inbound: inbound.makeAsyncIterator(), outbound: outbound, channel: channel.channel)
            return try await body(&client)
        }
    }

    /// Sends bytes.
    func send(_ bytes: [UInt8]) async throws {
        try await outbound.write(ByteBuffer(bytes: bytes))
    }

    /// Sends a request, and returns head and body of its answer.
    mutating func exchange(_ request: [UInt8]) async throws -> String {
        try await send(request)
        var answer = ""
        while let piece = try await inbound.next() {
            answer += String(buffer: piece)
            guard let end = answer.firstRange(of: "\r\n\r\n"),
                let length = answer.firstMatch(of: /[Cc]ontent-[Ll]ength: ([0-9]+)\r\n/).flatMap({ Int($0.1) })
            else { continue }
            if answer[end.upperBound...].utf8.count >= length { return answer }
        }
        return answer
    }

    /// Whether the server closes the connection without a byte of an answer.
    mutating func isClosedUnanswered() async -> Bool {
        // A connection that is reset ends with an error.
        (try? await inbound.next()) == nil
    }

    /// The certificate that the server showed, as DER.
    func serverCertificate() async throws -> [UInt8]? {
        try await channel.nioSSL_peerCertificate().get()?.toDERBytes()
    }
}

/// Sends bytes as soon as the connection is up, before the handlers behind it.
private final class Preface: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let bytes: [UInt8]

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    func channelActive(context: ChannelHandlerContext) {
        if !bytes.isEmpty { context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil) }
        context.fireChannelActive()
    }
}
