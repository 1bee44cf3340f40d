import AdAttribution
import AppStoreData
import Foundation
import HTTPTypes
import Logging
import Metrics
import Observability
import PostbackStore
import Synchronization
import TestSupport
import Testing

@testable import AppStoreEvents
@testable import PostbackIngest

@Suite("The receiver of notifications", .enabled(if: TestEnvironment.databaseURL != nil), .database)
struct NotificationReceiverTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current
    private let appStore: TestAppStore

    init() throws {
        appStore = try TestAppStore()
    }

    /// An answer, and whether it says that the client is verified.
    private struct Answer: Sendable {
        let status: Int
        let text: String
        let retryAfter: String?
        let isVerified: Bool
    }

    /// The bodies of answers.
    private final class Answers: Sendable {
        private let texts = Mutex<[String]>([])

        var all: [String] { texts.withLock { $0 } }

        func add(_ text: String) { texts.withLock { $0.append(text) } }
    }

    private func receiver(capacity: Int = 100) throws -> NotificationReceiver {
        let keys = try TestKeys()
        let trust = appStore.trust()
        let keyRing = try KeyRingInForce.folder { _ in KeyRingFolder(keys.keyRing, store: trust, storeAPI: []) }
        var limits = QueueLimits()
        limits.capacity = capacity
        limits.deadline = .seconds(600)
        let metrics = NotificationMetrics(unreplicatedCommits: Counter(label: "unreplicated"))
        let queues = NotificationQueues(
            store: store, limits: limits, keyRing: keyRing, metrics: metrics, logger: .silent)
        return NotificationReceiver(
            keyRing: keyRing, queues: queues, clock: .system, metrics: metrics, logger: .silent)
    }

    private func answer(of receiver: NotificationReceiver, to body: [UInt8]) async -> Answer {
        await withCheckedContinuation { waiting in
            receiver.receive(
                body, from: .unknown,
                reply: NotificationReply { answer, isVerified in
                    waiting.resume(
                        returning: Answer(
                            status: answer.status.code, text: answer.json,
                            retryAfter: answer.headers.first { $0.name == .retryAfter }?.value, isVerified: isVerified))
                })
        }
    }

    /// Runs the queues of a receiver beside the body, then drains them.
    private func run(_ receiver: NotificationReceiver, _ body: () async throws -> Void) async throws {
        async let queues: Void = receiver.queues.run()
        try await body()
        receiver.queues.drain()
        await queues
    }

    @Test("A notification is stored before it is answered; again, it is a duplicate; each answer is counted")
    func stored() async throws {
        let registry = PrometheusRegistry()
        try await withMetricsFactory(registry) {
            let receiver = try receiver()
            try await run(receiver) {
                let body = try appStore.v2()
                for outcome in ["accepted", "duplicate"] {
                    let answer = await answer(of: receiver, to: body)
                    #expect(answer.status == 200 && answer.text.hasPrefix("{\"outcome\":\"\(outcome)\",\"detail\":"))
                    #expect(answer.isVerified && answer.retryAfter == nil)
                }
                let v1 = await answer(of: receiver, to: TestAppStore.v1())
                #expect(v1.status == 200 && v1.isVerified)
            }
        }
        #expect(
            try await database.column("SELECT version FROM attribution.store_notification ORDER BY version")
                == ["1", "2"])
        let exposition = registry.exposition()
        for labels in [
            "outcome=\"accepted\",version=\"1\"", "outcome=\"accepted\",version=\"2\"",
            "outcome=\"duplicate\",version=\"2\"",
        ] {
            #expect(exposition.contains("adattribution_app_store_notifications_total{\(labels)} 1\n"))
        }
        #expect(exposition.contains("adattribution_app_store_notification_duration_seconds_count 3\n"))
        #expect(exposition.contains("adattribution_app_store_commit_batch_notifications_count 3\n"))
    }

    @Test("A refund of version 1 that does not list its transaction is stored and counted apart")
    func unlistedRefund() async throws {
        let registry = PrometheusRegistry()
        let name = "adattribution_app_store_refunds_without_transaction_total"
        try await withMetricsFactory(registry) {
            let receiver = try receiver()
            #expect(registry.exposition().contains("\n\(name) 0\n"))
            let listed = TestAppStore.v1(type: "CANCEL", more: ",\"cancellation_date_ms\":\"1700000001000\"")
            try await run(receiver) {
                for body in [listed, TestAppStore.v1(type: "CANCEL"), TestAppStore.v1()] {
                    let answer = await answer(of: receiver, to: body)
                    #expect(answer.status == 200)
                }
            }
        }
        #expect(registry.exposition().contains("\n\(name) 1\n"))
        #expect(try await database.value("SELECT count(*) FROM attribution.store_notification") == "3")
    }

    @Test("What is refused is kept before it is answered, without its secret, but for a body that is too large")
    func refused() async throws {
        let receiver = try receiver()
        let stranger = try TestAppStore()
        let spaces = [UInt8](repeating: 0x20, count: StoreNotification.maximumV2Bytes)
        let bodies: [([UInt8], Int, String)] = [
            (Array("{".utf8), 400, "malformed"), ([], 400, "malformed"), (Array("{}".utf8), 400, "malformed"),
            (try appStore.v2(bundleID: "com.example.other"), 403, "unknown_app"),
            (try stranger.v2(), 403, "untrusted_chain"),
            (TestAppStore.v1(secret: "hunter2-hunter2-hunter2"), 403, "wrong_secret"),
            (TestAppStore.v1(bundleID: "com.example.other"), 403, "unknown_app"),
            (TestAppStore.v1(more: ",\"price\":\"4.99\""), 400, "malformed"),
            (Array("password=\(TestAppStore.secret)".utf8), 400, "malformed"),
            (try appStore.v2() + spaces, 413, "too_large"),
        ]
        try await run(receiver) {
            for (body, status, outcome) in bodies {
                let answer = await answer(of: receiver, to: body)
                #expect(answer.status == status && answer.text.hasPrefix("{\"outcome\":\"\(outcome)\""), "\(answer)")
                #expect(!answer.isVerified)
                #expect(!answer.text.contains("hunter2") && !answer.text.contains(TestAppStore.secret))
            }
        }
        try await database.expect(
            """
            SELECT reason, protected, count(*) AS count
              FROM attribution.rejected_notification GROUP BY reason, protected
            """,
            """
            reason           protected  count
            malformed        false      4
            malformed        true       1
            unknown_app      false      2
            untrusted_chain  false      1
            wrong_secret     false      1
            """)
        for secret in [TestAppStore.secret, "hunter2"] {
            let count = try await database.value(
                "SELECT count(*) FROM attribution.rejected_notification WHERE position('\(secret)'::bytea IN body) > 0")
            #expect(count == "0")
        }
        #expect(try await database.value("SELECT count(*) FROM attribution.store_notification") == "0")
    }

    @Test("A verified notification whose values the database refuses is kept, as the answer says; others are stored")
    func refusedByDatabase() async throws {
        try await database.run(
            "ALTER TABLE attribution.store_notification ADD CONSTRAINT no_news CHECK (type <> 'NEWS')")
        let receiver = try receiver()
        let (news, other) = (try appStore.v2(type: "NEWS"), try appStore.v2())
        try await run(receiver) {
            for _ in 0..<2 {
                let answer = await answer(of: receiver, to: news)
                #expect(answer.status == 400 && !answer.isVerified)
                #expect(answer.text.contains("must have values that the database takes; it says 23514"), "\(answer)")
            }
            let stored = await answer(of: receiver, to: other)
            #expect(stored.status == 200)
        }
        try await database.expect(
            "SELECT reason, field, type, attempts FROM attribution.rejected_notification",
            """
            reason     field         type  attempts
            malformed  notification  NEWS  2
            """)
        #expect(try await database.value("SELECT count(*) FROM attribution.store_notification") == "1")
    }

    @Test("A notification of version 1 of a mebibyte is read by another thread, and kept without its secret")
    func large() async throws {
        let receiver = try receiver()
        let body = TestAppStore.v1()
        let spaces = [UInt8](repeating: 0x20, count: StoreNotification.maximumV1Bytes - body.count)
        try await run(receiver) {
            #expect(await answer(of: receiver, to: body + spaces).status == 200)
            #expect(await answer(of: receiver, to: body + spaces + [0x20]).status == 413)
        }
        #expect(
            try await database.value(
                "SELECT count(*) FROM attribution.store_body WHERE position('\"removed\"'::bytea IN body) > 0") == "1")
    }

    @Test("If too many wait, and when the service stops, the answer is 503 and says when to try again")
    func overloaded() async throws {
        let receiver = try receiver(capacity: 1)
        let bodies = try (0..<30).map { _ in try appStore.v2() }
        let refused = Array("{".utf8)
        // Nothing is committed yet, so one in each lane waits.
        let answers = Answers()
        let reply = NotificationReply { answer, _ in answers.add(answer.json) }
        for body in bodies { receiver.receive(body, from: .unknown, reply: reply) }
        receiver.receive(refused, from: .unknown, reply: reply)
        let second = await answer(of: receiver, to: refused)
        #expect(second.status == 503 && second.retryAfter == "30" && second.text.contains("\"overloaded\""))
        let before = answers.all
        #expect(before.count >= 26 && before.allSatisfy { $0.contains("\"overloaded\"") })
        #expect(receiver.queues.depth == 31 - before.count)
        receiver.queues.drain()
        let late = await answer(of: receiver, to: bodies[0])
        #expect(late.status == 503 && late.text.contains("storage_unavailable"))
        // What waits is committed all the same.
        await receiver.queues.run()
        #expect(answers.all.count == 31)
        let accepted = answers.all.count { $0.contains("\"accepted\"") }
        #expect(try await database.value("SELECT count(*) FROM attribution.store_notification") == "\(accepted)")
    }
}
