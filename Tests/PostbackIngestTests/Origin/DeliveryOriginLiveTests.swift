import Foundation
import Hummingbird
import Logging
import NIOCore
import NIOPosix
import PostbackStore
import Testing

@testable import PostbackIngest

/// The origin of requests over real sockets, with the public listener's own request context.
@Suite(.timeLimit(.minutes(10))) struct DeliveryOriginLiveTests {
    /// Runs a server that answers with the origin, and hands the address that it is bound to to the closure.
    private func withServer(
        at address: BindAddress, _ reader: DeliveryOriginReader, _ body: (SocketAddress) async throws -> Void
    ) async throws {
        var routes = RouteTable<PublicRequestContext>()
        routes.on(.get, "/origin") { request, context in
            let origin = reader.origin(of: context.peer, request.headers)
            let text = "\(origin.address ?? "-") \(origin.userAgent ?? "-")"
            return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        }
        let (addresses, bound) = AsyncStream.makeStream(of: SocketAddress?.self)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let application = Application(
            responder: FaultResponder(next: routes), server: .http1(), configuration: .init(address: address),
            onServerRunning: { bound.yield($0.localAddress) }, logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            let address = await addresses.first { _ in true }
            try await body(try #require(address ?? nil))
            group.cancelAll()
        }
    }

    /// What the server answers to a request with these header lines.
    private func ask(_ server: SocketAddress, _ lines: String...) async throws -> String {
        let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(to: server) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        let head = ["GET /origin HTTP/1.1", "Host: h", "Connection: close"] + lines + ["", ""]
        return try await client.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: head.joined(separator: "\r\n")))
            var received = ""
            for try await bytes in inbound { received += String(buffer: bytes) }
            let body = try #require(received.firstRange(of: "\r\n\r\n")).upperBound
            return String(received[body...])
        }
    }

    private func proxies(_ list: String, _ header: String) throws -> DeliveryOriginReader {
        .proxies(try TrustedProxies(list), try #require(ForwardedHeader(header)))
    }

    @Test("the source is the peer of the connection, over IPv4 and IPv6, and headers of a client are not believed")
    func peer() async throws {
        try await withServer(at: .hostname("127.0.0.1", port: 0), .connection) { server in
            let answer = try await ask(server, "User-Agent: Phone/1", "X-Forwarded-For: 203.0.113.1")
            #expect(answer == "127.0.0.1 Phone/1")
            #expect(try await ask(server) == "127.0.0.1 -")
        }
        try await withServer(at: .hostname("::1", port: 0), .connection) { server in
            let answer = try await ask(server)
            #expect(answer == "::1 -")
        }
        // A listener for both families sees IPv4 clients as mapped addresses.
        try await withServer(at: .hostname("::", port: 0), .connection) { server in
            let port = try #require(server.port)
            let answer = try await ask(SocketAddress(ipAddress: "127.0.0.1", port: port))
            #expect(answer == "127.0.0.1 -")
        }
    }

    @Test("behind a trusted proxy the source is in the header, whose lines keep their order")
    func proxy() async throws {
        let reader = try proxies("127.0.0.0/8", "X-Forwarded-For")
        try await withServer(at: .hostname("127.0.0.1", port: 0), reader) { server in
            let answer = try await ask(
                server, "x-forwarded-for: 203.0.113.1", "User-Agent: Phone/1", "X-FORWARDED-FOR: 198.51.100.7:80",
                "X-Forwarded-For: 127.0.0.9")
            #expect(answer == "198.51.100.7 Phone/1")
            #expect(try await ask(server) == "127.0.0.1 -")
        }
        let untrusting = try proxies("10.0.0.0/8", "X-Forwarded-For")
        try await withServer(at: .hostname("127.0.0.1", port: 0), untrusting) { server in
            let answer = try await ask(server, "X-Forwarded-For: 198.51.100.7")
            #expect(answer == "127.0.0.1 -")
        }
    }

    @Test("a proxy on a Unix-domain socket has no address, and is believed if it is trusted")
    func unixSocket() async throws {
        for (list, expected) in [("unix:", "2001:db8::17 -"), ("127.0.0.1", "- -")] {
            let path = "/tmp/origin-\(UUID().uuidString.prefix(8))"
            defer { unlink(path) }
            let reader = try proxies(list, "Forwarded")
            try await withServer(at: .unixDomainSocket(path: path), reader) { _ in
                let server = try SocketAddress(unixDomainSocketPath: path)
                #expect(try await ask(server, "Forwarded: for=\"[2001:db8::17]:4711\"") == expected)
                #expect(try await ask(server) == "- -")
            }
        }
    }

    @Test("`off` keeps nothing")
    func off() async throws {
        try await withServer(at: .hostname("127.0.0.1", port: 0), .off) { server in
            let answer = try await ask(server, "User-Agent: Phone/1")
            #expect(answer == "- -")
        }
    }
}
