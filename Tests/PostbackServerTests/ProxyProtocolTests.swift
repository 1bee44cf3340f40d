import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerTests {
    @Suite("The PROXY protocol", .installation)
    struct ProxyProtocolTests {
        private static let on = ["PROXY_PROTOCOL": "on", "TRUSTED_PROXIES": "127.0.0.0/8,198.51.100.0/24"]
        /// Version 2, for 2001:db8::17.
        private static let binary: [UInt8] =
            [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10, 0x21, 0x21, 0x00, 36]
            + [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [0x17]
            + [UInt8](repeating: 1, count: 16) + [0xDC, 0x04, 0x01, 0xBB]

        private static let sources = """
            SELECT concat_ws(' ', conversion_value, coalesce(host(source_address), '-'))
              FROM attribution.postback NATURAL JOIN attribution.postback_origin ORDER BY 1
            """

        private func header(_ source: String) -> [UInt8] {
            Array("PROXY TCP4 \(source) 192.0.2.1 56324 443\r\n".utf8)
        }

        private func delivery(_ body: [UInt8], _ lines: String = "") -> [UInt8] {
            let head =
                "POST \(PostbackClient.path) HTTP/1.1\r\nHost: h\r\n\(lines)Content-Length: \(body.count)\r\n\r\n"
            return Array(head.utf8) + body
        }

        /// Delivers on a connection that begins with a header, and returns the answer's text.
        private func deliver(_ client: PostbackClient, _ preface: [UInt8], _ delivery: [UInt8]) async throws -> String {
            try await SocketClient.with(port: client.port, preface: preface) { try await $0.exchange(delivery) }
        }

        /// The refused connections that `/metrics` shows.
        private func refusals(_ server: ServerProcess, _ reason: String) async throws -> Int {
            let text = try await PostbackClient.with(port: try await server.port(of: "admin")) {
                try await $0.request(.GET, "/metrics").text
            }
            let start = "adattribution_proxy_headers_refused_total{reason=\"\(reason)\"} "
            let line = text.split(separator: "\n").first { $0.hasPrefix(start) }
            return line.flatMap { Int($0.dropFirst(start.count)) } ?? 0
        }

        @Test("The address in a header of version 1 or 2 is the source of each delivery of the connection")
        func source() async throws {
            let installation = try Installation.current
            let bodies = try (1...5).map { value in
                try TestPostback { $0.conversionValue = value }.body(installation.keys.postbackKey)
            }
            try await installation.withServer(Self.on) { _, client in
                try await SocketClient.with(port: client.port, preface: header("203.0.113.7")) { socket in
                    for body in bodies[0...1] {
                        let answer = try await socket.exchange(delivery(body))
                        #expect(answer.contains("\"accepted\""), "\(answer)")
                    }
                }
                for (preface, body) in [
                    (Self.binary, bodies[2]),
                    (Array("PROXY UNKNOWN\r\n".utf8), bodies[3]),
                    (Array(Self.binary.prefix(12)) + [0x20, 0x00, 0x00, 0x00], bodies[4]),
                ] {
                    let answer = try await deliver(client, preface, delivery(body))
                    #expect(answer.contains("\"accepted\""), "\(answer)")
                }
            }
            #expect(
                try await installation.database.column(Self.sources) == [
                    "1 203.0.113.7", "2 203.0.113.7", "3 2001:db8::17", "4 127.0.0.1", "5 127.0.0.1",
                ])
        }

        @Test("The header of HTTP is read if the address in the PROXY header is trusted, and ignored if it is not")
        func forwarded() async throws {
            let installation = try Installation.current
            let bodies = try (1...2).map { value in
                try TestPostback { $0.conversionValue = value }.body(installation.keys.postbackKey)
            }
            let settings = Self.on.merging(["FORWARDED_HEADER": "X-Forwarded-For"]) { $1 }
            try await installation.withServer(settings) { _, client in
                for (source, body) in zip(["198.51.100.9", "203.0.113.7"], bodies) {
                    let answer = try await deliver(
                        client, header(source), delivery(body, "X-Forwarded-For: 192.0.2.99\r\n"))
                    #expect(answer.contains("\"accepted\""), "\(answer)")
                }
            }
            #expect(try await installation.database.column(Self.sources) == ["1 192.0.2.99", "2 203.0.113.7"])
        }

        @Test("A peer that is not trusted is closed without an answer, whatever it sends, and counted")
        func untrusted() async throws {
            let installation = try Installation.current
            let settings = Self.on.merging(["TRUSTED_PROXIES": "198.51.100.0/24"]) { $1 }
            try await installation.withServer(settings) { server, client in
                for preface in [header("203.0.113.7"), Self.binary, delivery(try TestKeys.apple())] {
                    try await SocketClient.with(port: client.port, preface: preface) { socket in
                        #expect(await socket.isClosedUnanswered())
                    }
                }
                try await eventually("they are counted") {
                    try await refusals(server, "untrusted") == 3 ? true : nil
                }
            }
            #expect(try await installation.database.column(Self.sources) == [])
        }

        @Test("A trusted proxy without a good header is closed without an answer and counted")
        func malformed() async throws {
            let installation = try Installation.current
            try await installation.withServer(Self.on) { server, client in
                for preface in [
                    delivery(try TestKeys.apple()), Array("PROXY TCP4 1.2.3.4\r\n".utf8),
                    Array(Self.binary.prefix(12)) + [0x31, 0x11, 0, 12], [UInt8](repeating: 0x50, count: 5_000),
                ] {
                    try await SocketClient.with(port: client.port, preface: preface) { socket in
                        #expect(await socket.isClosedUnanswered())
                    }
                }
                try await eventually("they are counted") {
                    try await refusals(server, "malformed") == 4 ? true : nil
                }
                let answer = try await deliver(client, header("203.0.113.7"), delivery(try TestKeys.apple()))
                #expect(answer.contains("\"accepted\""), "\(answer)")
            }
            #expect(try await installation.database.column(Self.sources) == ["20 203.0.113.7"])
        }

        @Test("The header comes before TLS", .enabled("openssl is installed", OpenSSLCommand.isInstalled))
        func beforeTLS() async throws {
            let installation = try Installation.current
            let certificate = try await TestCertificate.create(in: installation.folder)
            let settings = Self.on.merging(certificate.settings) { $1 }
            try await installation.withServer(settings) { _, client in
                let context = try TestCertificate.client(trusting: certificate.certificatePath)
                try await SocketClient.with(port: client.port, context, preface: header("203.0.113.7")) { socket in
                    let answer = try await socket.exchange(delivery(try TestKeys.apple()))
                    #expect(answer.contains("\"accepted\""), "\(answer)")
                }
            }
            #expect(try await installation.database.column(Self.sources) == ["20 203.0.113.7"])
        }

        @Test("Without trusted proxies the protocol can't be switched on")
        func settings() async throws {
            let installation = try Installation.current
            for (changes, expected) in [
                (["PROXY_PROTOCOL": "on"], "TRUSTED_PROXIES: must be set"),
                (["PROXY_PROTOCOL": "v2", "TRUSTED_PROXIES": "::1"], "PROXY_PROTOCOL: must be one of"),
                (["PROXY_PROTOCOL": "off", "TRUSTED_PROXIES": "::1"], "FORWARDED_HEADER: must be set"),
            ] {
                let server = try ServerProcess(environment: installation.environment(changes))
                #expect(try await server.exitCode() == 78)
                let line = try await eventually("it says why") {
                    server.lines.last { $0.hasPrefix("PostbackServer: ") }
                }
                #expect(line.contains(expected), "\(line)")
            }
        }
    }
}
