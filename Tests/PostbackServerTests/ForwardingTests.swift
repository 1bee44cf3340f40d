import Foundation
import NIOHTTP1
import ReceiverSupport
import TestSupport
import Testing

extension ServerReportTests {
    /// A server that sends to a receiver on this machine.
    @Suite("Forwarding by a running server", .installation)
    struct ForwardingTests {
        private static let allowed = ["FORWARD_ALLOW_ADDRESSES": "127.0.0.1/32"]

        private func start(
            _ changes: [String: String] = allowed
        ) async throws -> (server: ServerProcess, client: PostbackClient, admin: PostbackClient) {
            let (server, client) = try await Installation.current.start(changes)
            return (server, client, try await client.admin(of: server))
        }

        private func object(_ answer: PostbackClient.Answer) throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [String: Any])
        }

        private func send(
            _ admin: PostbackClient, _ method: HTTPMethod, _ path: String
        ) async throws -> PostbackClient.Answer {
            try await admin.request(
                method, "/v1/destinations" + path, headers: Installation.authorization,
                body: method == .POST ? [] : nil)
        }

        /// What `GET /v1/destinations/NAME` says, once it says this.
        @discardableResult
        private func shown(
            _ admin: PostbackClient, _ name: String, _ what: String, _ isRight: ([String: Any]) -> Bool
        ) async throws -> [String: Any] {
            try await eventually(what) {
                let status = try object(try await send(admin, .GET, "/\(name)"))
                return isRight(status) ? status : nil
            }
        }

        @Test("A genuine postback reaches the receiver byte for byte, and every metric of forwarding is shown")
        func delivered() async throws {
            let (installation, receiver) = (try Installation.current, try await LocalReceiver.start())
            let (_, client, admin) = try await start()
            try await installation.load("partner", to: receiver)
            let body = try TestKeys.apple()
            #expect(try await client.post(body).outcome == "accepted")
            let received = try await eventually("it has arrived") { receiver.received.first }
            #expect(received.body == body && received.path == "/partner" && received.method == "POST")
            #expect(received.headers["Content-Type"] == ["application/json"])
            let status = try await shown(admin, "partner", "it is counted") { $0["sent_24h"] as? Int == 1 }
            #expect(status["state"] as? String == "active" && status["waiting"] as? Int == 0, "\(status)")
            let file = try #require(status["file"] as? [String: Any])
            #expect(file["name"] as? String == "partner")
            let series = [
                "adattribution_forward_attempt_seconds_count{destination=\"partner\"} 1",
                "adattribution_forward_breaker_open{destination=\"partner\"} 0",
                "adattribution_forward_dead{destination=\"partner\"} 0",
                "adattribution_forward_deliveries_total{destination=\"partner\",outcome=\"delivered\"} 1",
                "adattribution_forward_lag_seconds{destination=\"partner\"} 0",
                "adattribution_forward_state{destination=\"partner\",state=\"active\"} 1",
                "adattribution_forward_waiting{destination=\"partner\"} 0",
            ]
            try await eventually("the metrics are shown") {
                let text = try await admin.request(.GET, "/metrics").text
                return series.allSatisfy { text.contains("\n\($0)\n") } ? true : nil
            }
            #expect(receiver.received.count == 1)
        }

        @Test("A delivery that failed for good is a dead letter with request and answer, and retry delivers it")
        func deadLetter() async throws {
            let (installation, receiver) = (try Installation.current, try await LocalReceiver.start())
            receiver.answer(500)
            let (server, client, admin) = try await start()
            try installation.makeSecret("partner-key", "hunter2")
            try await installation.load(
                "partner", to: receiver, #""retry": []"#, #""headers": { "X-Key": "{secret:partner-key}" }"#)
            let body = try TestKeys.apple()
            #expect(try await client.post(body).outcome == "accepted")
            try await shown(admin, "partner", "it is a dead letter") { $0["dead"] as? Int == 1 }
            let answer = try await send(admin, .GET, "/partner/dead-letters")
            let letters = try #require(try object(answer)["dead_letters"] as? [[String: Any]])
            let letter = try #require(letters.first)
            #expect(letter["status"] as? Int == 500, "\(letter)")
            #expect(letter["answer"] as? String == "status 500, key {secret:partner-key}", "\(letter)")
            let request = try #require(letter["request"] as? [String: Any])
            let text = try #require(request["body_base64"] as? String)
            #expect(Data(base64Encoded: text) == Data(body))
            #expect("\(request)".contains("{secret:partner-key}"))
            let event = try #require(letter["event"] as? String)
            let status = try await installation.succeed(["forward", "status", "partner"])
            #expect(status.contains(event) && status.contains("dead letters:"), "\(status)")

            receiver.answer(200)
            #expect(try await send(admin, .POST, "/partner/retry?event=0-0-0").status == 200)
            let retried = try await send(admin, .POST, "/partner/retry?event=\(event)")
            #expect(retried.status == 200, "\(retried.text)")
            try await shown(admin, "partner", "it is delivered") {
                $0["dead"] as? Int == 0 && $0["waiting"] as? Int == 0 && $0["sent_24h"] as? Int == 1
            }
            #expect(receiver.received.map(\.body) == [body, body])
            let identifiers = receiver.received.map { $0.headers["webhook-id"] }
            #expect(identifiers[0] == identifiers[1])
            #expect(receiver.received.allSatisfy { $0.headers["X-Key"] == ["hunter2"] })
            // The secret is nowhere but in the request.
            #expect(!server.lines.joined().contains("hunter2") && !answer.text.contains("hunter2"))
            let rows = try await installation.database.column(
                """
                SELECT d::text FROM attribution.destination AS d UNION ALL
                SELECT d::text FROM attribution.delivery AS d
                """)
            #expect(!"\(rows)".contains("hunter2"))
        }

        @Test("A paused destination gets nothing, and what came meanwhile when it is resumed; the trail names both")
        func paused() async throws {
            let (installation, receiver) = (try Installation.current, try await LocalReceiver.start())
            let (_, client, admin) = try await start()
            try await installation.load("partner", to: receiver)
            try await installation.load("other", to: receiver)
            let paused = try await send(admin, .POST, "/partner/pause?reason=they%20move")
            #expect(paused.status == 200 && paused.text.contains("\"state\":\"paused\""), "\(paused.text)")
            #expect(paused.text.contains("\"state_reason\":\"they move\""))
            // A server that sends already sees it within seconds, and nobody begins to.
            let free = "SELECT leader IS NULL FROM attribution.destination WHERE name = 'partner'"
            try await eventually("nobody sends to it") {
                try await installation.database.value(free) == "true" ? true : nil
            }
            #expect(try await client.post(TestKeys.apple()).outcome == "accepted")
            try await eventually("the other one has it") { receiver.received.isEmpty ? nil : true }
            #expect(receiver.received.map(\.path) == ["/other"])
            let resumed = try await send(admin, .POST, "/partner/resume")
            #expect(resumed.text.contains("\"state\":\"active\""), "\(resumed.text)")
            try await eventually("it goes on") { receiver.received.count == 2 ? true : nil }
            #expect(receiver.received[1].path == "/partner")
            try await installation.database.expect(
                "SELECT action, person, subject FROM attribution.trail WHERE origin <> 'command line' ORDER BY entry",
                """
                action                  person       subject
                destination-pause       ADMIN_TOKEN  partner
                destination-resumption  ADMIN_TOKEN  partner
                """)
        }

        @Test("A test is marked as such, is counted nowhere, and says what the receiver answered")
        func test() async throws {
            let (installation, receiver) = (try Installation.current, try await LocalReceiver.start())
            try await installation.load("partner", to: receiver)
            let good = try await installation.run(["forward", "test", "partner"], Self.allowed)
            #expect(good.code == 0 && good.output.contains("200"), "\(good)")
            let received = try #require(receiver.received.first)
            #expect(received.headers["X-AdAttribution-Test"] == ["true"])
            #expect(received.text.contains("00000000-0000-4000-8000-000000000000"))
            receiver.answer(403)
            let refused = try await installation.run(["forward", "test", "partner"], Self.allowed)
            #expect(refused.code == 69 && refused.output.contains("status 403"), "\(refused)")
            // The address is checked here too.
            let loopback = try await installation.run(["forward", "test", "partner"])
            #expect(loopback.code == 69 && loopback.output.contains("127.0.0.1"), "\(loopback)")
            #expect(receiver.received.count == 2)
            #expect(try await installation.database.value("SELECT count(*) FROM attribution.delivery_daily") == "0")
        }

        @Test("A replay sends the events of days once more, with the ids that they had")
        func replay() async throws {
            let (installation, receiver) = (try Installation.current, try await LocalReceiver.start())
            let (_, client, admin) = try await start()
            try await installation.load("partner", to: receiver)
            #expect(try await client.post(TestKeys.apple()).outcome == "accepted")
            try await shown(admin, "partner", "it is sent") { $0["sent_24h"] as? Int == 1 }
            let day = try await installation.database.value("SELECT (now() AT TIME ZONE 'UTC')::date")
            let today = try #require(day)
            try await installation.succeed(["forward", "replay", "partner", "--from", today, "--to", today])
            try await eventually("it has come again") { receiver.received.count == 2 ? true : nil }
            #expect(receiver.received[0].headers["webhook-id"] == receiver.received[1].headers["webhook-id"])
            try await shown(admin, "partner", "the replay is over") { $0["replay"] is NSNull }
            try await installation.database.expect(
                "SELECT subject FROM attribution.trail WHERE action = 'delivery-replay'",
                """
                subject
                partner from \(today) to \(today)
                """)
        }

        @Test("A secret that is missing holds only its destination, is named, and is taken when it is there")
        func missingSecret() async throws {
            let (installation, receiver) = (try Installation.current, try await LocalReceiver.start())
            let (_, client, admin) = try await start()
            try await installation.load(
                "partner", to: receiver, #""headers": { "X-Key": "{secret:partner-key}" }"#)
            let checked = try await installation.run(["serve", "--check-config"])
            #expect(checked.code == 78 && checked.errors.contains("destination partner: "), "\(checked)")
            #expect(checked.errors.contains("partner-key"))
            #expect(try await client.post(TestKeys.apple()).outcome == "accepted")
            let status = try await shown(admin, "partner", "it says what lacks") { $0["problem"] is String }
            #expect((status["problem"] as? String)?.contains("partner-key") == true, "\(status)")
            #expect(receiver.received.isEmpty)
            try installation.makeSecret("partner-key", "hunter2")
            try await eventually("it is sent") { receiver.received.count == 1 ? true : nil }
            let good = try await installation.run(["serve", "--check-config"])
            #expect(good.code == 0 && good.output.contains("1 destinations"), "\(good)")
        }

        @Test("With FORWARDING=off a server sends nothing, and another one on the same database does")
        func off() async throws {
            let (installation, receiver) = (try Installation.current, try await LocalReceiver.start())
            let (_, client, admin) = try await start(["FORWARDING": "off"])
            try await installation.load("partner", to: receiver)
            #expect(try await client.post(TestKeys.apple()).outcome == "accepted")
            try await shown(admin, "partner", "it waits") { ($0["lag_seconds"] as? Int ?? 0) > 0 }
            #expect(receiver.received.isEmpty)
            _ = try await start()
            try await eventually("the other one sends it") { receiver.received.isEmpty ? nil : true }
        }

        @Test("A wrong request is answered with the field and the rule, and changes nothing")
        func wrong() async throws {
            let (installation, receiver) = (try Installation.current, try await LocalReceiver.start())
            let (_, _, admin) = try await start()
            try await installation.load("partner", to: receiver)
            let requests: [(method: HTTPMethod, path: String, status: Int, field: String)] = [
                (.GET, "/nobody", 404, "name"), (.GET, "/No%20Body", 404, "name"),
                (.GET, "/nobody/dead-letters", 404, "name"), (.POST, "/nobody/pause", 404, "name"),
                (.POST, "/nobody/resume", 404, "name"), (.POST, "/nobody/retry", 404, "name"),
                (.GET, "/partner/dead-letters?limit=0", 400, "limit"),
                (.GET, "/partner/dead-letters?limit=1001", 400, "limit"),
                (.GET, "/partner/dead-letters?before=x", 400, "before"),
                (.POST, "/partner/retry?event=x", 400, "event"), (.POST, "/partner/pause?reason=", 400, "reason"),
                (.POST, "/partner/pause?reason=a%0Ab", 400, "reason"), (.POST, "/partner/resume?x=1", 400, "x"),
                (.GET, "/partner/pause", 405, "method"),
            ]
            for (method, path, status, field) in requests {
                let answer = try await send(admin, method, path)
                #expect(answer.status == status, "\(path): \(answer.text)")
                #expect(try object(answer)["field"] as? String == field, "\(path): \(answer.text)")
            }
            let status = try object(try await send(admin, .GET, ""))
            let all = try #require(status["destinations"] as? [[String: Any]])
            #expect(all.map { $0["state"] as? String } == ["active"])
        }
    }
}

extension Installation {
    /// Puts a secret of destinations into the key ring.
    fileprivate func makeSecret(_ name: String, _ text: String) throws {
        try FileManager.default.createDirectory(atPath: folder + "/secrets", withIntermediateDirectories: true)
        try write(text, to: "secrets/\(name)", mode: 0o600)
    }
}
