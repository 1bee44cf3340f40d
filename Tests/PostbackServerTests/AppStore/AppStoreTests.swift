import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerTests {
    @Suite("Notifications of the App Store")
    struct AppStoreTests {
        private static let path = "/v1/app-store/notifications"
        /// Everything is logged, so that a secret in a line would be seen.
        private static let settings = ["LOG_LEVEL": "trace"]

        /// The key ring of the tests, with these apps of the App Store.
        private func write(
            _ store: TestAppStore, apps: [String] = [TestAppStore.bundleID], to installation: Installation
        ) throws {
            try installation.write(store.rootPEM, to: "root.pem")
            try installation.write(TestAppStore.secret, to: "app.secret", mode: 0o600)
            let list = apps.map { "{\"bundle-id\": \"\($0)\", \"shared-secret-file\": \"app.secret\"}" }
            let member =
                "\"app-store\": {\"apps\": [\(list.joined(separator: ", "))], \"test-roots\": [\"root.pem\"]}, "
            try installation.write(
                Installation.keyRing.replacing("\"networks\": [", with: member + "\"networks\": ["), to: "keyring.json")
        }

        private func post(_ client: PostbackClient, _ body: [UInt8]) async throws -> PostbackClient.Answer {
            try await client.post(body, to: Self.path)
        }

        @Test(
            "Both versions are stored before they are answered, and counted once; no secret is kept or logged",
            .installation)
        func stored() async throws {
            let installation = try Installation.current
            let store = try TestAppStore()
            try write(store, to: installation)
            let (server, client) = try await installation.start(Self.settings)
            let v2 = try store.v2(price: 9_990)
            let v1 = TestAppStore.v1()
            for (body, outcome) in [(v2, "accepted"), (v1, "accepted"), (v2, "duplicate"), (v1, "duplicate")] {
                let answer = try await post(client, body)
                #expect(answer.status == 200 && answer.outcome == outcome, "\(answer.text)")
            }
            let database = installation.database
            try await database.expect(
                "SELECT environment, version, type FROM attribution.store_notification ORDER BY version",
                """
                environment  version  type
                development  1        DID_RENEW
                test         2        SUBSCRIBED
                """)
            #expect(try await database.value("SELECT sum(price) FROM attribution.store_transaction") == "9990")
            let metrics = try await client.admin(of: server).request(.GET, "/metrics").text
            #expect(
                metrics.contains(
                    "adattribution_app_store_notifications_total{outcome=\"duplicate\",version=\"2\"} 1\n"))
            #expect(metrics.contains("\nadattribution_app_store_body_bytes 0\n"))
            try await expectNoSecret(in: installation, server)
        }

        @Test("Whatever is refused has its status, is kept without its secret, and counts nothing", .installation)
        func refused() async throws {
            let installation = try Installation.current
            let store = try TestAppStore()
            try write(store, to: installation)
            let (server, client) = try await installation.start(Self.settings)
            let good = String(decoding: try store.v2(), as: UTF8.self)
            // The first character of the signature becomes another one.
            let place = good.index(after: try #require(good.lastIndex(of: ".")))
            let forged = good.replacingCharacters(in: place...place, with: good[place] == "A" ? "B" : "A")
            let cases: [([UInt8], Int, String)] = [
                (Array("{\"password\":\"\(TestAppStore.secret)\"}".utf8), 400, "malformed"),
                (Array("password \(TestAppStore.secret)".utf8), 400, "malformed"),
                (Array(forged.utf8), 403, "invalid_signature"),
                (Array(good.replacing("\":\"", with: "\":\"eyJhbGciOiJub25lIn0.e30.").utf8), 400, "malformed"),
                (try TestAppStore().v2(), 403, "untrusted_chain"),
                (try store.v2(bundleID: "com.example.other"), 403, "unknown_app"),
                (TestAppStore.v1(secret: TestAppStore.secret + "0"), 403, "wrong_secret"),
                (TestAppStore.v1(more: ",\"price\":\"4.99\",\"currency\":\"EUR\""), 400, "malformed"),
            ]
            for (body, status, outcome) in cases {
                let answer = try await post(client, body)
                #expect(answer.status == status && answer.outcome == outcome, "\(answer.text)")
                #expect(!answer.text.contains(TestAppStore.secret))
            }
            let database = installation.database
            #expect(try await database.value("SELECT count(*) FROM attribution.rejected_notification") == "8")
            #expect(try await database.value("SELECT count(*) FROM attribution.store_notification") == "0")
            try await expectNoSecret(in: installation, server)
        }

        private func expectNoSecret(in installation: Installation, _ server: ServerProcess) async throws {
            for table in ["store_body", "rejected_notification"] {
                let count = try await installation.database.value(
                    """
                    SELECT count(*) FROM attribution.\(table)
                     WHERE position('\(TestAppStore.secret)' IN encode(body, 'escape')) > 0
                    """)
                #expect(count == "0", "\(table)")
            }
            #expect(!server.lines.contains { $0.contains(TestAppStore.secret) })
        }

        @Test(
            "An unknown app is refused, and `reprocess` counts its notification once when the key ring names it",
            .installation)
        func unknownApp() async throws {
            let installation = try Installation.current
            let store = try TestAppStore()
            try write(store, to: installation)
            let (server, client) = try await installation.start()
            let body = try store.v2(bundleID: "com.example.later")
            #expect(try await post(client, body).outcome == "unknown_app")
            let before = try await installation.succeed(["reprocess"])
            #expect(before.contains("notifications moved in: 0 accepted, 0 duplicate; left: 1 still refused"))
            try write(store, apps: [TestAppStore.bundleID, "com.example.later"], to: installation)
            server.hangUp()
            let after = try await installation.succeed(["reprocess"])
            #expect(after.contains("notifications moved in: 1 accepted, 0 duplicate; left: 0 still refused"))
            try await eventually("the key ring is read") {
                server.lines.contains { $0.contains("\"key ring read again\"") } ? true : nil
            }
            // Apple tries again.
            #expect(try await post(client, body).outcome == "duplicate")
            let database = installation.database
            #expect(try await database.value("SELECT count(*) FROM attribution.store_transaction") == "1")
            #expect(try await database.value("SELECT count(*) FROM attribution.rejected_notification") == "0")
            // The trail has both runs, of postbacks and of notifications.
            try await database.expect(
                """
                SELECT subject, origin, starts_with(person, 'system user ') AS is_user, counts->>'accepted' AS accepted,
                       counts->>'refused' AS refused
                  FROM attribution.trail WHERE action = 'reprocessing' ORDER BY entry
                """,
                """
                subject        origin        is_user  accepted  refused
                quarantine     command line  true     0         0
                notifications  command line  true     0         1
                quarantine     command line  true     0         0
                notifications  command line  true     1         0
                """)
        }

        @Test("Without the App Store in the key ring nothing is at the path; after a reload it is", .server)
        func without() async throws {
            let (installation, server, client) = try RunningServer.current
            let store = try TestAppStore()
            let body = try store.v2()
            let answer = try await post(client, body)
            #expect(answer.status == 404 && answer.text.contains("\"field\":\"path\""))
            try write(store, to: installation)
            let admin = try await client.admin(of: server)
            let reload = try await admin.request(.POST, "/v1/reload", headers: Installation.authorization)
            #expect(reload.status == 200)
            #expect(try await post(client, body).outcome == "accepted")
        }

        @Test("A mebibyte is taken of version 1, 64 KiB of version 2, and 16 KiB at any other path", .installation)
        func sizes() async throws {
            let installation = try Installation.current
            let store = try TestAppStore()
            try write(store, to: installation)
            let (_, client) = try await installation.start()
            func padded(_ body: [UInt8], to count: Int) -> [UInt8] {
                body + [UInt8](repeating: 0x20, count: count - body.count)
            }
            #expect(try await post(client, padded(TestAppStore.v1(), to: 1_048_576)).outcome == "accepted")
            #expect(try await post(client, padded(try store.v2(), to: 65_536)).outcome == "accepted")
            let large = try await post(client, padded(try store.v2(), to: 65_537))
            #expect(large.status == 413 && large.outcome == "too_large")
            for (path, length, limit) in [(Self.path, 1_048_577, 1_048_576), (PostbackClient.path, 16_385, 16_384)] {
                let answer = try await SocketClient.with(port: client.port) { socket in
                    try await socket.exchange(
                        Array("POST \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: \(length)\r\n\r\n".utf8))
                }
                #expect(answer.hasPrefix("HTTP/1.1 413 ") && answer.contains("at most \(limit) bytes"), "\(answer)")
            }
            #expect(try await installation.database.value("SELECT count(*) FROM attribution.store_notification") == "2")
        }

        @Test(
            "A query or a host in the target changes no limit of a notification, and a refused one is counted as one",
            .installation)
        func targets() async throws {
            let installation = try Installation.current
            let store = try TestAppStore()
            try write(store, to: installation)
            let (server, client) = try await installation.start()
            func padded(to count: Int) throws -> [UInt8] {
                let body = try store.v2()
                return body + [UInt8](repeating: 0x20, count: count - body.count)
            }
            func exchange(_ target: String, length: Int, _ body: [UInt8]) async throws -> String {
                try await SocketClient.with(port: client.port) { socket in
                    try await socket.exchange(
                        Array("POST \(target) HTTP/1.1\r\nHost: h\r\nContent-Length: \(length)\r\n\r\n".utf8) + body)
                }
            }
            let targets = [Self.path + "?src=apple", Self.path + "/?src=apple", "http://h" + Self.path]
            for target in targets {
                let taken = try await exchange(target, length: 20_480, padded(to: 20_480))
                #expect(taken.hasPrefix("HTTP/1.1 200 ") && taken.contains("\"accepted\""), "\(target): \(taken)")
                let large = try await exchange(target, length: 65_537, padded(to: 65_537))
                #expect(large.hasPrefix("HTTP/1.1 413 ") && large.contains("\"too_large\""), "\(target): \(large)")
                // This one is refused by its head.
                let unread = try await exchange(target, length: 1_048_577, [])
                #expect(
                    unread.hasPrefix("HTTP/1.1 413 ") && unread.contains("at most 1048576 bytes"),
                    "\(target): \(unread)")
            }
            #expect(try await installation.database.value("SELECT count(*) FROM attribution.store_notification") == "3")
            let metrics = try await client.admin(of: server).request(.GET, "/metrics").text
            #expect(
                metrics.contains(
                    "adattribution_app_store_notifications_total{outcome=\"too_large\",version=\"unknown\"} 6\n"))
            let ofPostbacks = metrics.split(separator: "\n").filter {
                $0.hasPrefix("adattribution_postbacks_total{") && $0.contains("too_large") && !$0.hasSuffix(" 0")
            }
            #expect(ofPostbacks.isEmpty, "\(ofPostbacks)")
        }

        /// The head of a notification of a mebibyte, of which more or less comes.
        private static let largestHead = Array(
            "POST \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: 1048576\r\n\r\n".utf8)

        @Test(
            "While somebody sends a large body slowly, notifications are taken and postbacks are served",
            .installation)
        func slowBodies() async throws {
            let installation = try Installation.current
            let store = try TestAppStore()
            try write(store, to: installation)
            let (server, client) = try await installation.start(["APP_STORE_BODY_BYTES": "1048576"])
            let (body, admin) = (try store.v2(), try await client.admin(of: server))
            try await SocketClient.with(port: client.port) { slow in
                try await slow.send(Self.largestHead + Array("{".utf8))
                try await eventually("what came of the body is in memory") {
                    let metrics = try await admin.request(.GET, "/metrics").text
                    return metrics.contains("\nadattribution_app_store_body_bytes 1\n") ? true : nil
                }
                #expect(try await post(client, body).outcome == "accepted")
                #expect(try await client.post(TestKeys.apple()).outcome == "accepted")
            }
        }

        @Test(
            "If bodies that have come fill the memory for them, others get 503 before theirs are read; postbacks are served",
            .installation)
        func budget() async throws {
            let installation = try Installation.current
            let store = try TestAppStore()
            try write(store, to: installation)
            let (server, client) = try await installation.start(["APP_STORE_BODY_BYTES": "1048576"])
            let (body, admin) = (try store.v2(), try await client.admin(of: server))
            try await SocketClient.with(port: client.port) { filling in
                try await filling.send(Self.largestHead + [UInt8](repeating: 0x20, count: 1_048_575))
                try await eventually("the memory is taken") {
                    let metrics = try await admin.request(.GET, "/metrics").text
                    return metrics.contains("\nadattribution_app_store_body_bytes 1048575\n") ? true : nil
                }
                let refused = try await post(client, body)
                #expect(refused.status == 503)
                #expect(refused.outcome == "overloaded" && refused.headers.first(name: "Retry-After") == "30")
                #expect(try await client.post(TestKeys.apple()).outcome == "accepted")
            }
            try await eventually("the memory is free") {
                try await post(client, body).status == 200 ? true : nil
            }
        }

        @Test("While the database is away the answer is 503, and what Apple then delivers again is stored")
        func databaseAway() async throws {
            try await TestCluster.with { cluster in
                try await Installation.with(on: cluster.url) { installation in
                    let store = try TestAppStore()
                    try write(store, to: installation)
                    let (_, client) = try await installation.start(["INGEST_DEADLINE": "1"])
                    let bodies = try (0..<8).map { _ in try store.v2() } + [Array("{}".utf8)]
                    try await cluster.whileStopped {
                        for body in bodies {
                            let answer = try await post(client, body)
                            #expect(answer.status == 503 && answer.outcome == "storage_unavailable", "\(answer.text)")
                            #expect(answer.headers.contains(name: "Retry-After"))
                        }
                    }
                    for body in bodies {
                        try await eventually("it is stored, or kept") {
                            [200, 400].contains(try await post(client, body).status) ? true : nil
                        }
                    }
                    let database = installation.database
                    #expect(try await database.value("SELECT count(*) FROM attribution.store_notification") == "8")
                    #expect(try await database.value("SELECT count(*) FROM attribution.rejected_notification") == "1")
                }
            }
        }

        @Test("Bodies that are past their retention are removed; what they brought stays", .installation)
        func retention() async throws {
            let installation = try Installation.current
            let store = try TestAppStore()
            try write(store, to: installation)
            try await installation.withServer { _, client in
                for _ in 0..<2 {
                    let answer = try await post(client, try store.v2())
                    #expect(answer.status == 200)
                }
            }
            let database = installation.database
            try await database.run(
                """
                UPDATE attribution.store_body SET received_at = received_at - interval '4 days'
                 WHERE ctid = (SELECT ctid FROM attribution.store_body LIMIT 1)
                """)
            try await installation.withServer(["APP_STORE_BODY_RETENTION_DAYS": "3"]) { _, _ in
                _ = try await eventually("the old one is gone") {
                    try await database.value("SELECT count(*) FROM attribution.store_body") == "1" ? true : nil
                }
            }
            #expect(try await database.value("SELECT count(*) FROM attribution.store_transaction") == "2")
        }
    }
}
