import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("Texts that PostgreSQL can't hold", .server)
    struct ZeroByteTests {
        @Test("A zero byte in a parameter or a path is a 400 that names it, and the database is not asked")
        func parameters() async throws {
            let (_, server, client) = try RunningServer.current
            let admin = try await client.admin(of: server)
            for (method, path, field) in [
                (.GET, "/v1/reports/campaign_daily?environment=%00", "environment"),
                (.GET, "/v1/reports/campaign_daily?campaign=a%00b", "campaign"),
                (.GET, "/v1/reports/campaign_daily?campaign.min=%00", "campaign.min"),
                (.GET, "/v1/reports/campaign_daily?a%00=1", "query"),
                (.GET, "/v1/reports/campaign_daily?page=%00", "page"),
                (.GET, "/v1/reports/campaign%00daily", "name"),
                (.GET, "/v1/reports/campaign_daily?environment=%FF", "environment"),
                (.GET, "/v1/events?after=%00", "after"), (.PUT, "/v1/readers/a?cursor=%00", "cursor"),
                (.GET, "/v1/readers/a%00", "name"), (.DELETE, "/v1/readers/%00", "name"),
                (.GET, "/errors/%00", "kind"), (.POST, "/v1/impressions?format=%00", "format"),
            ] as [(HTTPMethod, String, String)] {
                let answer = try await admin.request(method, path, headers: Installation.authorization)
                #expect(answer.status == 400, "\(path) \(answer.text)")
                #expect(answer.text.contains("\"field\":\"\(field)\""), "\(path) \(answer.text)")
            }
            try await PageClient.with(port: try await server.port(of: "admin")) { page in
                #expect(try await page.get("/sign-in?next=%00").status == 400)
                #expect(try await page.post("/sign-in", [("token", "a\0")]).status == 400)
                try await page.signIn()
                for name in ["network", "app", "campaign", "from", "environment", "currency", "csv", "sort", "x"] {
                    for screen in ["/", "/campaigns", "/values", "/windows", "/copies"] {
                        let answer = try await page.get("\(screen)?\(name)=%00")
                        #expect(answer.status == 400, "\(screen) \(name)")
                        #expect(answer.text.contains("\(name): must not have a zero byte"), "\(answer.text)")
                    }
                }
                for path in ["/refused?before=%00", "/live?a=%00", "/system?a=%00"] {
                    #expect(try await page.get(path).status == 400, "\(path)")
                }
                for path in ["/refused/%00", "/schemes/1/%00", "/schemes/%00/2026-01-01", "/live/%00"] {
                    #expect(try await page.get(path).status == 404, "\(path)")
                }
                let csrf = try PageClient.csrf(try await page.get("/mapping"))
                let wish = [
                    ("csrf", csrf), ("do", "allocate"), ("network", "example123.skadnetwork"), ("digits", "2"),
                    ("campaign-id", "1\u{0}01"),
                ]
                #expect(try await page.post("/mapping", wish).status == 400)
                let uploaded = try await page.upload("/mapping", wish, file: ("mapping", Array("a".utf8)))
                #expect(uploaded.status == 400 && uploaded.text.contains("campaign-id: must not have a zero byte"))
                // In a file the line is named.
                let table = Array(
                    "ad_network_id,campaign_type,identifier,campaign_id\ncom.example,campaign-id,1,a\u{0}b\n"
                        .utf8)
                let file = try await page.upload(
                    "/mapping", [("csrf", csrf), ("do", "load")], file: ("mapping", table))
                #expect(file.status == 400 && file.text.contains("line 2: campaign_id: "), "\(file.text)")
            }
            #expect(!server.lines.contains { $0.contains("22021") || $0.contains("22P05") }, "\(server.lines)")
        }

        @Test("An escaped zero byte in a body is refused with its field, and never fails the database")
        func bodies() async throws {
            let (_, server, client) = try RunningServer.current
            let admin = try await client.admin(of: server)
            let impression =
                #"{"version":"2.0","ad-network-id":"example123.skadnetwork\u0000","campaign-id":42,"itunes-item-id":525463029,"source-app-id":1234567891}"#
            let link =
                #"{"ad-network-id":"example123.skadnetwork","source-identifier":5239,"itunes-item-id":525463029,"attribution-destination":"https://example.com\u0000"}"#
            for (path, body) in [("/v1/impressions", impression), ("/v1/web-ads", link)] {
                let answer = try await admin.request(
                    .POST, path, headers: Installation.authorization, body: Array(body.utf8))
                #expect(answer.status == 400, "\(answer.text)")
            }
            // Each text of a genuine postback, and a member that nobody knows.
            let postback = String(decoding: try TestKeys.apple(), as: UTF8.self)
            let texts = postback.matches(of: /"([a-z-]+)"\s*:\s*"([^"]*)"/)
            #expect(texts.count >= 4)
            for text in texts {
                let body = postback.replacing(text.2, with: text.2 + #"\u0000"#)
                let answer = try await client.post(Array(body.utf8))
                // What no version knows is no part of the message; it is stored as it came.
                #expect(answer.status == (text.1 == "timestamp" ? 200 : 400), "\(text.1) \(answer.text)")
            }
            let more = postback.replacing(
                "{", with: #"{"a\u0000":"\u0000","country-code":"\u0000","#, maxReplacements: 1)
            #expect([200, 400].contains(try await client.post(Array(more.utf8)).status))
            let question = #"{"source_domain":"example.com\u0000","source_nonce":"\u0000"}"#
            let asked = try await client.request(
                .POST, "/.well-known/skadnetwork/get-signed-payload", body: Array(question.utf8))
            #expect((400..<500).contains(asked.status), "\(asked.text)")
            try await PageClient.with(port: admin.port) { page in
                try await page.signIn()
                #expect(try await page.get("/refused").status == 200)
            }
            #expect(!server.lines.contains { $0.contains("22021") || $0.contains("22P05") }, "\(server.lines)")
        }
    }
}
