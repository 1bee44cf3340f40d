import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("Errors of the admin listener")
    struct AdminErrorTests {
        /// The members of an error, whose kind and form are checked.
        private func problem(_ answer: PostbackClient.Answer, _ status: Int) throws -> [String: Any] {
            #expect(answer.status == status, "\(answer.text)")
            #expect(answer.headers["content-type"] == ["application/problem+json"])
            let members = try #require(try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [String: Any])
            #expect(Set(members.keys) == ["type", "title", "status", "detail", "field", "rule"])
            #expect(members["status"] as? Int == status)
            let (field, rule) = (members["field"] as? String ?? "", members["rule"] as? String ?? "")
            #expect(members["detail"] as? String == "\(field): \(rule)")
            return members
        }

        private func admin() async throws -> (Installation, PostbackClient) {
            let installation = try Installation.current
            let (server, client) = try await installation.start()
            return (installation, try await client.admin(of: server))
        }

        @Test(
            "Each error names its kind, field and rule as RFC 9457 says, and its link leads to an explanation",
            .installation)
        func kinds() async throws {
            let (_, admin) = try await admin()
            let token = Installation.authorization
            let large = [UInt8](repeating: 0x20, count: (1 << 20) + 1)
            let link = Array(
                """
                {"ad-network-id":"example123.skadnetwork","source-identifier":5239,"itunes-item-id":525463029,
                 "attribution-destination":"https://example.com","nonce":"b7c9da2b-15c7-4f3b-9326-135f9630033d"}
                """.utf8)
            #expect(try await admin.request(.POST, "/v1/web-ads", headers: token, body: link).status == 201)
            let noApp = Array(#"{"ad-network-id":"example123.skadnetwork","itunes-item-id":0}"#.utf8)
            for (method, path, headers, body, status, kind, field) in [
                (.POST, "/v1/impressions", [], nil, 401, "unauthorized", "authorization"),
                (.GET, "/v1/nothing", token, nil, 404, "not_found", "path"),
                (.GET, "/errors/nothing", [], nil, 404, "not_found", "path"),
                (.DELETE, "/health", [], nil, 405, "method_not_allowed", "method"),
                (.POST, "/v1/impressions?form=jws", token, [], 400, "invalid_parameter", "form"),
                (.POST, "/v1/impressions?format=xml", token, [], 400, "invalid_parameter", "format"),
                (.POST, "/v1/impressions?format=%FF", token, [], 400, "invalid_parameter", "format"),
                (.POST, "/v1/impressions", token, Array("{}".utf8), 400, "invalid_body", "ad-network-id"),
                (.POST, "/v1/impressions", token, noApp, 400, "invalid_body", "itunes-item-id"),
                (.POST, "/v1/impressions", token, large, 413, "body_too_large", "body"),
                (.POST, "/v1/web-ads", token, Array(large.prefix(20_000)), 413, "body_too_large", "body"),
                (.POST, "/v1/web-ads", token, link, 409, "conflict", "nonce"),
                (
                    .GET, "/health", [("X-Long", String(repeating: "x", count: 20_000))], nil, 431,
                    "head_too_large",
                    "head"
                ),
            ] as [(HTTPMethod, String, [(String, String)], [UInt8]?, Int, String, String)] {
                let answer = try await admin.request(method, path, headers: headers, body: body)
                let members = try problem(answer, status)
                #expect(members["type"] as? String == "/errors/\(kind)")
                #expect(members["field"] as? String == field, "\(members)")
                let explanation = try await admin.request(.GET, try #require(members["type"] as? String))
                #expect(explanation.status == 200)
                #expect(explanation.text.hasPrefix("\(status) \(members["title"] as? String ?? "")\n"))
                #expect(answer.headers["allow"] == (status == 405 ? ["GET"] : []))
                #expect(answer.headers["www-authenticate"] == (status == 401 ? ["Bearer"] : []))
            }
        }

        @Test(
            "An address at which nothing is is a page for a browser, and an error for programs and in the API",
            .installation)
        func unknownAddresses() async throws {
            let (_, admin) = try await admin()
            let page = try PageClient.start(port: admin.port)
            try await page.signIn()
            let browser = ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
            let cookie = ("Cookie", try #require(page.cookie))
            for path in ["/nothing", "/a/b?c=d", "//", "/errors/nothing", "/v1"] {
                for headers in [[browser], [browser, cookie]] {
                    let answer = try await admin.request(.GET, path, headers: headers)
                    if path == "/v1" {
                        _ = try problem(answer, 404)
                        continue
                    }
                    #expect(answer.status == 404, "\(path)")
                    #expect(answer.headers["content-type"] == ["text/html; charset=utf-8"], "\(path)")
                    #expect(answer.text.contains("<h1>Nothing is here</h1>"), "\(answer.text)")
                    #expect(answer.text.contains("<nav aria-label=\"Screens\">") == (headers.count == 2))
                }
                for accept in ["*/*", "application/json", "text/*"] {
                    _ = try problem(try await admin.request(.GET, path, headers: [("Accept", accept), cookie]), 404)
                }
            }
            _ = try problem(try await admin.request(.GET, "/v1/nothing", headers: [browser, cookie]), 404)
            _ = try problem(try await admin.request(.POST, "/nothing", headers: [browser, cookie]), 404)
            // Addresses of the page are pages for everybody.
            let item = try await admin.request(.GET, "/campaigns/more", headers: [cookie])
            #expect(item.status == 404 && item.text.contains("There is no page at this address."), "\(item.text)")
        }

        @Test("Bytes that are not HTTP, and a server that stops, are answered in the same form", .server)
        func otherAnswers() async throws {
            let (installation, server, client) = try RunningServer.current
            let port = try await server.port(of: "admin")
            let text = try await SocketClient.with(port: port) { socket in
                try await socket.exchange(Array("GET /health HTTP/1.1\r\n\r\n".utf8))
            }
            #expect(text.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
            #expect(text.contains("Content-Type: application/problem+json\r\n"))
            #expect(text.contains("\"type\":\"/errors/malformed_request\""))
            #expect(text.contains("\"field\":\"Host\",\"rule\":\"must be there exactly once\""))
            try await installation.database.run("ALTER TABLE attribution.schema_migration RENAME TO away")
            let admin = PostbackClient(http: client.http, port: port)
            let members = try problem(try await admin.request(.GET, "/ready"), 503)
            #expect(members["type"] as? String == "/errors/unavailable")
            #expect(members["field"] as? String == "schema")
            // The public listener keeps its short form.
            let postback = try await client.post(Array("{}".utf8))
            #expect(postback.headers["content-type"] == ["application/json"])
            #expect(postback.outcome == "malformed")
        }
    }
}
