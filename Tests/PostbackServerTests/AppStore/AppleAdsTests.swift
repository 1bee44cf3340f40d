import Foundation
import NIOHTTP1
import ReceiverSupport
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("Tokens of Apple Ads over HTTP", .installation)
    struct AppleAdsTests {
        private static let path = "/v1/apple-ads/tokens"
        private static let secret = "secret+token/of/a/device="
        private static let payload = """
            {"attribution":true,"orgId":40669820,"campaignId":542370539,"conversionType":"Download",
             "claimType":"Click","adGroupId":542317095,"countryOrRegion":"US","keywordId":null}
            """

        private static func item(_ token: String = secret, app: String = "525463029") -> String {
            "{\"app-id\":\(app),\"token\":\"\(token)\"}"
        }

        private func post(
            _ admin: PostbackClient, _ body: String, _ token: String? = Installation.token
        ) async throws -> PostbackClient.Answer {
            try await admin.request(
                .POST, Self.path, headers: token.map { [("Authorization", "Bearer \($0)")] } ?? [],
                body: Array(body.utf8))
        }

        /// What has the token's text: each table, and the lines of the server.
        private func expectNoSecret(_ installation: Installation, _ server: ServerProcess) async throws {
            let rows = try await installation.database.column(
                """
                SELECT r::text FROM attribution.apple_ads_token AS r
                UNION ALL SELECT r::text FROM attribution.apple_ads_attribution AS r
                UNION ALL SELECT r::text FROM attribution.trail AS r
                """
            ).compactMap(\.self)
            #expect(!rows.contains { $0.contains(Self.secret) })
            #expect(!server.lines.contains { $0.contains(Self.secret) })
        }

        @Test("A token with the scope load hands one in, Apple is asked once, and the report shows the campaign")
        func exchanged() async throws {
            let installation = try Installation.current
            var tokens: [String: String] = [:]
            for scope in ["load", "read"] {
                tokens[scope] = try await installation.succeed(["token", "add", scope, "--scope", scope])
                    .trimmingCharacters(in: .whitespacesAndNewlines)
            }
            let react: @Sendable (TestReceiver.Request, Int) -> TestReceiver.Reaction = { _, number in
                .status(number == 1 ? 503 : 200, headers: ["Content-Type: application/json"], body: Self.payload)
            }
            try await TestReceiver.with(react: react) { apple in
                let (server, client) = try await installation.start([
                    "APPLE_ADS": "on", "APPLE_ADS_URL": "http://127.0.0.1:\(apple.port)", "LOG_LEVEL": "trace",
                ])
                let admin = try await client.admin(of: server)
                for (scope, status) in [(nil, 401), ("read", 403)] {
                    #expect(try await post(admin, Self.item(), scope.flatMap { tokens[$0] }).status == status)
                }
                let first = try await post(admin, Self.item(), tokens["load"])
                #expect(first.status == 202 && first.text == "{\"accepted\":1,\"duplicate\":0,\"refused\":[]}\n")
                let again = try await post(admin, "[\(Self.item()),\(Self.item())]", tokens["load"])
                #expect(again.status == 202 && again.text == "{\"accepted\":0,\"duplicate\":2,\"refused\":[]}\n")
                let database = installation.database
                try await eventually("Apple was asked, and failed") {
                    try await database.value("SELECT reason FROM attribution.apple_ads_token") == "the answer is 503"
                        ? true : nil
                }
                try await database.run("UPDATE attribution.apple_ads_token SET next_at = now()")
                let text = try await eventually("the report shows it") {
                    let answer = try await admin.request(
                        .GET, "/v1/reports/apple_ads?format=csv&environment=test", headers: Installation.authorization)
                    return answer.text.contains("542370539") ? answer.text : nil
                }
                #expect(text.contains(",525463029,542370539,542317095,US,Click,Download,1,0,0,0"), "\(text)")
                // It was not Apple that said so.
                let real = try await admin.request(
                    .GET, "/v1/reports/apple_ads?format=csv", headers: Installation.authorization)
                #expect(real.status == 200 && !real.text.contains("542370539"), "\(real.text)")
                #expect(apple.requests.map(\.text) == [Self.secret, Self.secret])
                let metrics = try await eventually("the tokens are counted") {
                    let text = try await admin.request(.GET, "/metrics").text
                    let series = "adattribution_apple_ads_tokens_total{outcome=\"attributed\"} 1\n"
                    return text.contains(series) ? text : nil
                }
                #expect(metrics.contains("adattribution_apple_ads_tokens_total{outcome=\"later\"} 1\n"))
                try await expectNoSecret(installation, server)
            }
        }

        @Test("Servers that exchange no tokens give one up after 24 hours, remove its text, and count it")
        func expired() async throws {
            let installation = try Installation.current
            let database = installation.database
            try await database.run(
                """
                INSERT INTO attribution.apple_ads_token (
                    digest, token, advertised_app_id, state, received_at, next_at)
                SELECT sha256(convert_to(token, 'UTF8')), token, 525463029, 'waiting', now() - age, now()
                  FROM (VALUES ('\(Self.secret)', interval '24 hours 1 second'),
                               ('young+token/of/a/device=', interval '23 hours')) AS handed_in (token, age)
                """)
            let (server, client) = try await installation.start(["APPLE_ADS": "off", "LOG_LEVEL": "trace"])
            let admin = try await client.admin(of: server)
            try await eventually("the old one is counted") {
                let series = "adattribution_apple_ads_tokens_total{outcome=\"dead\"} 1\n"
                return try await admin.request(.GET, "/metrics").text.contains(series) ? true : nil
            }
            try await database.expect(
                "SELECT state, reason, token, attempts FROM attribution.apple_ads_token",
                """
                state    reason   token                     attempts
                dead     expired  -                         0
                waiting  -        young+token/of/a/device=  0
                """)
            try await expectNoSecret(installation, server)
        }

        @Test("Each refusal names field and rule and repeats nothing, and one of a list does not stop the others")
        func refused() async throws {
            let installation = try Installation.current
            let (server, client) = try await installation.start(["LOG_LEVEL": "trace"])
            let admin = try await client.admin(of: server)
            for (body, field) in [
                ("", "body"), ("{", "body"), ("7", "body"), ("[]", "body"), ("{}", "app-id"),
                (Self.item(app: "-1"), "app-id"), (Self.item(app: "\"1\""), "app-id"),
                (Self.item(app: "1.5"), "app-id"),
                ("{\"app-id\":1}", "token"), ("{\"app-id\":1,\"token\":7}", "token"), (Self.item("short"), "token"),
                (Self.item(Self.secret + " "), "token"), (Self.item(Self.secret + "\\u0000"), "token"),
                (Self.item(String(repeating: "a", count: 2_049)), "token"),
                ("{\"app-id\":1,\"token\":\"\(Self.secret)\",\"user\":\"7\"}", "user"),
                ("{\"app-id\":1,\"app-id\":1}", "app-id"),
                ("[\(Array(repeating: "{}", count: 1_001).joined(separator: ","))]", "body"),
            ] {
                let answer = try await post(admin, body)
                #expect(answer.status == 400, "\(body.prefix(80))")
                let named = "\"field\":\"\(field)\",\"rule\":\""
                #expect(answer.text.contains(named), "\(body.prefix(80)): \(answer.text)")
                #expect(!answer.text.contains(Self.secret))
            }
            let large = try await post(admin, "[\"\(String(repeating: "a", count: 1 << 20))\"]")
            #expect(large.status == 413)
            let list = try await post(admin, "[\(Self.item("short")),\(Self.item()),[],\(Self.item())]")
            #expect(list.status == 202)
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(list.text.utf8)) as? [String: Any])
            #expect(object["accepted"] as? Int == 1 && object["duplicate"] as? Int == 1)
            let refused = try #require(object["refused"] as? [[String: Any]])
            #expect(refused.map { $0["index"] as? Int } == [0, 2])
            #expect(refused.map { $0["field"] as? String } == ["token", "body"])
            // With APPLE_ADS=off it waits, for another server.
            try await installation.database.expect(
                "SELECT state, attempts FROM attribution.apple_ads_token",
                """
                state    attempts
                waiting  0
                """)
            #expect(!server.lines.contains { $0.contains(Self.secret) })
        }
    }
}
