import AdAttribution
import Foundation
import TestSupport
import Testing

extension ServerTests {
    /// `adsign simulate --deliver`, against a server over real sockets.
    @Suite("Simulated deliveries", .installation)
    struct DeliverTests {
        /// Writes the test keys of an installation, and gives the options that sign with them.
        private func keys(_ installation: Installation) throws -> [String] {
            try installation.write(installation.keys.postbackKey.pem, to: "load-test.pem", mode: 0o600)
            try installation.write(installation.keys.postbackKeyP256.pem, to: "load-test-p256.pem", mode: 0o600)
            return ["load-test", "load-test-p256"].flatMap { ["--key", "\(installation.folder)/\($0).pem"] }
        }

        @Test(
            "All are answered 200 over TLS and count as test, and the summary says so",
            .enabled("openssl is installed", OpenSSLCommand.isInstalled))
        func delivered() async throws {
            let installation = try Installation.current
            let certificate = try await TestCertificate.create(in: installation.folder)
            let options = try ["simulate", "--seed", "5", "--count", "300", "--all"] + keys(installation)
            try await installation.withServer(certificate.settings) { _, client in
                let result = try await ServerCommand.adsign(
                    options + [
                        "--rate", "1000", "--connections", "8", "--root-certificates", certificate.certificatePath,
                        "--deliver", "https://localhost:\(client.port)\(PostbackClient.path)",
                    ])
                #expect(result.code == 0, "\(result.errors)")
                #expect(result.lines.count == 2)
                #expect(result.lines.first?.hasPrefix("200: 300, p50 ") == true, "\(result.lines)")
                #expect(result.lines.last?.hasPrefix("300 of 300 sent, ") == true)
                // Without the root, the certificate is not trusted.
                let untrusted = try await ServerCommand.adsign(
                    options + ["--deliver", "https://localhost:\(client.port)\(PostbackClient.path)", "--rate", "9999"])
                #expect(untrusted.code == 1)
                #expect(untrusted.lines.first?.hasPrefix("no answer: the handshake of TLS failed: 300") == true)
            }
            let environments = try await installation.database.column(
                "SELECT DISTINCT environment FROM attribution.postback")
            #expect(environments == ["test"])
            #expect(try await installation.database.recounts() == [])
        }

        @Test("Other answers and a server that is not there are counted by reason, and the code is 1")
        func refused() async throws {
            let installation = try Installation.current
            let options = try ["simulate", "--seed", "5", "--count", "20", "--rate", "1000"] + keys(installation)
            let port = try await installation.withServer { _, client in
                let unknown = try await ServerCommand.adsign(
                    options + ["--deliver", "http://127.0.0.1:\(client.port)/elsewhere", "--connections", "1"])
                #expect(unknown.code == 1)
                #expect(unknown.lines.first?.hasPrefix("404: 20, p50 ") == true, "\(unknown.lines)")
                #expect(unknown.errors.hasSuffix("adsign: 20 of 20 not answered 200\n"), "\(unknown.errors)")
                let foreign = try await ServerCommand.adsign(
                    options + [
                        "--ad-network-id", "foreign.skadnetwork", "--deliver",
                        // A domain alone stands for the path of postbacks.
                        "http://127.0.0.1:\(client.port)",
                    ])
                #expect(foreign.code == 1)
                #expect(foreign.lines.first?.hasPrefix("403: 20") == true, "\(foreign.lines)")
                // They were sent, and the server took none.
                #expect(foreign.lines.last?.hasPrefix("20 of 20 sent, ") == true, "\(foreign.lines)")
                return client.port
            }
            let gone = try await ServerCommand.adsign(options + ["--deliver", "http://127.0.0.1:\(port)/"])
            #expect(gone.code == 1)
            #expect(gone.lines.first?.hasPrefix("no answer: the connection is refused: 20") == true, "\(gone.lines)")
            #expect(gone.lines.last?.hasPrefix("20 of 20 tried, ") == true, "\(gone.lines)")
        }

        @Test("Ctrl-C ends with the summary of what was sent")
        func interrupted() async throws {
            let installation = try Installation.current
            let program = try #require(TestEnvironment.programs) + "/adsign"
            let keys = try keys(installation)
            let (_, client) = try await installation.start()
            let url = "http://127.0.0.1:\(client.port)\(PostbackClient.path)"
            // It is interrupted as soon as it shows progress, however slow the machine is.
            let script = """
                errors=$1; shift
                "$@" 2>"$errors" & program=$!
                until grep -q answered "$errors" || ! kill -0 $program; do sleep 0.1; done
                kill -INT $program; wait $program; code=$?; cat "$errors" >&2; exit $code
                """
            let result = try await ChildProcess.run(
                "/bin/sh",
                ["-c", script, "sh", installation.folder + "/errors", program, "simulate", "--seed", "1"]
                    + ["--count", "100000", "--rate", "5", "--deliver", url] + keys)
            #expect(result.code == 0)
            let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n")
            #expect(lines.count == 2)
            #expect(lines.last?.contains(" of 100000 sent, ") == true)
            #expect(String(decoding: result.errors, as: UTF8.self).contains(" of 100000 answered\n"))
        }
    }
}
