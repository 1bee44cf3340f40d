import AdAttribution
import TestSupport
import Testing

extension ServerTests {
    @Suite("The fast verifier in the server", .installation)
    struct VerifierTests {
        @Test(
            "The fast verifier gives the same answers as libcrypto, with Apple's keys and ring keys",
            arguments: ["fixed-key", "openssl"])
        func answers(_ verifier: String) async throws {
            let installation = try Installation.current
            let (server, client) = try await installation.start(["VERIFIER": verifier])
            #expect(server.lines.contains { $0.contains("\"verifier\":\"\(verifier)\"") })
            #expect(!server.lines.contains { $0.contains("\"error\"") })
            #expect(try await client.post(TestKeys.apple()).outcome == "accepted")
            let forged = String(decoding: try TestKeys.apple(), as: UTF8.self).replacing(": 42", with: ": 43")
            #expect(try await client.post(Array(forged.utf8)).outcome == "invalid_signature")
            let keys = installation.keys
            for (version, key) in [("1.0", keys.postbackKey), ("4.0", keys.postbackKeyP256)] {
                let postback = TestPostback { $0.version = version }
                #expect(try await client.post(postback.body(key)).outcome == "accepted")
            }
            let kit = TestAdAttributionKitPostback()
            #expect(try await client.post(kit.body(keys.postbackKeyP256)).outcome == "accepted")
            #expect(try await client.post(kit.body(SigningKey.generate())).outcome == "invalid_signature")
        }

        @Test("A verifier of another name stops the start")
        func unknown() async throws {
            let installation = try Installation.current
            let server = try ServerProcess(environment: installation.environment(["VERIFIER": "fastest"]))
            #expect(try await server.exitCode() == 78)
            #expect(server.lines.joined().contains("VERIFIER: must be one of fixed-key, openssl"))
        }
    }
}
