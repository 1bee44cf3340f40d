import Foundation
import NIOHTTP1
import NIOSSL
import TestSupport
import Testing

extension ServerTests {
    @Suite("TLS on the public listener", .enabled("openssl is installed", OpenSSLCommand.isInstalled), .installation)
    struct TLSTests {
        /// A delivery of a body on a connection that stays open.
        private func delivery(_ body: [UInt8]) -> [UInt8] {
            Array("POST \(PostbackClient.path) HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.count)\r\n\r\n".utf8)
                + body
        }

        /// The failed handshakes that `/metrics` shows.
        private func failures(_ server: ServerProcess, _ reason: String) async throws -> Int {
            let text = try await PostbackClient.with(port: try await server.port(of: "admin")) {
                try await $0.request(.GET, "/metrics").text
            }
            let start = "adattribution_tls_handshakes_failed_total{reason=\"\(reason)\"} "
            let line = text.split(separator: "\n").first { $0.hasPrefix(start) }
            return line.flatMap { Int($0.dropFirst(start.count)) } ?? 0
        }

        @Test("A postback over TLS 1.2 and 1.3 is counted, and many of them on one connection")
        func counted() async throws {
            let installation = try Installation.current
            let certificate = try await TestCertificate.create(in: installation.folder)
            try await installation.withServer(certificate.settings) { _, client in
                for (version, values) in [(TLSVersion.tlsv12, [20, 30]), (.tlsv13, [40, 50])] {
                    let context = try TestCertificate.client(trusting: certificate.certificatePath) {
                        $0.minimumTLSVersion = version
                        $0.maximumTLSVersion = version
                        $0.applicationProtocols = ["h2", "http/1.1"]
                    }
                    try await SocketClient.with(port: client.port, context) { socket in
                        for value in values {
                            let answer = try await socket.exchange(delivery(try TestKeys.apple(conversionValue: value)))
                            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(answer)")
                        }
                    }
                }
            }
            #expect(
                try await installation.database.column("SELECT conversion_value FROM attribution.postback") == ["50"])
            #expect(try await installation.database.recounts() == [])
        }

        @Test(
            "Another client agrees: curl believes the certificate, speaks HTTP/1.1, and gets the answer of a postback")
        func curl() async throws {
            let installation = try Installation.current
            let certificate = try await TestCertificate.create(in: installation.folder)
            let (_, client) = try await installation.start(certificate.settings)
            let result = try await ChildProcess.run(
                "/usr/bin/env",
                [
                    "curl", "-sS", "--cacert", certificate.certificatePath, "--data-binary", "@-",
                    "-w", "\n%{http_version} %{http_code} %{ssl_verify_result}",
                    "https://localhost:\(client.port)\(PostbackClient.path)",
                ], input: Data(try TestKeys.apple()))
            let text = String(decoding: result.output, as: UTF8.self)
            #expect(text.hasSuffix("\n1.1 200 0"), "\(text) \(String(decoding: result.errors, as: UTF8.self))")
            #expect(text.contains("\"accepted\""), "\(text)")
        }

        @Test("The whole chain of the file is sent, so a client needs to know the root only")
        func chain() async throws {
            let installation = try Installation.current
            let (root, leaf) = try await TestCertificate.createChain(in: installation.folder)
            let (_, client) = try await installation.start(leaf.settings)
            let context = try TestCertificate.client(trusting: root)
            try await SocketClient.with(port: client.port, context) { socket in
                let answer = try await socket.exchange(delivery(try TestKeys.apple()))
                #expect(answer.contains("\"accepted\""), "\(answer)")
            }
        }

        @Test("TLS 1.1 and bytes that are not TLS are refused, counted and not logged, and others are served meanwhile")
        func refused() async throws {
            let installation = try Installation.current
            let certificate = try await TestCertificate.create(in: installation.folder)
            let (server, client) = try await installation.start(certificate.settings)
            let old = try TestCertificate.client(trusting: certificate.certificatePath) {
                $0.minimumTLSVersion = .tlsv1
                $0.maximumTLSVersion = .tlsv11
            }
            let current = try TestCertificate.client(trusting: certificate.certificatePath)
            try await SocketClient.with(port: client.port, current) { patient in
                await #expect(throws: (any Error).self) {
                    try await SocketClient.with(port: client.port, old) { try await $0.exchange([0x47]) }
                }
                for bytes in [Array("GET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8), [UInt8](repeating: 0, count: 5_000)] {
                    try await SocketClient.with(port: client.port) { plain in
                        let answer = (try? await plain.exchange(bytes)) ?? ""
                        #expect(!answer.contains("HTTP/1.1"), "\(answer)")
                    }
                }
                let answer = try await patient.exchange(delivery(try TestKeys.apple()))
                #expect(answer.contains("\"accepted\""), "\(answer)")
            }
            try await eventually("the failures are counted") {
                try await failures(server, "refused") == 3 ? true : nil
            }
            #expect(!server.lines.contains { $0.contains("andshake") })
        }

