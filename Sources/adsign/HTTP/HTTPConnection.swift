import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// One connection to a server, kept open for many requests one after the other.
///
/// It follows no redirect and tries nothing twice, as far as is known like Apple's devices.
struct HTTPConnection: Sendable {
    private let channel: any Channel
    private let target: HTTPTarget

    /// Connects, and ends the handshake of TLS.
    ///
    /// - Parameter tls: What certificates are trusted; only for `https`.
    static func open(
        _ target: HTTPTarget, tls: NIOSSLContext?, timeout: TimeAmount,
        on group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) async throws -> HTTPConnection {
        let tls = target.isTLS ? tls : nil
        let (channel, ready) = try await ClientBootstrap(group: group)
            .connectTimeout(timeout)
            .connect(host: target.host, port: target.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    // An address has no place in the name that a client asks for.
                    if let tls { try pipeline.addHandler(tlsHandler(tls, target.host)) }
                    try pipeline.addHTTPClientHandlers()
                    // Behind what can throw: a promise that is never fulfilled ends a debug build.
                    let ready = channel.eventLoop.makePromise(of: Void.self)
                    try pipeline.addHandler(ExchangeHandler(ready: ready, isTLS: tls != nil))
                    return (channel, ready.futureResult)
                }
            }
        let timer = channel.eventLoop.scheduleTask(in: timeout) {
            channel.pipeline.fireErrorCaught(HTTPError.timeout)
        }
        defer { timer.cancel() }
        try await ready.get()
        return HTTPConnection(channel: channel, target: target)
    }

    private static func tlsHandler(_ context: NIOSSLContext, _ host: String) throws -> NIOSSLClientHandler {
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        return try NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host)
    }

    /// Whether another request can be sent.
    var isOpen: Bool { channel.isActive }

    /// Sends a postback, and waits for the answer.
    func post(_ body: [UInt8], timeout: TimeAmount) async throws -> HTTPAnswer {
        let headers: HTTPHeaders = [
            "host": target.authority, "content-type": "application/json", "content-length": "\(body.count)",
            "user-agent": "adsign", "accept": "*/*",
        ]
        let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: target.path, headers: headers)
        let promise = channel.eventLoop.makePromise(of: HTTPAnswer.self)
        let timer = channel.eventLoop.scheduleTask(in: timeout) { [channel] in
            promise.fail(HTTPError.timeout)
            channel.close(promise: nil)
        }
        defer { timer.cancel() }
        channel.writeAndFlush(HTTPExchange(head: head, body: ByteBuffer(bytes: body), answer: promise))
            .cascadeFailure(to: promise)
        return try await promise.futureResult.get()
    }

    /// The certificate of the server, and the version of TLS.
    func tlsFacts() async throws -> (certificate: NIOSSLCertificate?, version: TLSVersion?) {
        (try await channel.nioSSL_peerCertificate().get(), try await channel.nioSSL_tlsVersion().get())
    }

    func close() async {
        try? await channel.close()
    }
}
