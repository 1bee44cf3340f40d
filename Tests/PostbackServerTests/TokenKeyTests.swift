import AdAttribution
import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerTests {
    @Suite("Keys in a token", .enabled(if: SoftToken.isInstalled, SoftToken.reason), .installation)
    struct TokenKeyTests {
        /// A token with the network's key, which is in no file any more.
        private func token(pin: String? = nil) async throws -> SoftToken {
            let installation = try Installation.current
            let token = try await SoftToken.create(in: installation.folder, with: installation.networkKey)
            try FileManager.default.removeItem(atPath: installation.folder + "/network.pem")
            if let pin { try installation.write(pin, to: "softhsm/pin.txt", mode: 0o600) }
            try installation.write(
                Installation.keyRing.replacing(
                    "\"private-key\": \"network.pem\"",
                    with: "\"private-key\": \"\(SoftToken.uri)\", \"passphrase-file\": \"\(token.pinFile)\""),
                to: "keyring.json")
            return token
        }

        private func sign(_ admin: PostbackClient, count: Int) async throws -> PostbackClient.Answer {
            let impressions = Array(repeating: Installation.impression, count: count)
            return try await admin.request(
                .POST, "/v1/impressions", headers: Installation.authorization,
                body: Array("[\(impressions.joined(separator: ","))]".utf8))
        }

        @Test(
            "Many clients have impressions signed over HTTP, each signature holds, and the key ring can be read again")
        func signing() async throws {
            let installation = try Installation.current
            let (server, client) = try await installation.start(try await token().environment)
            let admin = try await client.admin(of: server)
            let answers = try await withThrowingTaskGroup(of: [PostbackClient.Answer].self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        var answers: [PostbackClient.Answer] = []
                        for _ in 0..<5 { answers.append(try await sign(admin, count: 20)) }
                        return answers
                    }
                }
                for _ in 0..<5 {
                    let answer = try await admin.request(.POST, "/v1/reload", headers: Installation.authorization)
                    #expect(answer.status == 200, "\(answer.text)")
                }
                return try await group.reduce(into: [PostbackClient.Answer]()) { $0 += $1 }
            }
            #expect(answers.count == 80 && answers.allSatisfy { $0.status == 200 })
            for answer in answers {
                let objects = try #require(
                    try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [[String: Any]])
                #expect(objects.count == 20)
                for object in objects {
                    let text = try JSONSerialization.data(withJSONObject: object, options: .withoutEscapingSlashes)
                    let impression = try AnySignedImpression(parsing: Array(text))
                    #expect(impression.isValid(under: installation.networkKey.publicKey))
                }
            }
        }

        @Test("A PIN that is wrong stops the start with one line that says so, and shows no PIN")
        func wrongPIN() async throws {
            let installation = try Installation.current
            let token = try await token(pin: "wrong-98765")
            let server = try ServerProcess(environment: installation.environment(token.environment))
            #expect(try await server.exitCode() == 78)
            let line = try await eventually("it says why") { server.lines.last { $0.hasPrefix("PostbackServer: ") } }
            #expect(line.contains("private-key: the token can't be used: PIN incorrect"), "\(line)")
            #expect(!server.lines.contains { $0.contains("98765") })
        }

        @Test("A key that is not in the token leaves the old key ring in force")
        func missing() async throws {
            let installation = try Installation.current
            let (server, client) = try await installation.start(try await token().environment)
            let admin = try await client.admin(of: server)
            let json = try String(contentsOfFile: installation.folder + "/keyring.json", encoding: .utf8)
            try installation.write(json.replacing("object=example123", with: "object=other"), to: "keyring.json")
            let answer = try await admin.request(.POST, "/v1/reload", headers: Installation.authorization)
            #expect(answer.status == 422)
            #expect(answer.text.contains("private-key: the token can't be used: object not found"), "\(answer.text)")
            #expect(try await sign(admin, count: 1).status == 200)
        }
    }
}
