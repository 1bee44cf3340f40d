import AdAttribution
import Foundation
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

extension ServerTests {
    @Suite("Reading keys, tokens and certificate again")
    struct ReloadTests {
        /// The key ring of the tests, with other keys of the network that signs.
        private static func keyRing(_ keys: String) -> String {
            Installation.keyRing.replacing("\"private-key\": \"network.pem\"", with: keys)
        }

        private func reload(_ admin: PostbackClient) async throws -> PostbackClient.Answer {
            try await admin.request(.POST, "/v1/reload", headers: Installation.authorization)
        }

        private func sign(_ admin: PostbackClient) async throws -> PostbackClient.Answer {
            try await admin.request(
                .POST, "/v1/impressions", headers: Installation.authorization, body: Array(Installation.impression.utf8)
            )
        }

        /// Which of these keys an answer was signed with; nil if it is none of them.
        private func signer(of answer: PostbackClient.Answer, among keys: [SigningKey]) throws -> Int? {
            let impression = try AnySignedImpression(parsing: Array(answer.text.utf8))
            return keys.firstIndex { impression.isValid(under: $0.publicKey) }
        }

        private func metric(_ name: String, _ admin: PostbackClient) async throws -> Int? {
            let text = try await admin.request(.GET, "/metrics").text
            let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
            return line.flatMap { Int($0.dropFirst(name.count + 1)) }
        }

        /// What was signed while the key changed.
        private final class Signed: Sendable {
            struct Answer: Sendable {
                /// Whether the new key was in force before the request was sent.
                let isLate: Bool
                let answer: PostbackClient.Answer
            }

            private struct State {
                var answers: [Answer] = []
                var isRotated = false
                var isOver = false
            }

            private let state = Mutex(State())

            var answers: [Answer] { state.withLock { $0.answers } }
            var isRotated: Bool { state.withLock { $0.isRotated } }
            var isOver: Bool { state.withLock { $0.isOver } }

            func add(_ answer: PostbackClient.Answer, isLate: Bool) {
                state.withLock { $0.answers.append(Answer(isLate: isLate, answer: answer)) }
            }

            func rotated() {
                state.withLock { $0.isRotated = true }
            }

            func end() {
                state.withLock { $0.isOver = true }
            }
        }

