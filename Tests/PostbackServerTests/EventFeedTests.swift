import AdAttribution
import Foundation
import NIOHTTP1
import PostbackSimulation
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("Events by HTTP")
    struct EventFeedTests {
        /// A server that has counted so many bodies of all kinds.
        private func counted(_ count: Int) async throws -> (Installation, PostbackClient, admin: PostbackClient) {
            let installation = try Installation.current
            let networks = ["example123.skadnetwork", "com.example"].compactMap(AdNetworkID.init)
            let bodies = try await installation.keys.simulator(
                .everything(seed: 15, count: count, adNetworkIDs: networks)
            ).bodiesConcurrently()
            let (server, client) = try await installation.start()
            for body in bodies { #expect(try await client.post(body).status == 200) }
            return (installation, client, try await client.admin(of: server))
        }

        private func get(
            _ admin: PostbackClient, _ query: String, _ method: HTTPMethod = .GET, path: String = "/v1/events"
        ) async throws -> PostbackClient.Answer {
            try await admin.request(method, path + query, headers: Installation.authorization)
        }

        private func object(_ answer: PostbackClient.Answer) throws -> NSDictionary {
            try TestDatabase.event(answer.text.utf8)
        }

        private func sorted(_ events: [NSDictionary]) -> [NSDictionary] {
            func key(_ event: NSDictionary) -> [Int64] {
                ["lane", "position", "ordinal"].map { (event[$0] as? NSNumber)?.int64Value ?? -1 }
            }
            return events.sorted { key($0).lexicographicallyPrecedes(key($1)) }
        }

        @Test(
            "Pages in both formats give every event once, and a page at the end is empty with the same cursor",
            .installation)
        func pages() async throws {
            let (installation, client, admin) = try await counted(300)
            let expected = try await installation.database.exportedEvents()
            var events: [NSDictionary] = []
            var after = ""
            while true {
                let answer = try await get(admin, "?limit=37" + after)
                #expect(answer.status == 200 && answer.headers["Content-Type"] == ["application/json"])
                let page = try object(answer)
                let part = try #require(page["events"] as? [NSDictionary])
                #expect(part.count <= 37)
                events += part
                let next = try #require(page["next"] as? String)
                after = "&after=\(next)"
                if page["has_more"] as? Bool == false { break }
            }
            #expect(sorted(events) == expected)
            let end = try object(try await get(admin, "?format=json" + after))
            #expect((end["events"] as? [NSDictionary])?.isEmpty == true)
            let same = try #require(end["next"] as? String)
            #expect(after.hasSuffix("=\(same)"))

            var lines: [NSDictionary] = []
            var cursor = "?from=2026-01-01&limit=10000"
            for _ in 0..<2 {
                let answer = try await get(admin, cursor + "&format=ndjson")
                #expect(answer.headers["Content-Type"] == ["application/x-ndjson"])
                #expect(answer.headers["Events-More"] == ["false"])
                lines += try answer.text.split(separator: "\n").map { try TestDatabase.event($0.utf8) }
                let next = try #require(answer.headers["Events-Next"].first)
                cursor = "?after=\(next)"
            }
            #expect(sorted(lines) == expected)
            // What comes later is behind the last cursor.
            #expect(try await client.post(TestPostback().body(installation.keys.postbackKey)).status == 200)
            let last = try object(try await get(admin, cursor))
            #expect((last["events"] as? [NSDictionary])?.count == 1)
        }

        @Test("A wrong parameter is answered 400, an expired cursor 410, and both say why", .installation)
        func refused() async throws {
            let (installation, _, admin) = try await counted(30)
            for (query, field) in [
                ("?after=AQ", "after"), ("?after=", "after"), ("?limit=0", "limit"), ("?limit=10001", "limit"),
                ("?limit=ten", "limit"), ("?format=csv", "format"), ("?from=today", "from"), ("?since=1", "since"),
            ] {
                let answer = try await get(admin, query)
                #expect(answer.status == 400, "\(query)")
                #expect(try object(answer)["field"] as? String == field)
            }
            let page = try object(try await get(admin, "?limit=5"))
            let next = try #require(page["next"] as? String)
            let both = try await get(admin, "?from=2026-01-01&after=\(next)")
            #expect(both.status == 400)
            try await installation.database.run(
                """
                INSERT INTO attribution.dropped_place (lane, position, ordinal)
                SELECT lane, max(position), 1 FROM attribution.postback_log GROUP BY lane
                """)
            let expired = try await get(admin, "?after=\(next)")
            #expect(expired.status == 410)
            #expect(try object(expired)["type"] as? String == "/errors/cursor_expired")
            try await installation.database.run(
                "DELETE FROM attribution.dropped_place; DELETE FROM attribution.postback_log")
            let unknown = try await get(admin, "?after=\(next)")
            #expect(unknown.status == 400 && unknown.text.contains("must be a cursor of this log"))
            let unauthorized = try await admin.request(.GET, "/v1/events")
            #expect(unauthorized.status == 401)
        }

        @Test("A reader is made, moves forward only, and is removed", .installation)
        func readers() async throws {
            let (installation, _, admin) = try await counted(30)
            let path = "/v1/readers/warehouse"
            #expect(try await get(admin, "", path: path).status == 404)
            let early = try object(try await get(admin, "?limit=5"))
            let first = try #require(early["next"] as? String)
            let late = try object(try await get(admin, "?limit=9&after=\(first)"))
            let second = try #require(late["next"] as? String)
            for cursor in [first, second, second] {
                let moved = try await get(admin, "?cursor=\(cursor)", .PUT, path: path)
                #expect(moved.status == 200, "\(moved.text)")
                let reader = try object(try await get(admin, "", path: path))
                #expect(reader["name"] as? String == "warehouse")
                #expect(reader["cursor"] as? String == cursor)
            }
            let back = try await get(admin, "?cursor=\(first)", .PUT, path: path)
            #expect(back.status == 409 && back.text.contains("can't move back"))
            #expect(try await get(admin, "?cursor=x", .PUT, path: path).status == 400)
            #expect(try await get(admin, "", .PUT, path: path).status == 400)
            #expect(try await get(admin, "?cursor=\(first)", .PUT, path: "/v1/readers/figures").status == 404)
            for (method, query) in [(HTTPMethod.PUT, "?cursor=\(first)"), (.DELETE, "")] {
                let refused = try await get(admin, query, method, path: "/v1/readers/forward.branch")
                #expect(refused.status == 400 && refused.text.contains("those of destinations"), "\(refused.text)")
            }
            #expect(
                try await installation.database.value(
                    "SELECT count(*) > 0 FROM attribution.log_reader WHERE reader = 'warehouse'") == "true")
            #expect(try await get(admin, "", .DELETE, path: path).status == 200)
            #expect(try await get(admin, "", .DELETE, path: path).status == 404)
        }
    }
}
