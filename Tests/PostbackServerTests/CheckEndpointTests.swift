import AdAttribution
import Foundation
import NIOCore
import NIOPosix
import TestSupport
import Testing

extension ServerTests {
    /// `adsign check-endpoint`, against servers over real sockets.
    @Suite("Checking an endpoint", .enabled("openssl is installed", OpenSSLCommand.isInstalled))
    struct CheckEndpointTests {
        private func check(_ arguments: String...) async throws -> ServerCommand {
            try await ServerCommand.adsign(["check-endpoint"] + arguments)
        }

        @Test(
            "With a test key the postback is accepted and counts as test, for both protocols; without it is refused",
            .installation)
        func accepted() async throws {
            let installation = try Installation.current
            try installation.write(installation.keys.postbackKeyP256.pem, to: "load-test-p256.pem", mode: 0o600)
            let (root, leaf) = try await TestCertificate.createChain(in: installation.folder)
            let key = installation.folder + "/load-test-p256.pem"
            try await installation.withServer(leaf.settings) { _, client in
                for path in ["skadnetwork", "appattribution"] {
                    let url = "https://localhost:\(client.port)/.well-known/\(path)/report-attribution/"
                    let known = try await check(url, "--root-certificates", root, "--key", key)
                    #expect(known.code == 0, "\(known.output)\(known.errors)")
                    #expect(known.output.contains("200 accepted; it counts as test"))
                    #expect(known.output.contains("trusted, for this name, until "))
                    #expect(
                        known.output.contains("\nApple could deliver to \(url), if it trusted the roots of \(root)\n"))
                    let unknown = try await check(url, "--root-certificates", root)
                    #expect(unknown.code == 0, "\(unknown.output)\(unknown.errors)")
                    #expect(unknown.output.contains("403 invalid_signature, as it must be"))
                    let foreign = try await check(
                        url, "--root-certificates", root, "--key", key, "--ad-network-id", "foreign.skadnetwork")
                    #expect(foreign.code == 1)
                    #expect(foreign.output.contains("to mend it: put the network and the public key"))
                }
                let domain = try await check(
                    "https://localhost:\(client.port)", "--root-certificates", root, "--key", key)
                #expect(domain.code == 0, "\(domain.output)\(domain.errors)")
                #expect(domain.output.components(separatedBy: "200 accepted").count == 3)
                let system = try await check("https://localhost:\(client.port)\(PostbackClient.path)")
                #expect(system.code == 1)
                #expect(system.output.contains("its chain leads to no trusted root"))
                let name = try await check(
                    "https://127.0.0.1:\(client.port)\(PostbackClient.path)", "--root-certificates", root)
                #expect(name.code == 1)
                #expect(name.output.contains("it is not for 127.0.0.1"), "\(name.output)")
            }
            let rows = try await installation.database.column("SELECT DISTINCT environment FROM attribution.postback")
            #expect(rows == ["test"])
        }

        @Test("A chain without its issuer, and a server without TLS, are failures with a remedy", .installation)
        func brokenTLS() async throws {
            let installation = try Installation.current
            let (root, leaf) = try await TestCertificate.createChain(in: installation.folder)
            let alone = installation.folder + "/leaf.cert.pem"
            var settings = leaf.settings
            settings["TLS_CERTIFICATE_PATH"] = alone
            try await installation.withServer(settings) { _, client in
                let result = try await check(
                    "https://localhost:\(client.port)\(PostbackClient.path)", "--root-certificates", root)
                #expect(result.code == 1)
                #expect(result.output.contains("to mend it: send the whole chain"))
            }
            let (_, client) = try await installation.start()
            let plain = try await check("http://localhost:\(client.port)\(PostbackClient.path)")
            #expect(plain.code == 1)
            #expect(plain.output.contains("http; Apple delivers over https only"))
            #expect(plain.output.contains("403 invalid_signature"))
            let tls = try await check("https://localhost:\(client.port)\(PostbackClient.path)")
            #expect(tls.code == 1)
            #expect(tls.output.contains("the handshake of TLS fails"), "\(tls.output)")
        }