        @Test("A certificate that is replaced is shown to new connections after SIGHUP, and old connections go on")
        func replaced() async throws {
            let installation = try Installation.current
            let certificate = try await TestCertificate.create(in: installation.folder)
            let second = try await TestCertificate.create(in: installation.folder, name: "second")
            let first = try TestCertificate.client(trusting: certificate.certificatePath)
            let next = try TestCertificate.client(trusting: second.certificatePath)
            let (server, client) = try await installation.start(certificate.settings)
            try await SocketClient.with(port: client.port, first) { old in
                let before = try await old.exchange(delivery(try TestKeys.apple(conversionValue: 20)))
                #expect(before.contains("\"accepted\""), "\(before)")
                let shown = try await old.serverCertificate()
                try certificate.replace(with: second)
                server.hangUp()
                try await eventually("it is read") {
                    server.lines.contains { $0.contains("TLS certificate read again") } ? true : nil
                }
                try await SocketClient.with(port: client.port, next) { new in
                    let answer = try await new.exchange(delivery(try TestKeys.apple(conversionValue: 30)))
                    #expect(answer.contains("\"raised\""), "\(answer)")
                    #expect(try await new.serverCertificate() != shown)
                }
                let after = try await old.exchange(delivery(try TestKeys.apple(conversionValue: 40)))
                #expect(after.contains("\"raised\""), "\(after)")
            }
        }

        @Test(
            "A replacement that can't be used is logged as an error without a part of the key, and the old pair stays")
        func brokenReplacement() async throws {
            let installation = try Installation.current
            let certificate = try await TestCertificate.create(in: installation.folder)
            let second = try await TestCertificate.create(in: installation.folder, name: "second")
            let key = try String(contentsOfFile: second.privateKeyPath, encoding: .utf8)
            let context = try TestCertificate.client(trusting: certificate.certificatePath)
            // The client above believes the first certificate, whatever stands in the file later.
            let (server, client) = try await installation.start(certificate.settings)
            func check(_ rule: String) async throws {
                server.hangUp()
                let line = try await eventually("it is refused: \(rule)") { () -> String? in
                    server.lines.last { $0.contains("TLS certificate not replaced") && $0.contains(rule) }
                }
                #expect(line.contains("\"error\""), "\(line)")
                try await SocketClient.with(port: client.port, context) { socket in
                    let answer = try await socket.exchange(delivery(try TestKeys.apple()))
                    #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
                }
            }
            try installation.write("", to: "server.cert.pem")
            try await check("server.cert.pem: must have 1 to")
            try installation.write(key, to: "server.cert.pem")
            try await check("server.cert.pem: must have certificates")
            try FileManager.default.removeItem(atPath: certificate.certificatePath)
            try await check("TLS_CERTIFICATE_PATH: the file that it names can't be read")
            try FileManager.default.copyItem(atPath: second.certificatePath, toPath: certificate.certificatePath)
            try await check("server.key.pem: must have the private key of the first certificate")
            try installation.write(String(key.prefix(120)), to: "server.key.pem", mode: 0o600)
            try await check("server.key.pem: must have a private key")
            try installation.write(key, to: "server.key.pem", mode: 0o644)
            try await check("server.key.pem: must not be open to others")
            let secret = try #require(key.split(separator: "\n").dropFirst().first).prefix(20)
            #expect(!server.lines.contains { $0.contains(secret) || $0.contains("PRIVATE KEY") })
        }

        @Test("A certificate that can't be used stops the start with one line that names the file and the rule")
        func start() async throws {
            let installation = try Installation.current
            let certificate = try await TestCertificate.create(in: installation.folder)
            let second = try await TestCertificate.create(in: installation.folder, name: "second")
            let encrypted = installation.folder + "/encrypted.pem"
            _ = try await OpenSSLCommand.output(
                of: ["pkcs8", "-topk8", "-in", certificate.privateKeyPath, "-out", encrypted, "-passout", "pass:x"])
            try installation.write(
                String(contentsOfFile: certificate.privateKeyPath, encoding: .utf8), to: "open.pem", mode: 0o640)
            let settings = certificate.settings
            for (changes, expected) in [
                (["TLS_CERTIFICATE_PATH": certificate.certificatePath], "TLS_PRIVATE_KEY_PATH: must be set"),
                (["TLS_PRIVATE_KEY_PATH": certificate.privateKeyPath], "TLS_CERTIFICATE_PATH: must be set"),
                (
                    settings.merging(["TLS_CERTIFICATE_PATH": "/nowhere"]) { $1 },
                    "TLS: TLS_CERTIFICATE_PATH: the file that it names can't be read: No such file or directory"
                ),
                (
                    settings.merging(["TLS_PRIVATE_KEY_PATH": "hunter2"]) { $1 },
                    "TLS: TLS_PRIVATE_KEY_PATH: the file that it names can't be read: No such file or directory"
                ),
                (
                    settings.merging(["TLS_PRIVATE_KEY_PATH": "-----BEGIN PRIVATE KEY-----\nhunter2"]) { $1 },
                    "TLS: TLS_PRIVATE_KEY_PATH: must be the name of a file, not the key or the secret itself"
                ),
                (settings.merging(["TLS_CERTIFICATE_PATH": "/tmp"]) { $1 }, "/tmp: must be a file"),
                (settings.merging(["TLS_CERTIFICATE_PATH": encrypted]) { $1 }, "must have certificates"),
                (settings.merging(["TLS_PRIVATE_KEY_PATH": encrypted]) { $1 }, "not encrypted"),
                (
                    settings.merging(["TLS_PRIVATE_KEY_PATH": installation.folder + "/open.pem"]) { $1 },
                    "open.pem: must not be open to others: its mode must be 0600 or less"
                ),
                (
                    settings.merging(["TLS_PRIVATE_KEY_PATH": second.privateKeyPath]) { $1 },
                    "must have the private key of the first certificate"
                ),
            ] {
                let server = try ServerProcess(environment: installation.environment(changes))
                #expect(try await server.exitCode() == 78)
                let line = try await eventually("it says why") {
                    server.lines.last { $0.hasPrefix("PostbackServer: ") }
                }
                #expect(line.contains(expected), "\(line)")
                #expect(!server.lines.contains { $0.contains("PRIVATE KEY-") || $0.contains("hunter2") })
            }
        }
    }
}
