import Foundation
import Logging
import NIOCore
import NIOPosix
import Observability
import PostbackStore
import Synchronization
import TestSupport
import Testing

@testable import HTTPListener
@testable import PostbackIngest

/// The origin of postbacks over real sockets, as the public listener reads it.
@Suite(.timeLimit(.minutes(10))) final class DeliveryOriginLiveTests: Sendable {
    /// The origins of the postbacks so far.
    private let origins = Mutex<[DeliveryOrigin]>([])

    /// Runs a server that takes note of the origin of each postback, and hands the address that it is bound to to the
    /// closure.
    private func withServer(
        _ reader: DeliveryOriginReader,
        at bind: @escaping @Sendable (ServerBootstrap) -> EventLoopFuture<any Channel> = {
            $0.bind(host: "127.0.0.1", port: 0)
        },
        _ body: (SocketAddress) async throws -> Void
    ) async throws {
        let responses = PublicResponses(clock: .system)
        let (addresses, bound) = AsyncStream.makeStream(of: SocketAddress?.self)
        let listener = GuardedListener(
            GuardedPipeline(limits: RequestLimits()), logger: .silent, bind: bind,
            onRunning: { bound.yield($0.localAddress) }
        ) { requestGuard in
            PublicChannelHandler(behind: requestGuard, trusting: nil, origins: reader, responses: responses) {
                [self] _, origin, reply in
                origins.withLock { $0.append(origin) }
                reply.now(.stored(.accepted))
            } ask: { _, answer in
                answer(.unavailable)
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await listener.run() }
            let address = await addresses.first { _ in true }
            try await body(try #require(address ?? nil))
            group.cancelAll()
        }
    }

    /// The origin of a postback with these header lines, as the server sees it.
    private func ask(_ server: SocketAddress, _ lines: String...) async throws -> String {
        let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(to: server) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        let head =
            ["POST \(PublicRoute.postbackPaths[0]) HTTP/1.1", "Host: h", "Content-Length: 0"] + lines + ["", ""]
        try await client.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: head.joined(separator: "\r\n")))
            var received = ""
            for try await bytes in inbound {
                received += String(buffer: bytes)
                if received.hasSuffix("}\n") { break }
            }
            #expect(received.hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
        let origin = try #require(origins.withLock { $0.popLast() })
        return "\(origin.address ?? "-") \(origin.userAgent ?? "-")"
    }

    private func proxies(_ list: String, _ header: String) throws -> DeliveryOriginReader {
        .proxies(try TrustedProxies(list), try #require(ForwardedHeader(header)))
    }

    @Test("The source is the peer of the connection, over IPv4 and IPv6, and headers of a client are not read")
    func peer() async throws {
        try await withServer(.connection) { server in
            let answer = try await ask(server, "User-Agent: Phone/1", "X-Forwarded-For: 203.0.113.1")
            #expect(answer == "127.0.0.1 Phone/1")
            #expect(try await ask(server) == "127.0.0.1 -")
        }
        try await withServer(.connection, at: { $0.bind(host: "::1", port: 0) }) { server in
            let answer = try await ask(server)
            #expect(answer == "::1 -")
        }
        // A listener for both families sees IPv4 clients as mapped addresses.
        try await withServer(.connection, at: { $0.bind(host: "::", port: 0) }) { server in
            let port = try #require(server.port)
            let answer = try await ask(SocketAddress(ipAddress: "127.0.0.1", port: port))
            #expect(answer == "127.0.0.1 -")
        }
    }

    @Test("Behind a trusted proxy the source is in the header, whose lines keep their order")
    func proxy() async throws {
        let reader = try proxies("127.0.0.0/8", "X-Forwarded-For")
        try await withServer(reader) { server in
            let answer = try await ask(
                server, "x-forwarded-for: 203.0.113.1", "User-Agent: Phone/1", "X-FORWARDED-FOR: 198.51.100.7:80",
                "X-Forwarded-For: 127.0.0.9")
            #expect(answer == "198.51.100.7 Phone/1")
            #expect(try await ask(server) == "127.0.0.1 -")
        }
        let untrusting = try proxies("10.0.0.0/8", "X-Forwarded-For")
        try await withServer(untrusting) { server in
            let answer = try await ask(server, "X-Forwarded-For: 198.51.100.7")
            #expect(answer == "127.0.0.1 -")
        }
    }

    @Test("A proxy on a Unix-domain socket has no address, and its header is read if it is trusted")
    func unixSocket() async throws {
        for (list, expected) in [("unix:", "2001:db8::17 -"), ("127.0.0.1", "- -")] {
            let path = "/tmp/origin-\(UUID().uuidString.prefix(8))"
            defer { unlink(path) }
            let reader = try proxies(list, "Forwarded")
            try await withServer(reader, at: { $0.bind(unixDomainSocketPath: path) }) { _ in
                let server = try SocketAddress(unixDomainSocketPath: path)
                #expect(try await ask(server, "Forwarded: for=\"[2001:db8::17]:4711\"") == expected)
                #expect(try await ask(server) == "- -")
            }
        }
    }

    @Test("RECEIVED_FROM=off keeps neither address nor User-Agent")
    func off() async throws {
        try await withServer(.off) { server in
            let answer = try await ask(server, "User-Agent: Phone/1")
            #expect(answer == "- -")
        }
    }
}
