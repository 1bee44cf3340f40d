import AppStoreData
import PostbackStore
import PostgresClient
import TestSupport
import Testing

@testable import AppStoreEvents

@Suite(
    "The quarantine of notifications", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct StoreQuarantineTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current
    private let appStore: MadeUpStore

    init() throws {
        appStore = try MadeUpStore()
    }

    private static let bodies = """
        SELECT convert_from(body, 'UTF8') FROM attribution.rejected_notification ORDER BY last_seen_at, key
        """

    private func rejected(
        _ body: String, _ reason: SignedDataError.Reason = .malformed, at second: Int64 = 0,
        address: String = "192.0.2.1"
    ) -> RejectedNotification {
        RejectedNotification(
            body: Array(body.utf8), error: SignedDataError(reason, field: "json", rule: "must be an object"),
            receivedAt: MadeUpStore.time(second),
            origin: DeliveryOrigin(address: IPAddress(address), userAgent: nil))
    }

    /// A body as a verifier that knows these apps refuses it.
    private func refused(_ body: [UInt8], apps: [String], at second: Int64 = 0) throws -> RejectedNotification {
        let verifier = MadeUpStore.verifier(of: appStore.signer, apps: apps)
        let error = try #require(throws: SignedDataError.self) {
            _ = try StoreNotification(body: body, by: verifier, now: MadeUpStore.now)
        }
        return RejectedNotification(body: body, error: error, receivedAt: MadeUpStore.time(second))
    }

    @Test("A body has one row for each reason, with its attempts and times")
    func merged() async throws {
        try await store.quarantine([rejected("a", at: 5), rejected("a", at: 3), rejected("a", .wrongSecret, at: 4)])
        try await store.quarantine([rejected("a", at: 9, address: "192.0.2.2")])
        try await database.expect(
            """
            SELECT reason, field, rule, attempts, host(source_address) AS source_address,
                   extract(epoch FROM first_seen_at)::bigint - \(MadeUpStore.start) AS first_seen_at,
                   extract(epoch FROM last_seen_at)::bigint - \(MadeUpStore.start) AS last_seen_at
              FROM attribution.rejected_notification
            """,
            """
            reason        field  rule               attempts  source_address  first_seen_at  last_seen_at
            malformed     json   must be an object  3         192.0.2.1       3              9
            wrong_secret  json   must be an object  1         192.0.2.1       4              4
            """)
        // Addresses are those of the first delivery, so its time decides; a body stays until nobody sends it any more.
        #expect(try await store.forgetNotificationAddresses(before: MadeUpStore.time(3)) == 0)
        #expect(try await store.forgetNotificationAddresses(before: MadeUpStore.time(4)) == 1)
        #expect(try await store.forgetNotificationAddresses(before: MadeUpStore.time(9)) == 1)
        #expect(try await store.dropRejectedNotifications(before: MadeUpStore.time(9)) == 1)
        #expect(try await database.column(Self.bodies) == ["a"])
        #expect(try await store.dropRejectedNotifications(before: MadeUpStore.time(10)) == 1)
    }

    @Test("One address is removed from all rows that have it, and from no other")
    func oneAddress() async throws {
        try await store.quarantine([
            rejected("a", at: 1, address: "192.0.2.2"), rejected("b", at: 2, address: "2001:db8::2"),
            rejected("c", at: 3, address: "2001:db8::2"),
        ])
        let address = try #require(IPAddress("2001:DB8:0::2"))
        #expect(try await store.forgetNotifications(of: address) == 2)
        #expect(try await store.forgetNotifications(of: address) == 0)
        let left = "SELECT host(source_address) FROM attribution.rejected_notification ORDER BY first_seen_at"
        #expect(try await database.column(left) == ["192.0.2.2", nil, nil])
    }

    @Test("One row too many pushes out the one not seen for the longest time")
    func rows() async throws {
        let limits = QuarantineLimits(maximumRows: 3, maximumBytes: 1 << 20)
        for second in Int64(0)..<6 {
            try await store.quarantine([rejected("\(second)", at: second)], limits: limits)
        }
        #expect(try await database.column(Self.bodies) == ["3", "4", "5"])
        try await store.quarantine([rejected("3", at: 10), rejected("9", at: 11)], limits: limits)
        #expect(try await database.column(Self.bodies) == ["5", "3", "9"])
    }

    @Test("Too many bytes push out the oldest rows, and no more than needed")
    func bytes() async throws {
        let weight = Int64(1 + "must be an object".utf8.count + 512)
        let limits = QuarantineLimits(maximumRows: 1_000, maximumBytes: 4 * weight)
        let flood = (Int64(0)..<200).map { rejected("\($0 % 10)", .untrustedChain, at: $0) }
        try await store.quarantine(flood, limits: limits)
        #expect(try await database.column(Self.bodies) == ["6", "7", "8", "9"])
        try await store.quarantine([rejected("x", at: 300)], limits: .init(maximumRows: 0, maximumBytes: 1_000))
        #expect(try await database.column(Self.bodies) == [])
    }

    @Test("It has 10,000 rows at most")
    func defaultLimit() async throws {
        #expect(QuarantineLimits.ofNotifications.maximumBytes == 64 << 20)
        try await store.quarantine((Int64(0)..<10_200).map { rejected("\($0)", at: $0) })
        #expect(try await database.value("SELECT count(*) FROM attribution.rejected_notification") == "10000")
        #expect(try await database.value(Self.bodies) == "200")
    }

    @Test("What a body says of itself is shown")
    func claims() throws {
        let signed = NotificationClaims(try appStore.body("TEST", bundleID: "com.example.other"))
        #expect(signed.bundleID == "com.example.other")
        #expect(signed.type == "TEST")
        let plain = NotificationClaims(appStore.bodyV1("CANCEL", []))
        #expect(plain.bundleID == MadeUpStore.bundleID)
        #expect(plain.type == "CANCEL")
        for body in ["", "{", "[]", "{\"signedPayload\":\"a.b\"}", "{\"signedPayload\":\"..\",\"bid\":\"\\u0000\"}"] {
            let claims = NotificationClaims(Array(body.utf8))
            #expect(claims.bundleID == nil)
            #expect(claims.type == nil)
        }
    }

    @Test("A notification of an unknown app counts once the app is known, and the others stay")
    func reprocessing() async throws {
        let transaction = appStore.transaction("1")
        let bodies = try [
            appStore.body("SUBSCRIBED", transaction: transaction),
            appStore.body("TEST", bundleID: "com.example.other"),
            appStore.bodyV1("DID_RENEW", [appStore.receipt("2")]),
        ]
        try await store.quarantine(bodies.enumerated().map { try refused($1, apps: [], at: Int64($0)) })
        try await store.quarantine([rejected("{}")])
        let stranger = MadeUpStore.verifier(of: appStore.signer, apps: [])
        let before = try await store.reprocessNotifications(verifier: stranger, now: MadeUpStore.now)
        #expect(before.refused == 4)
        #expect(before.accepted == 0)
        let after = try await store.reprocessNotifications(verifier: appStore.verifier, now: MadeUpStore.now)
        #expect(after.accepted == 1)
        #expect(after.refused == 3)
        try await database.expect(
            "SELECT bundle_id, type, reason FROM attribution.rejected_notification",
            """
            bundle_id          type       reason
            com.example.game   DID_RENEW  unknown_app
            com.example.other  TEST       unknown_app
            -                  -          malformed
            """)
        #expect(try await database.value("SELECT transaction_id FROM attribution.store_transaction") == "1")
        // The same body again is the duplicate that it is.
        try await store.quarantine([refused(bodies[0], apps: [])])
        let again = try await store.reprocessNotifications(verifier: appStore.verifier, now: MadeUpStore.now)
        #expect(again.duplicates == 1)
        #expect(again.description == "notifications moved in: 0 accepted, 1 duplicate; left: 3 still refused")
    }

    @Test("A notification whose values the database refuses stays here until it takes them; the others are stored")
    func refusedByDatabase() async throws {
        let constraint = "CONSTRAINT no_news CHECK (type <> 'NEWS')"
        try await database.run("ALTER TABLE attribution.store_notification ADD \(constraint)")
        let deliveries = try ["TEST", "NEWS", "SUBSCRIBED"].enumerated().map { number, type in
            try appStore.delivery(appStore.body(type), at: Int64(number))
        }
        let results = await store.recordOrQuarantine(deliveries, lane: 0, accountKey: nil)
        try #require(results.count == 3)
        #expect(try results[0].get() == .accepted)
        #expect(try results[2].get() == .accepted)
        let error = try #require(throws: SignedDataError.self) { _ = try results[1].get() }
        #expect(error.description == "notification: must have values that the database takes; it says 23514")
        #expect(
            try await database.column("SELECT type FROM attribution.store_notification ORDER BY received_at")
                == ["TEST", "SUBSCRIBED"])
        try await database.expect(
            """
            SELECT reason, field, bundle_id, type, attempts,
                   extract(epoch FROM first_seen_at)::bigint - \(MadeUpStore.start) AS first_seen_at
              FROM attribution.rejected_notification
            """,
            """
            reason     field         bundle_id         type  attempts  first_seen_at
            malformed  notification  com.example.game  NEWS  1         1
            """)
        let before = try await store.reprocessNotifications(verifier: appStore.verifier, now: MadeUpStore.now)
        #expect(before.failed == 1 && before.accepted == 0)
        try await database.run("ALTER TABLE attribution.store_notification DROP CONSTRAINT no_news")
        let after = try await store.reprocessNotifications(verifier: appStore.verifier, now: MadeUpStore.now)
        #expect(after.failed == 0 && after.accepted == 1)
        #expect(try await database.column(Self.bodies) == [])
    }

    @Test("More bodies than one page has are all reprocessed")
    func pages() async throws {
        let rejected = try (0..<230).map { number in
            try refused(
                appStore.body("TEST", id: MadeUpStore.id(lane: number % 4)), apps: [], at: Int64(number / 50))
        }
        try await store.quarantine(rejected)
        let moved = try await store.reprocessNotifications(verifier: appStore.verifier, now: MadeUpStore.now)
        #expect(moved.accepted == 230)
        #expect(try await database.value("SELECT count(*) FROM attribution.rejected_notification") == "0")
    }
}
