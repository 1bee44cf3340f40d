import Foundation
import LocalFiles
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import TestSupport
import Testing

@testable import HTTPListener

@Suite("The opening of a connection", .enabled("openssl is installed", OpenSSLCommand.isInstalled))
struct ConnectionOpeningTests {
    /// What a server saw.
    private final class Seen: Sendable {
        let failures = Mutex<[OpeningFailure]>([])
        let openings = Mutex<[Duration]>([])

        func note(_ failure: OpeningFailure) {
            failures.withLock { $0.append(failure) }
        }
    }

    /// Notes when connections have opened, and sends back what it gets.
    private final class Echo: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let seen: Seen

        init(_ seen: Seen) {
            self.seen = seen
        }

        typealias OutboundOut = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.writeAndFlush(data, promise: nil)
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if let opened = event as? ConnectionOpened { seen.openings.withLock { $0.append(opened.elapsed) } }
            context.fireUserInboundEventTriggered(event)
        }
    }

    private typealias Client = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// Runs a server with this deadline, and gives its port and what it sees to the body.
    private func withServer(
        deadline: Duration, certificate: ServerCertificate?, proxies: Bool,
        _ body: (Int, Seen) async throws -> Void
    ) async throws {
        let seen = Seen()
        let everybody: @Sendable (SocketAddress?) -> Bool = { _ in true }
        let transport = ConnectionTransport(
            certificate: certificate, isTrustedProxy: proxies ? everybody : nil, onFailure: seen.note)
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try transport.addHandlers(to: pipeline, deadline: deadline, logger: Logger(label: "test"))
                    try pipeline.addHandler(Echo(seen))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        do {
            try await body(try #require(server.localAddress?.port), seen)
            try await server.close()
        } catch {
            try? await server.close()
            throw error
        }
    }

    private func certificate(in folder: URL, _ name: String = "server") async throws -> CertificateFiles {
        let files = CertificateFiles(
            certificatePath: folder.appending(path: "\(name).cert.pem").path(),
            privateKeyPath: folder.appending(path: "\(name).key.pem").path())
        _ = try await OpenSSLCommand.output(
            of: [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                "-keyout", files.privateKeyPath, "-out", files.certificatePath, "-subj", "/CN=localhost",
                "-addext", "subjectAltName=DNS:localhost",
            ])
        return files
    }

    /// Sends bytes one by one until the server closes the connection.
    private func drip(_ bytes: [UInt8], port: Int) async throws {
        let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture { try Client(wrappingChannelSynchronously: channel) }
            }
        try await client.executeThenClose { inbound, outbound in
            try await withThrowingTaskGroup { group in
                group.addTask {
                    for byte in bytes {
                        guard (try? await outbound.write(ByteBuffer(bytes: [byte]))) != nil else { break }
                        try? await Task.sleep(for: .milliseconds(20))
                    }
                }
                var received = 0
                do {
                    for try await piece in inbound { received += piece.readableBytes }
                } catch is IOError {
                    // The connection was reset.
                }
                #expect(received == 0)
                group.cancelAll()
            }
        }
    }

    @Test("A handshake that drips is closed at the deadline and counted")
    func slowHandshake() async throws {
        try await OpenSSLCommand.withFolder { folder in
            let certificate = try ServerCertificate(try await certificate(in: folder))
            try await withServer(deadline: .milliseconds(300), certificate: certificate, proxies: false) { port, seen in
                // The beginning of a record of 16,384 bytes that never ends.
                try await drip([0x16, 0x03, 0x01, 0x40, 0x00, 0x01] + [UInt8](repeating: 0, count: 3_000), port: port)
                #expect(seen.failures.withLock { $0 } == [.slowHandshake])
                #expect(seen.openings.withLock { $0 } == [])
            }
        }
    }

    @Test("A PROXY header that drips is closed at the deadline and counted, with and without TLS behind it")
    func slowHeader() async throws {
        try await OpenSSLCommand.withFolder { folder in
            let files = try await certificate(in: folder)
            for certificate in [nil, try ServerCertificate(files)] {
                try await withServer(
                    deadline: .milliseconds(300), certificate: certificate, proxies: true
                ) { port, seen in
                    try await drip(Array("PROXY UNKNOWN \(String(repeating: "x", count: 80))".utf8), port: port)
                    #expect(seen.failures.withLock { $0 } == [.slowProxyHeader])
                }
            }
        }
    }

    @Test("The time of header and handshake is told when the connection has opened")
    func opened() async throws {
        try await withServer(deadline: .seconds(120), certificate: nil, proxies: true) { port, seen in
            let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: port) { channel in
                    channel.eventLoop.makeCompletedFuture { try Client(wrappingChannelSynchronously: channel) }
                }
            try await client.executeThenClose { inbound, outbound in
                for piece in ["PROXY ", "TCP4 192.0.2.1 192.0.2.2 1", " 2\r", "\nhello"] {
                    try await outbound.write(ByteBuffer(string: piece))
                    try await Task.sleep(for: .milliseconds(50))
                }
                var iterator = inbound.makeAsyncIterator()
                #expect(try await iterator.next() == ByteBuffer(string: "hello"))
            }
            let openings = seen.openings.withLock { $0 }
            #expect(openings.count == 1)
            #expect(try #require(openings.first) >= .milliseconds(140))
            #expect(seen.failures.withLock { $0 } == [])
        }
    }

    @Test("Files that have not changed are not read again; changed ones are read once, and broken ones change nothing")
    func reload() async throws {
        try await OpenSSLCommand.withFolder { folder in
            let files = try await certificate(in: folder)
            let other = try await certificate(in: folder, "other")
            let certificate = try ServerCertificate(files)
            let reloading = certificate.reloading
            let first = certificate.context
            #expect(reloading.reload(onlyIfChanged: true) == .unchanged)
            #expect(certificate.context === first && reloading.refusal == nil)
            try FileManager.default.removeItem(atPath: files.certificatePath)
            guard case .refused(let missing) = reloading.reload(onlyIfChanged: true) else {
                Issue.record("a certificate without a file is in force")
                return
            }
            #expect(missing.contains("the certificate: the file that it names can't be read"), "\(missing)")
            #expect(reloading.refusal == missing)
            #expect(reloading.reload(onlyIfChanged: true) == .unchanged)
            #expect(certificate.context === first && reloading.refusal == missing)
            try FileManager.default.copyItem(atPath: other.certificatePath, toPath: files.certificatePath)
            guard case .refused(let wrong) = reloading.reload(onlyIfChanged: true) else {
                Issue.record("a certificate with another key is in force")
                return
            }
            #expect(wrong.contains("must have the private key") && certificate.context === first)
            try FileManager.default.removeItem(atPath: files.privateKeyPath)
            try FileManager.default.copyItem(atPath: other.privateKeyPath, toPath: files.privateKeyPath)
            #expect(reloading.reload(onlyIfChanged: true) == .replaced)
            let second = certificate.context
            #expect(second !== first && reloading.refusal == nil)
            #expect(reloading.reload(onlyIfChanged: true) == .unchanged)
            #expect(certificate.context === second)
        }
    }
}
