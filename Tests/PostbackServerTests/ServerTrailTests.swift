import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("The trail of a server")
    struct ServerTrailTests {
        private func trail(_ admin: PostbackClient, _ query: String = "") async throws -> [[String: Any]] {
            let answer = try await admin.request(.GET, "/v1/trail" + query, headers: Installation.authorization)
            #expect(answer.status == 200, "\(answer.text)")
            let document = try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [String: Any]
            return try #require(document?["entries"] as? [[String: Any]])
        }

        @Test(
            "Signing in and out, loads, readers and reprocessing are in it, with who and from where; on the page and in the log",
            .installation)
        func things() async throws {
            let installation = try Installation.current
            let (server, client) = try await installation.start()
            let admin = try await client.admin(of: server)
            let page = try PageClient.start(port: admin.port)
            try await page.signIn()
            let csrf = try PageClient.csrf(try await page.get("/mapping"))
            let loaded = try await page.upload(
                "/mapping", [("csrf", csrf), ("do", "load-names")],
                file: ("app-names", Array("app_id,app_name\n525463029,An app\n".utf8)))
            #expect(loaded.status == 200 && loaded.text.contains("Loaded: 1 added"), "\(loaded.text)")
            let screen = try await page.get("/mapping")
            let back = try await page.post("/mapping", screen.pressed("take-back-app-names"))
            #expect(back.status == 200, "\(back.text)")
            // A check is rolled back, and is in no trail.
            _ = try await page.upload(
                "/mapping", [("csrf", csrf), ("do", "check-names")],
                file: ("app-names", Array("app_id,app_name\n525463029,An app\n".utf8)))
            let cursor = try await admin.request(.GET, "/v1/events?limit=1", headers: Installation.authorization)
            let next = try #require(cursor.text.firstMatch(of: /"next":"([^"]*)"/)).1
            for (method, path) in [
                (HTTPMethod.PUT, "/v1/readers/warehouse?cursor=\(next)"), (.DELETE, "/v1/readers/warehouse"),
            ] {
                #expect(try await admin.request(method, path, headers: Installation.authorization).status == 200)
            }
            try await installation.succeed(["reprocess"])
            try await installation.succeed(["forget", "203.0.113.7"])
            #expect(try await page.post("/sign-out", [("csrf", csrf)]).status == 303)
            let entries = try await trail(admin)
            #expect(
                entries.map { $0["action"] as? String } == [
                    "sign-out", "forgetting", "reprocessing", "reader-removal", "reader-move", "take-back", "load",
                    "sign-in",
                ], "\(entries)")
            for entry in entries where entry["from"] as? String == "127.0.0.1" {
                #expect(entry["person"] as? String == "ADMIN_TOKEN")
            }
            #expect(entries.map { $0["from"] as? String }.filter { $0 == "command line" }.count == 2)
            #expect((entries[6]["counts"] as? [String: Int])?["added"] == 1)
            #expect((entries[6]["subject"] as? String)?.hasSuffix(" of app-names") == true)
            let sessions = [0, 5, 6, 7].map { entries[$0]["session"] as? String }
            #expect(Set(sessions).count == 1 && sessions[0] != nil)
            #expect(!"\(entries)".contains("203.0.113.7"))
            // By pages and filters.
            let number = try #require(entries[5]["entry"] as? Int)
            #expect(try await trail(admin, "?before=\(number)&limit=1").map { $0["action"] as? String } == ["load"])
            #expect(try await trail(admin, "?action=reader-move").count == 1)
            #expect(try await trail(admin, "?person=ADMIN_TOKEN").count == 6)
            for query in ["?before=x", "?limit=0", "?limit=1001", "?action=other", "?from=x"] {
                let answer = try await admin.request(.GET, "/v1/trail" + query, headers: Installation.authorization)
                #expect(answer.status == 400, "\(query)")
            }
            // On the page, and as log lines.
            try await page.signIn()
            let cells = try await page.get("/trail").cells("trail")
            #expect(cells.count == 9 && cells[1][3] == "sign-out" && cells[7][8].contains("1 added"), "\(cells)")
            for message in ["a file was loaded", "a load was taken back", "signed out of the page"] {
                #expect(
                    server.lines.contains { $0.contains(message) && $0.contains("\"person\":\"ADMIN_TOKEN\"") },
                    "\(message)")
            }
        }

        @Test(
            "Wrong tokens, missing scopes and signing are sums by address and person, also when the server stops",
            .installation)
        func sums() async throws {
            let installation = try Installation.current
            let text = try await installation.succeed(["token", "add", "bidder", "--scope", "sign"])
            let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
            let (server, client) = try await installation.start()
            let admin = try await client.admin(of: server)
            let authorization = [("Authorization", "Bearer \(token)")]
            for _ in 0..<3 {
                let answer = try await admin.request(
                    .POST, "/v1/impressions", headers: authorization,
                    body: Array("[\(Installation.impression),\(Installation.impression),{}]".utf8))
                #expect(answer.status == 200)
            }
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await admin.request(
                            .GET, "/v1/reports", headers: [("Authorization", "Bearer not-the-token-4711")]
                        ).status
                    }
                }
                for try await status in group { #expect(status == 401) }
            }
            for _ in 0..<4 {
                #expect(try await admin.request(.GET, "/v1/reports", headers: authorization).status == 403)
            }
            server.terminate()
            #expect(try await server.exitCode() == 0)
            try await installation.database.expect(
                """
                SELECT action, person, origin, since <= happened_at AS is_sum, counts::text
                  FROM attribution.trail
                 WHERE action IN ('refusal', 'denial', 'signing')
                 ORDER BY action
                """,
                """
                action   person        origin     is_sum  counts
                denial   token bidder  127.0.0.1  true    {"read":4}
                refusal  -             127.0.0.1  true    {"bearer":20}
                signing  token bidder  127.0.0.1  true    {"impressions":6}
                """)
        }
    }
}
