import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("TLS on the admin listener", .enabled("openssl is installed", OpenSSLCommand.isInstalled), .installation)
    struct AdminTLSTests {
        /// The settings of a server with this certificate on its admin listener.
        private func settings(_ certificate: TestCertificate) -> [String: String] {
            [
                "ADMIN_TLS_CERTIFICATE_PATH": certificate.certificatePath,
                "ADMIN_TLS_PRIVATE_KEY_PATH": certificate.privateKeyPath,
            ]
        }

        /// A request on a connection that stays open.
        private func request(_ method: String, _ path: String, _ headers: String = "", body: String = "") -> [UInt8] {
            Array(
                ("\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(Installation.token)\r\n\(headers)"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)").utf8)
        }

        @Test(
            "Beyond loopback the server does not start without TLS, unless ADMIN_ALLOW_PLAINTEXT is on; a check says so too"
        )
        func exposure() async throws {
            let installation = try Installation.current
            let certificate = try await TestCertificate.create(in: installation.folder)
            let rule = "PostbackServer: ADMIN_HOST: without TLS it must be a loopback address"
            let hosts = ["0.0.0.0", "::", "192.0.2.1", "attribution.internal", "128.0.0.1", "::2", "0", "localhost.x"]
            for host in hosts {
                let checked = try await installation.run(["serve", "--check-config"], ["ADMIN_HOST": host])
                #expect(checked.code == 78 && checked.errors.hasPrefix(rule), "\(host): \(checked)")
                #expect(checked.errors.split(separator: "\n").count == 1, "\(checked.errors)")
            }
            let started = try await installation.run(["serve"], ["ADMIN_HOST": "0.0.0.0"])
            #expect(started.code == 78 && started.errors.hasPrefix(rule), "\(started)")
            for changes in [
                ["ADMIN_HOST": "127.9.9.9"], ["ADMIN_HOST": "::1"], ["ADMIN_HOST": "::ffff:127.0.0.1"],
                ["ADMIN_HOST": "LocalHost"], ["ADMIN_SOCKET": installation.folder + "/admin.sock"],
                ["ADMIN_HOST": "0.0.0.0", "ADMIN_ALLOW_PLAINTEXT": "on"],
                settings(certificate).merging(["ADMIN_HOST": "0.0.0.0"]) { $1 },
            ] {
                let checked = try await installation.run(["serve", "--check-config"], changes)
                #expect(checked.code == 0, "\(changes): \(checked)")
                #expect(
                    checked.output.contains("TLS on the admin listener")
                        == (changes["ADMIN_TLS_CERTIFICATE_PATH"] != nil), "\(checked)")
            }
            // One mistake gives one message.
            for (changes, expected) in [
                (
                    ["ADMIN_HOST": "::", "ADMIN_ALLOW_PLAINTEXT": "yes"],
                    "ADMIN_ALLOW_PLAINTEXT: must be one of on, off"
                ),
                (
                    ["ADMIN_HOST": "::", "ADMIN_TLS_CERTIFICATE_PATH": certificate.certificatePath],
                    "ADMIN_TLS_PRIVATE_KEY_PATH: must be set too, since ADMIN_TLS_CERTIFICATE_PATH is set"
                ),
                (
                    settings(certificate).merging(["ADMIN_TLS_CERTIFICATE_PATH": "/nowhere"]) { $1 },
                    "TLS: ADMIN_TLS_CERTIFICATE_PATH: the file that it names can't be read"
                ),
            ] {
                let checked = try await installation.run(["serve", "--check-config"], changes)
                let errors = checked.errors.split(separator: "\n").filter { $0.hasPrefix("PostbackServer: ") }
                #expect(checked.code == 78 && errors.count == 1, "\(checked)")
                #expect(errors.first?.contains(expected) == true, "\(checked.errors)")
            }
            // It is said in the log each time.
            let (server, _) = try await installation.start(["ADMIN_HOST": "0.0.0.0", "ADMIN_ALLOW_PLAINTEXT": "on"])
            _ = try await server.port(of: "admin")
            #expect(server.lines.contains { $0.contains("ADMIN_ALLOW_PLAINTEXT is on") })
        }

        @Test("Routes and page are answered over TLS, with a cookie that is Secure; plain HTTP gets no answer")
        func served() async throws {
            let installation = try Installation.current
            let certificate = try await TestCertificate.create(in: installation.folder)
            let (server, client) = try await installation.start(
                settings(certificate).merging(["ADMIN_HOST": "0.0.0.0"]) { $1 })
            let port = try await server.port(of: "admin")
            let context = try TestCertificate.client(trusting: certificate.certificatePath) {
                $0.applicationProtocols = ["h2", "http/1.1"]
            }
            try await SocketClient.with(port: port, context) { socket in
                let signed = try await socket.exchange(
                    request("POST", "/v1/impressions", body: Installation.impression))
                #expect(signed.hasPrefix("HTTP/1.1 200 OK\r\n") && signed.contains("signature"), "\(signed)")
                let refused = try await socket.exchange(request("GET", "/v1/nothing"))
                #expect(refused.hasPrefix("HTTP/1.1 404 "), "\(refused)")
                let form = "token=\(Installation.token)"
                let cookie = try await socket.exchange(
                    request(
                        "POST", "/sign-in",
                        "Origin: https://localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n", body: form))
                #expect(cookie.hasPrefix("HTTP/1.1 303 "), "\(cookie)")
                #expect(cookie.contains("__Host-") && cookie.contains("; Secure"), "\(cookie)")
            }
            try await SocketClient.with(port: port) { plain in
                let answer = (try? await plain.exchange(request("GET", "/health"))) ?? ""
                #expect(!answer.contains("HTTP/1.1"), "\(answer)")
            }
            // The public listener has no TLS by this.
            #expect(try await client.post(TestKeys.apple()).outcome == "accepted")
            #expect(server.lines.contains { $0.contains("\"admin_tls\":\"on\"") && $0.contains("\"tls\":\"off\"") })
            server.terminate()
            #expect(try await server.exitCode() == 0)
        }

        @Test("When the certificate of each listener expires is a metric, of those that have one, and follows a reload")
        func expiry() async throws {
            let installation = try Installation.current
            let certificate = try await TestCertificate.create(in: installation.folder)
            let expired = try await TestCertificate.createExpired(in: installation.folder)
            let context = try TestCertificate.client(trusting: certificate.certificatePath)
            func expiries(_ changes: [String: String], reloadedWith next: TestCertificate? = nil) async throws
                -> [String: Double]
            {
                let (server, _) = try await installation.start(settings(certificate).merging(changes) { $1 })
                let text = try await SocketClient.with(port: try await server.port(of: "admin"), context) { socket in
                    if let next {
                        try certificate.replace(with: next)
                        let answer = try await socket.exchange(request("POST", "/v1/reload"))
                        #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
                    }
                    return try await socket.exchange(request("GET", "/metrics"))
                }
                server.terminate()
                #expect(try await server.exitCode() == 0)
                let series = text.matches(
                    of: /adattribution_certificate_expiry_timestamp_seconds\{listener="([a-z_]+)"\} ([0-9.e+]+)/)
                return try Dictionary(
                    uniqueKeysWithValues: series.map { (String($0.output.1), try #require(Double($0.output.2))) })
            }
            // In days from now: certificates of tests are good for two.
            func days(_ seconds: Double?) -> Double? { seconds.map { ($0 - Date.now.timeIntervalSince1970) / 86_400 } }
            let alone = try await expiries([:])
            #expect(alone.keys.sorted() == ["admin"])
            #expect(days(alone["admin"]).map { (1...3).contains($0) } == true, "\(alone)")
            let both = try await expiries(expired.settings)
            #expect(both.keys.sorted() == ["admin", "postbacks"])
            #expect(both["admin"] == alone["admin"], "\(both)")
            #expect(days(both["postbacks"]).map { $0 < 0 } == true, "\(both)")
            let replaced = try await expiries([:], reloadedWith: expired)
            #expect(replaced.keys.sorted() == ["admin"])
            #expect(days(replaced["admin"]).map { $0 < 0 } == true, "\(replaced)")
        }

        @Test("The Unix socket stays without TLS")
        func socket() async throws {
            let installation = try Installation.current
            let certificate = try await TestCertificate.create(in: installation.folder)
            let path = installation.folder + "/admin.sock"
            let (server, client) = try await installation.start(
                settings(certificate).merging(["ADMIN_SOCKET": path]) { $1 })
            try await server.listensOnSocket()
            let host = try #require(path.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            var request = HTTPClientRequest(url: "http+unix://\(host)/health")
            request.headers.add(name: "Host", value: "localhost")
            let response = try await client.http.execute(request, timeout: .seconds(60))
            #expect(response.status == .ok)
        }

        @Test(
            "A replaced certificate is shown to new connections; one that can't be used is refused, and the answer, /ready and the metric say why"
        )
        func replaced() async throws {
            let installation = try Installation.current
            let first = try await TestCertificate.create(in: installation.folder)
            let second = try await TestCertificate.create(in: installation.folder, name: "second")
            let (server, _) = try await installation.start(settings(first))
            let port = try await server.port(of: "admin")
            let (old, new) = (
                try TestCertificate.client(trusting: first.certificatePath),
                try TestCertificate.client(trusting: second.certificatePath)
            )
            try await SocketClient.with(port: port, old) { socket in
                let before = try await socket.exchange(request("GET", "/health"))
                #expect(before.hasPrefix("HTTP/1.1 200 "), "\(before)")
                let shown = try #require(try await socket.serverCertificate())
                try first.replace(with: second)
                let answer = try await socket.exchange(request("POST", "/v1/reload"))
                #expect(answer.contains("{\"reloaded\":[\"key_ring\",\"tokens\",\"admin_certificate\"]}"), "\(answer)")
                try await SocketClient.with(port: port, new) { later in
                    let health = try await later.exchange(request("GET", "/health"))
                    #expect(health.hasPrefix("HTTP/1.1 200 "), "\(health)")
                    let certificate = try await later.serverCertificate()
                    #expect(certificate != nil && certificate != shown)
                }
                try installation.write("", to: "server.cert.pem")
                let refused = try await socket.exchange(request("POST", "/v1/reload"))
                #expect(refused.hasPrefix("HTTP/1.1 422 "), "\(refused)")
                #expect(refused.contains("\"field\":\"admin_certificate\""), "\(refused)")
                #expect(refused.contains("server.cert.pem: must have 1 to"), "\(refused)")
                let ready = try await socket.exchange(request("GET", "/ready"))
                #expect(ready.contains("\"part\":\"admin_certificate\""), "\(ready)")
                let metrics = try await socket.exchange(request("GET", "/metrics"))
                #expect(metrics.contains("adattribution_files_refused{part=\"admin_certificate\"} 1"), "\(metrics)")
            }
            // The one before is in force.
            try await SocketClient.with(port: port, new) { later in
                let health = try await later.exchange(request("GET", "/health"))
                #expect(health.hasPrefix("HTTP/1.1 200 "), "\(health)")
            }
        }
    }
}
