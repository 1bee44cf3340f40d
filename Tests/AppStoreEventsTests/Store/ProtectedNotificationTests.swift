import AppStoreData
import PostbackStore
import PostgresClient
import StrictJSON
import TestSupport
import Testing

@testable import AppStoreEvents

@Suite(
    "The protected half of the quarantine of notifications",
    .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct ProtectedNotificationTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current
    private let appStore: MadeUpStore

    init() throws {
        appStore = try MadeUpStore()
    }

    private static let halves = """
        SELECT protected, count(*) AS count FROM attribution.rejected_notification GROUP BY protected
        """

    /// A body as a verifier refuses it; if none is given, one that takes the root for Apple's and knows no app.
    private func refused(
        _ body: [UInt8], by verifier: SignedDataVerifier? = nil, at second: Int64 = 0
    ) throws -> RejectedNotification {
        let verifier = verifier ?? appStore.appleVerifier(apps: [])
        let error = try #require(throws: SignedDataError.self) {
            _ = try StoreNotification(body: body, by: verifier, now: MadeUpStore.now)
        }
        return RejectedNotification(body: body, error: error, receivedAt: MadeUpStore.time(second))
    }

    private func madeUp(_ second: Int64) -> RejectedNotification {
        RejectedNotification(
            body: Array("\(second)".utf8), error: SignedDataError(.malformed, field: "json", rule: "must be an object"),
            receivedAt: MadeUpStore.time(second))
    }

    @Test("A genuine notification outlives 10,000 made-up bodies, and counts once its app is known")
    func flood() async throws {
        let body = try appStore.body("SUBSCRIBED", transaction: appStore.transaction("1"))
        try await store.quarantine([refused(body)])
        try await store.quarantine((Int64(1)...10_200).map(madeUp))
        try await database.expect(
            Self.halves,
            """
            protected  count
            true       1
            false      10000
            """)
        let verifier = appStore.appleVerifier(apps: [MadeUpStore.bundleID])
        let moved = try await store.reprocessNotifications(verifier: verifier, now: MadeUpStore.now)
        #expect(moved.accepted == 1 && moved.refused == 10_000)
        #expect(try await database.value("SELECT transaction_id FROM attribution.store_transaction") == "1")
        try await database.expect(
            Self.halves,
            """
            protected  count
            false      10000
            """)
    }

    @Test("Only what Apple signed and what had the secret of its app gets in")
    func forged() async throws {
        let known = appStore.appleVerifier(apps: [MadeUpStore.bundleID])
        let body = try appStore.body("TEST", bundleID: "com.example.other")
        let parts = String(decoding: body, as: UTF8.self).split(separator: ".")
        let others = String(decoding: try appStore.body("TEST"), as: UTF8.self).split(separator: ".")
        try #require(parts.count == 3 && others.count == 3)
        let forged = Array([parts[0], others[1], parts[2]].joined(separator: ".").utf8)
        let price = appStore.receipt("1", ["price": "4.99"])
        try await store.quarantine([
            refused(body, by: known), refused(forged, by: known), refused(MadeUpStore().body("TEST"), by: known),
            // What a test root signed.
            refused(body, by: appStore.verifier),
            refused(appStore.bodyV1("DID_RENEW", [price]), by: known),
            refused(appStore.bodyV1("DID_RENEW", [price], ["password": "another"]), by: known),
            refused(appStore.bodyV1("DID_RENEW", [price])),
        ])
        try await database.expect(
            """
            SELECT reason, protected, count(*) AS count
              FROM attribution.rejected_notification GROUP BY reason, protected
            """,
            """
            reason             protected  count
            invalid_signature  false      1
            malformed          true       1
            unknown_app        false      2
            unknown_app        true       1
            untrusted_chain    false      1
            wrong_secret       false      1
            """)
    }

    @Test("A notification takes one row, however often it comes, is signed again, or has bytes beside it")
    func once() async throws {
        let id = MadeUpStore.id()
        let body = try appStore.body("TEST", id: id)
        let end = try #require(body.lastIndex(of: UInt8(ascii: "}")))
        let beside = body[..<end] + Array(#","bid":"com.example.other"}"#.utf8)
        try await store.quarantine([refused(body, at: 3), refused(Array(beside), at: 4)])
        try await store.quarantine([refused(appStore.body("TEST", id: id, at: 1), at: 5)])
        // Now the app is known, and the notification is refused for something else.
        let known = appStore.appleVerifier(apps: [MadeUpStore.bundleID])
        let later = try appStore.body("TEST", id: id, at: 2, status: -1)
        try await store.quarantine([refused(later, by: known, at: 6)])
        try await database.expect(
            """
            SELECT protected, reason, field, bundle_id, attempts,
                   extract(epoch FROM first_seen_at)::bigint - \(MadeUpStore.start) AS first_seen_at,
                   extract(epoch FROM last_seen_at)::bigint - \(MadeUpStore.start) AS last_seen_at
              FROM attribution.rejected_notification
            """,
            """
            protected  reason     field   bundle_id         attempts  first_seen_at  last_seen_at
            true       malformed  status  com.example.game  4         3              6
            """)
        let kept = try await database.value(
            "SELECT convert_from(body, 'UTF8') FROM attribution.rejected_notification")
        let first = try StoreNotification(body: body, by: known, now: MadeUpStore.now)
        #expect(kept == String(decoding: first.kept, as: UTF8.self))
    }

    @Test("Genuine notifications of another app push out none of an app that takes fewer bytes")
    func otherApp() async throws {
        let limits = QuarantineLimits(maximumRows: 4, maximumBytes: 1 << 20)
        let mine = try appStore.body("TEST", bundleID: "com.example.mine")
        try await store.quarantine([refused(mine)], limits: limits)
        for second in Int64(1)...6 {
            let other = try appStore.body("TEST", bundleID: "com.example.other")
            try await store.quarantine([refused(other, at: second), madeUp(second)], limits: limits)
        }
        try await database.expect(
            """
            SELECT protected, bundle_id, extract(epoch FROM last_seen_at)::bigint - \(MadeUpStore.start) AS second
              FROM attribution.rejected_notification
             ORDER BY protected DESC, last_seen_at
            """,
            """
            protected  bundle_id          second
            true       com.example.mine   0
            true       com.example.other  4
            true       com.example.other  5
            true       com.example.other  6
            false      -                  3
            false      -                  4
            false      -                  5
            false      -                  6
            """)
    }

    @Test("A genuine notification whose values the database refuses is in it, but for one of a test root")
    func refusedByDatabase() async throws {
        try await database.run(
            "ALTER TABLE attribution.store_notification ADD CONSTRAINT no_news CHECK (type <> 'NEWS')")
        let apple = appStore.appleVerifier(apps: [MadeUpStore.bundleID])
        let bodies = [
            (try appStore.body("NEWS"), apple), (appStore.bodyV1("NEWS", []), apple),
            (try appStore.body("NEWS"), appStore.verifier),
        ]
        for (body, verifier) in bodies {
            let notification = try StoreNotification(body: body, by: verifier, now: MadeUpStore.now)
            let delivery = NotificationDelivery(
                notification: notification, body: notification.kept, receivedAt: MadeUpStore.time(0))
            let results = await store.recordOrQuarantine([delivery], lane: delivery.lane, accountKey: nil)
            #expect(results.count == 1)
            #expect(throws: SignedDataError.self) { _ = try results.first?.get() }
        }
        try await database.expect(
            """
            SELECT starts_with(convert_from(body, 'UTF8'), '{"signedPayload"') AS is_signed, protected, reason, field
              FROM attribution.rejected_notification
            """,
            """
            is_signed  protected  reason     field
            false      true       malformed  notification
            true       false      malformed  notification
            true       true       malformed  notification
            """)
        try await database.run("ALTER TABLE attribution.store_notification DROP CONSTRAINT no_news")
        // The secret of version 1 was not kept.
        let moved = try await store.reprocessNotifications(verifier: apple, now: MadeUpStore.now)
        #expect(moved.accepted == 2 && moved.refused == 1)
    }
}