        @Test(
            "A key is rotated under load: no request fails, and each signature is the old key's before and the new one's after",
            .server)
        func rotation() async throws {
            let (installation, server, client) = try RunningServer.current
            let admin = try await client.admin(of: server)
            let keys = [installation.networkKey, try SigningKey.generate()]
            try installation.write(keys[1].pem, to: "new.pem", mode: 0o600)
            try installation.write(keys[0].publicKey.pem, to: "old.pub.pem")
            let bodies = try installation.keys.simulate(seed: 34, count: 2_000)
            let signed = Signed()
            async let delivered = client.stream(bodies, clients: 8)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        while !signed.isOver {
                            let isLate = signed.isRotated
                            signed.add(try await sign(admin), isLate: isLate)
                        }
                    }
                }
                group.addTask {
                    defer { signed.end() }
                    // The new key is there, and known to be good, before it signs.
                    for keyRing in [
                        Self.keyRing(#""private-key": "network.pem", "other-key": { "private-key": "new.pem" }"#),
                        Self.keyRing(#""private-key": "new.pem", "other-key": { "public-key": "old.pub.pem" }"#),
                    ] {
                        let before = signed.answers.count
                        try await eventually("more is signed") { signed.answers.count > before + 100 ? true : nil }
                        try installation.write(keyRing, to: "keyring.json")
                        let answer = try await reload(admin)
                        #expect(answer.status == 200, "\(answer.text)")
                        #expect(answer.text == "{\"reloaded\":[\"key_ring\",\"tokens\"]}\n")
                    }
                    signed.rotated()
                    let before = signed.answers.count
                    try await eventually("more is signed") { signed.answers.count > before + 100 ? true : nil }
                }
                try await group.waitForAll()
            }
            #expect(signed.answers.allSatisfy { $0.answer.status == 200 })
            let signers = try signed.answers.map { (isLate: $0.isLate, key: try signer(of: $0.answer, among: keys)) }
            #expect(signers.allSatisfy { $0.isLate ? $0.key == 1 : $0.key != nil })
            #expect(signers.count { $0.key == 0 } > 100)
            let answers = await delivered
            #expect(answers.count == bodies.count && answers.allSatisfy { $0?.status == 200 })
            // Impressions of both keys are counted.
            #expect(
                try await metric("adattribution_impressions_signed_total{version=\"2.0\"}", admin)
                    == signed.answers.count)
            #expect(try await installation.database.recounts() == [])
        }

        @Test("Postback keys and networks of a changed key ring count at once, on SIGHUP too", .server)
        func networks() async throws {
            let (installation, server, client) = try RunningServer.current
            let later = TestPostback { $0.adNetworkID = "later.skadnetwork" }
            let body = try later.body(installation.keys.postbackKey)
            #expect(try await client.post(body).outcome == "unknown_network")
            try installation.write(
                Installation.keyRing.replacing(
                    "\"networks\": [", with: "\"networks\": [ { \"ad-network-id\": \"later.skadnetwork\" },"),
                to: "keyring.json")
            server.hangUp()
            try await eventually("it is read") {
                server.lines.contains { $0.contains("\"key ring read again\"") } ? true : nil
            }
            #expect(try await client.post(body).outcome == "accepted")
        }

        @Test(
            "A key ring that can't be used leaves the old one in force, and log, answer, metric and /ready say why",
            .server)
        func brokenKeyRing() async throws {
            let (installation, server, client) = try RunningServer.current
            let admin = try await client.admin(of: server)
            let key = installation.networkKey
            let secret = try #require(key.pem.split(separator: "\n").dropFirst().first).prefix(20)
            let pem = key.pem.replacing("\n", with: "\\n")
            let metricName = "adattribution_files_refused{part=\"key_ring\"}"
            #expect(try await metric(metricName, admin) == 0)
            try installation.write(try SigningKey.generate(.p192).pem, to: "p192.pem", mode: 0o600)
            try installation.write(key.pem, to: "open.pem", mode: 0o644)
            try installation.write("open sesame", to: "pass.txt", mode: 0o600)
            for (json, rule) in [
                (String(Installation.keyRing.dropLast(2)), "keyring.json: line 12: "),
                (
                    Self.keyRing(#""private-key": "none.pem""#),
                    "private-key: the file that it names can't be read: No such file or directory"
                ),
                (
                    Self.keyRing(#""private-key": "\#(pem)""#),
                    "private-key: must be the name of a file, not the key or the secret itself"
                ),
                (
                    Self.keyRing(#""private-key": "network.pem", "passphrase-file": "open sesame""#),
                    "passphrase-file: the file that it names can't be read"
                ),
                (Self.keyRing(#""private-key": "open.pem""#), "open.pem must not be open to others"),
                (Self.keyRing(#""private-key": "p192.pem""#), "p192.pem: a key on another curve"),
                (
                    Self.keyRing(#""private-key": "network.pem", "passphrase-file": "pass.txt""#),
                    "network.pem: not encrypted, and a passphrase is given"
                ),
                (Self.keyRing(#""private-key": "pkcs11:object=a?pin-value=98765""#), "private-key: must be pkcs11:"),
            ] {
                try installation.write(json, to: "keyring.json")
                let answer = try await reload(admin)
                #expect(answer.status == 422)
                #expect(answer.headers.first(name: "Content-Type") == "application/problem+json")
                #expect(answer.text.contains("\"field\":\"key_ring\"") && answer.text.contains(rule), "\(answer.text)")
                try await eventually("it is logged") {
                    let line = server.lines.last { $0.contains("key ring not replaced: the old one stays") }
                    return line.map { $0.contains("\"error\"") && $0.contains(rule) } == true ? true : nil
                }
                let ready = try await admin.request(.GET, "/ready")
                #expect(ready.status == 200)
                #expect(
                    ready.text.hasPrefix(#"{"status":"degraded","refused":[{"part":"key_ring","reason":"key ring: "#)
                        && ready.text.contains(rule), "\(ready.text)")
                for text in [answer.text, ready.text] {
                    #expect(!text.contains("PRIVATE KEY") && !text.contains("sesame") && !text.contains(secret))
                }
                #expect(try await metric(metricName, admin) == 1)
                let signed = try await sign(admin)
                #expect(signed.status == 200)
                #expect(try signer(of: signed, among: [key]) == 0)
            }
            #expect(try await client.post(TestKeys.apple()).outcome == "accepted")
            #expect(
                !server.lines.contains { line in
                    ["sesame", "98765", "PRIVATE KEY", secret].contains { line.contains($0) }
                })
            try installation.write(Installation.keyRing, to: "keyring.json")
            #expect(try await reload(admin).status == 200)
            #expect(try await admin.request(.GET, "/ready").text == "{\"status\":\"ready\"}\n")
            #expect(try await metric(metricName, admin) == 0)
        }

        @Test(
            "A certificate that can't be used leaves the old one in force, while a good key ring beside it is taken",
            .installation)
        func brokenCertificate() async throws {
            let installation = try Installation.current
            let certificate = try await TestCertificate.create(in: installation.folder)
            let (server, client) = try await installation.start(certificate.settings)
            let admin = try await client.admin(of: server)
            #expect(try await reload(admin).text == "{\"reloaded\":[\"key_ring\",\"tokens\",\"certificate\"]}\n")
            let new = try SigningKey.generate()
            try installation.write(new.pem, to: "new.pem", mode: 0o600)
            try installation.write(Self.keyRing(#""private-key": "new.pem""#), to: "keyring.json")
            try installation.write("no certificate", to: "server.cert.pem")
            let answer = try await reload(admin)
            #expect(answer.status == 422)
            #expect(answer.text.contains("\"field\":\"certificate\""), "\(answer.text)")
            #expect(answer.text.contains("server.cert.pem: must have certificates"), "\(answer.text)")
            #expect(try signer(of: try await sign(admin), among: [new]) == 0)
            let ready = try await admin.request(.GET, "/ready")
            #expect(
                ready.text.contains("\"part\":\"certificate\"") && !ready.text.contains("key_ring"), "\(ready.text)")
        }

        @Test(
            "A token file that can't be used leaves the tokens before in force; the trail has who reloaded, and from where",
            .installation)
        func brokenTokens() async throws {
            let installation = try Installation.current
            let text = try await installation.succeed(["token", "add", "ann", "--scope", "operate"])
            let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
            let (server, client) = try await installation.start()
            let admin = try await client.admin(of: server)
            func reload() async throws -> PostbackClient.Answer {
                try await admin.request(.POST, "/v1/reload", headers: [("Authorization", "Bearer \(token)")])
            }
            #expect(try await reload().status == 200)
            try installation.write("{\"tokens\": [{}]}", to: "tokens.json")
            let answer = try await reload()
            #expect(answer.status == 422)
            #expect(answer.text.contains("\"field\":\"tokens\""), "\(answer.text)")
            #expect(answer.text.contains("name: is missing"), "\(answer.text)")
            let ready = try await admin.request(.GET, "/ready")
            #expect(
                ready.status == 200 && ready.text.contains("\"part\":\"tokens\"") && !ready.text.contains("key_ring"),
                "\(ready.text)")
            #expect(try await metric("adattribution_files_refused{part=\"tokens\"}", admin) == 1)
            server.hangUp()
            try await eventually("the signal is in the trail") {
                try await installation.database.value(
                    "SELECT count(*) FROM attribution.trail WHERE origin = 'SIGHUP'") == "1" ? true : nil
            }
            try await installation.database.expect(
                """
                SELECT person, origin, subject, counts::text
                  FROM attribution.trail
                 WHERE action = 'reload' AND origin <> 'changed files'
                 ORDER BY entry
                """,
                """
                person     origin     subject               counts
                token ann  127.0.0.1  key ring, token file  {"replaced":2,"refused":0}
                token ann  127.0.0.1  key ring, token file  {"replaced":1,"refused":1}
                -          SIGHUP     key ring, token file  {"replaced":1,"refused":1}
                """)
        }

        @Test("Who has no token can't make the server read its files", .server)
        func token() async throws {
            let (installation, server, client) = try RunningServer.current
            let admin = try await client.admin(of: server)
            try installation.write("no key ring", to: "keyring.json")
            #expect(try await admin.request(.POST, "/v1/reload").status == 401)
            #expect(try await admin.request(.GET, "/ready").text == "{\"status\":\"ready\"}\n")
            #expect(try await admin.request(.GET, "/v1/reload", headers: Installation.authorization).status == 405)
        }
    }
}