        @Test("A certificate that has ended is a failure that says when", .installation)
        func expired() async throws {
            let installation = try Installation.current
            let certificate = try await TestCertificate.createExpired(in: installation.folder)
            let (_, client) = try await installation.start(certificate.settings)
            let result = try await check("https://localhost:\(client.port)\(PostbackClient.path)")
            #expect(result.code == 1)
            #expect(result.output.contains(/it ended on \d{4}-\d\d-\d\d\n/), "\(result.output)")
            #expect(result.output.contains("to mend it: renew it"))
        }

        @Test("An answer that takes more than two seconds is noted, and a quick one is not")
        func slow() async throws {
            let answer = "HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n"
            let remark = "; Apple does not say how long a device waits"
            try await FixedServer.with(answer, after: .milliseconds(2_100)) { port in
                let output = try await check("http://127.0.0.1:\(port)/path").output
                #expect(output.contains("from request to answer\(remark)"), "\(output)")
            }
            try await FixedServer.with(answer) { port in
                let output = try await check("http://127.0.0.1:\(port)/path").output
                let shown = try #require(output.firstMatch(of: /([0-9]+) ms from request to answer(.*)/))
                let milliseconds = try #require(Int(shown.1))
                #expect(milliseconds > 2_000 || shown.2.isEmpty, "\(output)")
            }
        }

        @Test(
            "Each other answer is a failure with its reason, and nothing of the answer is shown unescaped",
            arguments: [
                ("301 Moved\r\nLocation: https://example.com/\u{202E}", "a redirect to \"https://example.com/"),
                ("302 Found\r\nLocation: \u{1B}[31m", "the answer is not HTTP"), ("404 Not Found", "404"),
                ("401 Unauthorized", "a device does not log in"),
                ("403 Forbidden", "not from a PostbackServer"), ("500 Oops", "500"),
                ("204 No Content", "204; Apple counts"),
            ])
        func answers(head: String, text: String) async throws {
            let body = "\u{1B}]0;title\u{7}{\"outcome\":\"\u{1B}[31m\"}"
            let answer = "HTTP/1.1 \(head)\r\nConnection: close\r\n\r\n\(head.hasPrefix("204") ? "" : body)"
            try await FixedServer.with(answer) { port in
                let result = try await check("http://127.0.0.1:\(port)/path")
                #expect(result.code == 1)
                #expect(result.output.contains(text), "\(result.output)")
                #expect(result.output.utf8.allSatisfy { $0 == 0x0A || (0x20...0x7E).contains($0) })
            }
        }

        @Test("A server that does not answer, or closes, or is not there, is a failure within the time that is given")
        func silent() async throws {
            let port = try await FixedServer.with("") { port in
                let result = try await check("http://127.0.0.1:\(port)/path")
                #expect(result.code == 1)
                #expect(result.output.contains("the server closed the connection"), "\(result.output)")
                return port
            }
            let gone = try await check("http://127.0.0.1:\(port)/path")
            #expect(gone.code == 1)
            #expect(gone.output.contains("the connection is refused"), "\(gone.output)")
            try await FixedServer.with(nil) { port in
                for scheme in ["http", "https"] {
                    let result = try await check("\(scheme)://127.0.0.1:\(port)/path", "--timeout", "1")
                    #expect(result.code == 1)
                    #expect(result.output.contains("no answer in time"), "\(result.output)")
                }
            }
            let wrong = try await check("example.com")
            #expect(wrong.code == 64)
            #expect(wrong.errors.contains("It must be a URL such as"))
        }
    }
}

/// A server that answers every request with the same bytes, and closes; or never answers.
private enum FixedServer {
    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        let answer: String?
        let delay: TimeAmount

        init(_ answer: String?, after delay: TimeAmount) {
            self.answer = answer
            self.delay = delay
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard let answer else { return }
            let channel = context.channel
            channel.eventLoop.scheduleTask(in: delay) {
                channel.writeAndFlush(ByteBuffer(string: answer), promise: nil)
                channel.close(promise: nil)
            }
        }
    }

    static func with<T>(
        _ answer: String?, after delay: TimeAmount = .zero, _ body: (Int) async throws -> T
    ) async throws -> T {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(answer, after: delay))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        do {
            let value = try await body(server.localAddress?.port ?? 0)
            try await server.close()
            return value
        } catch {
            try? await server.close()
            throw error
        }
    }
}
