import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("Notifications of the App Store by cursor", .installation)
    struct NotificationFeedTests {
        private static let path = "/v1/app-store/events"
        private static let intake = "/v1/app-store/notifications"

        private func get(
            _ admin: PostbackClient, _ query: String = "", path: String = Self.path, token: String? = nil
        ) async throws -> PostbackClient.Answer {
            try await admin.request(
                .GET, path + query,
                headers: token.map { [("Authorization", "Bearer \($0)")] } ?? Installation.authorization)
        }

        private func events(_ answer: PostbackClient.Answer) throws -> [NSDictionary] {
            #expect(answer.status == 200, "\(answer.text)")
            return try #require(try TestDatabase.event(answer.text.utf8)["events"] as? [NSDictionary])
        }

        private func token(_ scopes: [String], _ installation: Installation) async throws -> String {
            let text = try await installation.succeed(
                ["token", "add", scopes.joined(separator: "-")] + scopes.flatMap { ["--scope", $0] })
            return text.trimmingCharacters(in: .whitespacesAndNewlines)
        }

        @Test("While two servers write all lanes, pages give each notification once, in the order of its lane")
        func pages() async throws {
            let installation = try Installation.current
            let store = try TestAppStore()
            try installation.take(store)
            let (_, first) = try await installation.start()
            let (server, second) = try await installation.start()
            let admin = try await second.admin(of: server)
            let bodies = try (0..<160).map { _ in try store.v2() }
            async let written = withTaskGroup(of: [Int].self) { group in
                for (turn, client) in [first, second].enumerated() {
                    let share = bodies.indices.filter { $0 % 2 == turn }.map { bodies[$0] }
                    group.addTask {
                        await client.stream(share, clients: 8, to: Self.intake).map { $0?.status ?? 0 }
                    }
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
            var seen: [NSDictionary] = []
            var after = ""
            try await eventually("all are read") { () -> Bool? in
                let answer = try await get(admin, "?limit=7" + after)
                let part = try events(answer)
                #expect(part.count <= 7)
                seen += part
                let next = try #require(try TestDatabase.event(answer.text.utf8)["next"] as? String)
                after = "&after=\(next)"
                return seen.count >= bodies.count ? true : nil
            }
            let statuses = await written
            #expect(statuses.allSatisfy { $0 == 200 })
            let ids = seen.compactMap { $0["id"] as? String }
            let stored = try await installation.database.column(
                "SELECT lane || '-' || position FROM attribution.store_notification")
            #expect(ids.count == bodies.count && Set(ids) == Set(stored.compactMap { $0 }))
            let lanes = Dictionary(grouping: seen) { $0["lane"] as? Int ?? -1 }
            #expect(Set(lanes.keys) == [0, 1, 2, 3])
            for events in lanes.values {
                let positions = events.compactMap { $0["position"] as? Int }
                #expect(positions == positions.sorted())
            }
            let end = try await get(admin, "?limit=7" + after)
            #expect(try events(end).isEmpty && end.text.contains("\"has_more\":false"))
            // Readers of postbacks get none of these.
            #expect(try events(try await get(admin, path: "/v1/events")).isEmpty)
        }

        @Test("Bodies come if they are asked for, with the scope operate alone; a cursor of postbacks is refused")
        func bodies() async throws {
            let installation = try Installation.current
            let store = try TestAppStore()
            try installation.take(store)
            let reader = try await token(["read"], installation)
            let operating = try await token(["read", "operate"], installation)
            let (server, client) = try await installation.start()
            let admin = try await client.admin(of: server)
            let test = try store.v2(type: "TEST")
            for body in [test, TestAppStore.v1()] {
                #expect(try await client.post(body, to: Self.intake).outcome == "accepted")
            }
            let plain = try await get(admin, token: reader)
            #expect(try events(plain).count == 2 && !plain.text.contains("\"body\":"))
            #expect(try Set(events(plain).compactMap { $0["type"] as? String }) == ["TEST", "DID_RENEW"])
            let refused = try await get(admin, "?bodies=true", token: reader)
            #expect(refused.status == 403 && refused.text.contains("takes the scope operate too"), "\(refused.text)")
            let whole = try await get(admin, "?bodies=true&format=ndjson", token: operating)
            #expect(whole.headers["Events-More"] == ["false"])
            let lines = try whole.text.split(separator: "\n").map { try TestDatabase.event($0.utf8) }
            func body(_ version: Int) throws -> String {
                try #require(lines.first { $0["version"] as? Int == version }?["body"] as? String)
            }
            #expect(try body(2) == String(decoding: test, as: UTF8.self))
            let kept = try body(1)
            #expect(kept.contains("\"removed\"") && !whole.text.contains(TestAppStore.secret))

            try await installation.database.run("DELETE FROM attribution.store_body")
            let removed = try await events(get(admin, "?bodies=true"))
            #expect(removed.count == 2 && removed.allSatisfy { $0["body"] is NSNull })

            for (query, field) in [
                ("?after=AQ", "after"), ("?limit=0", "limit"), ("?bodies=yes", "bodies"), ("?from=2026-01-01", "from"),
            ] {
                let answer = try await get(admin, query)
                #expect(answer.status == 400, "\(query)")
                #expect(try TestDatabase.event(answer.text.utf8)["field"] as? String == field)
            }
            #expect(try await client.post(TestPostback().body(installation.keys.postbackKey)).status == 200)
            let postbacks = try TestDatabase.event(try await get(admin, path: "/v1/events").text.utf8)
            let next = try #require(postbacks["next"] as? String)
            let other = try await get(admin, "?after=\(next)")
            #expect(other.status == 400 && other.text.contains("must be a cursor of this log"), "\(other.text)")
        }

        @Test("An export has each notification once, and bodies with --bodies alone")
        func exported() async throws {
            let installation = try Installation.current
            let store = try TestAppStore()
            try installation.take(store)
            let folder = installation.folder + "/notifications"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let bodies = try (0..<9).map { _ in try store.v2() } + [TestAppStore.v1()]
            for part in [bodies.prefix(6), bodies.suffix(4)] {
                try await installation.withServer { _, client in
                    for body in part {
                        let answer = try await client.post(body, to: Self.intake)
                        #expect(answer.status == 200)
                    }
                }
                let export = try await installation.run(["export", "--kind", "app-store", folder])
                #expect(export.code == 0 && export.errors.hasPrefix("export: \(part.count) events"), "\(export.errors)")
            }
            let files = try EventFiles.events(in: folder)
            #expect(files.count == 10 && Set(files.compactMap { $0["id"] as? String }).count == 10)
            #expect(files.allSatisfy { $0["body"] == nil })
            let stream = try await installation.succeed(["export", "--kind", "app-store", "--bodies", "-"])
            let texts = try EventFiles.events(stream.utf8).compactMap { $0["body"] as? String }
            #expect(Set(texts).isSuperset(of: bodies.prefix(9).map { String(decoding: $0, as: UTF8.self) }))
            #expect(texts.count == 10 && !stream.contains(TestAppStore.secret))
            // A folder, and a file for the cursor, stay with what they are of.
            let cursor = folder + "/cursor.json"
            let before = try Data(contentsOf: URL(filePath: cursor))
            for place in [[folder], ["--cursor", cursor, "-"]] {
                let other = try await installation.run(["export"] + place)
                #expect(other.code == 66 && other.output.isEmpty, "\(other.errors)")
                let rule = "of an export of the kind app-store, and this one is of the kind postbacks"
                #expect(other.errors.contains(rule))
                let after = try Data(contentsOf: URL(filePath: cursor))
                let left = try EventFiles.events(in: folder)
                #expect(after == before && left.count == 10)
            }
            let postbacks = installation.folder + "/postbacks"
            try FileManager.default.createDirectory(atPath: postbacks, withIntermediateDirectories: true)
            try await installation.succeed(["export", postbacks])
            let other = try await installation.run(["export", "--kind", "app-store", postbacks])
            #expect(other.code == 66, "\(other.errors)")
            #expect(other.errors.contains("of an export of the kind postbacks, and this one is of the kind app-store"))
            let ofStore = ["--kind", "app-store"]
            for wrong in [["--bodies"], ofStore + ["--reader", "a"], ofStore + ["--from", "2026-01-01"]] {
                #expect(try await installation.run(["export"] + wrong + [folder]).code == 64, "\(wrong)")
            }
        }
    }
}
