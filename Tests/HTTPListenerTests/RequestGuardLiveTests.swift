import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import HTTPListener

/// The guard in the real server, with real sockets; what virtual time cannot show.
@Suite("The request guard on real sockets", .timeLimit(.minutes(10)))
struct RequestGuardLiveTests {
    /// Patient, so that a busy machine fails no test; the one about slow clients chooses its own.
    private static let limits = RequestLimits(
        maximumBodyBytes: 1_000, requestDeadline: .seconds(120), keepAliveTimeout: .seconds(120),
        linger: .seconds(5), discardedBytes: 4_096)

    /// Runs a server whose one route tells how long a body was, and hands its port to the closure.
    private func withServer(limits: RequestLimits = Self.limits, _ body: (Int) async throws -> Void) async throws {
        let router = Router()
        router.post("length") { request, _ in
            "\(try await request.body.collect(upTo: 1_000_000).readableBytes)"
        }
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let application = Application(
            router: router,
            server: HTTPServerBuilder { GuardedChannel(GuardedPipeline(limits: limits), responder: $0) },
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) },
            logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            try await body(try #require(await ports.first { _ in true }))
            group.cancelAll()
        }
    }

    /// What a client got until the server closed, and how much the server took from it.
    private func exchange(
        port: Int, send: @escaping @Sendable (Int) -> String?, pause: Duration = .zero
    ) async throws -> (received: String, sent: Int) {
        let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
                }
            }
        return try await client.executeThenClose { inbound, outbound in
            async let sent = { () async -> Int in
                var sent = 0
                var index = 0
                while let text = send(index) {
                    guard (try? await outbound.write(ByteBuffer(string: text))) != nil else { break }
                    sent += text.utf8.count
                    index += 1
                    try? await Task.sleep(for: pause)
                }
                return sent
            }()
            var received = ""
            do {
                for try await bytes in inbound { received += String(buffer: bytes) }
            } catch is IOError {
                // A reset behind the answer.
            }
            return (received, await sent)
        }
    }

    @Test("A request within the limits is served")
    func served() async throws {
        try await withServer { port in
            let answer = try await exchange(port: port) { index in
                index == 0
                    ? "POST /length HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello" : nil
            }
            #expect(answer.received.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(answer.received.hasSuffix("\r\n\r\n5"))
        }
    }

    @Test(
        "Only a little of a huge body is read, and the sender gets an answer",
        arguments: ["Content-Length: 100000000", "Transfer-Encoding: chunked"], ["/length", "/nowhere"])
    func hugeBody(framing: String, path: String) async throws {
        try await withServer { port in
            let piece = String(repeating: "x", count: 65_536)
            let answer = try await exchange(port: port) { index in
                guard index > 0 else { return "POST \(path) HTTP/1.1\r\nHost: h\r\n\(framing)\r\n\r\n" }
                guard index < 1_500 else { return nil }
                return framing.hasPrefix("C") ? piece : "10000\r\n\(piece)\r\n"
            }
            // Where the route is unknown the server may have answered before the body was too long.
            let isLate = path == "/nowhere" && answer.received.hasPrefix("HTTP/1.1 404 ")
            #expect(isLate || answer.received.hasPrefix("HTTP/1.1 413 "))
            #expect(answer.received.split(separator: "HTTP/1.1 ").count == 1)
            #expect(answer.sent < 50_000_000)
        }
    }

    @Test("Of a chunk extension without end only a little is read, and its sender gets an answer")
    func endlessChunkExtension() async throws {
        try await withServer { port in
            let head = "POST /length HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5;"
            let piece = String(repeating: "x", count: 65_536)
            let answer = try await exchange(port: port) { index in
                index == 0 ? head : index < 3_000 ? piece : nil
            }
            #expect(answer.received.hasPrefix("HTTP/1.1 413 "))
            #expect(answer.received.split(separator: "HTTP/1.1 ").count == 1)
            #expect(answer.sent < 50_000_000)
        }
    }

    @Test("A head or a body that arrives too slowly is cut off")
    func slowBytes() async throws {
        var limits = Self.limits
        limits.requestDeadline = .milliseconds(300)
        try await withServer(limits: limits) { port in
            for text in [
                "GET /length HTTP/1.1\r\nHost: hhhhhhhhhhhhhhhhhhhhh",
                "POST /length HTTP/1.1\r\nHost: h\r\nContent-Length: 900\r\n\r\n",
            ] {
                let bytes =
                    text.hasPrefix("POST") ? [text] + [String](repeating: "x", count: 900) : text.map(String.init)
                let answer = try await exchange(
                    port: port, send: { $0 < bytes.count ? bytes[$0] : nil }, pause: .milliseconds(50))
                #expect(answer.received.hasPrefix("HTTP/1.1 408 "))
                #expect(answer.received.split(separator: "HTTP/1.1 ").count == 1)
            }
        }
    }

    @Test("A head that is too large and bytes that are not HTTP are answered")
    func badHead() async throws {
        try await withServer { port in
            let large = "GET / HTTP/1.1\r\nHost: h\r\nX: \(String(repeating: "x", count: 100_000))\r\n\r\n"
            let answer = try await exchange(port: port) { $0 == 0 ? large : nil }
            #expect(answer.received.hasPrefix("HTTP/1.1 431 "))
            let other = try await exchange(port: port) { $0 == 0 ? "\u{16}\u{3}\u{1}\r\n\r\n" : nil }
            #expect(other.received.hasPrefix("HTTP/1.1 400 "))
            #expect(other.received.hasSuffix("}"))
        }
    }

    @Test("A client that expects 100 Continue gets it, and then its answer")
    func expectContinue() async throws {
        try await withServer { port in
            let answer = try await exchange(
                port: port,
                send: {
                    [
                        "POST /length HTTP/1.1\r\nHost: h\r\nConnection: close\r\nExpect: 100-continue\r\n"
                            + "Content-Length: 5\r\n\r\n", "hello",
                    ][safe: $0]
                }, pause: .milliseconds(50))
            #expect(answer.received.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"))
        }
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
