import AdAttribution
import Logging
import Metrics
import NIOCore
import NIOPosix
import Observability
import PostbackStore
import TestSupport
import Testing

@testable import PostbackIngest

@Suite("The receiver", .enabled(if: TestEnvironment.databaseURL != nil), .database) struct PostbackReceiverTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    /// Resumes whoever waits for the answer.
    private final class Client: PostbackAnswering {
        private let waiting: CheckedContinuation<PostbackAnswer, Never>

        init(_ waiting: CheckedContinuation<PostbackAnswer, Never>) { self.waiting = waiting }

        func take(_ answer: PostbackAnswer) { waiting.resume(returning: answer) }
    }

    private static func answer(
        of receiver: PostbackReceiver, to body: [UInt8], from origin: DeliveryOrigin = .unknown
    ) async -> PostbackAnswer {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        return await withCheckedContinuation { waiting in
            eventLoop.execute {
                receiver.receive(body, from: origin, reply: PostbackReply(to: Client(waiting), on: eventLoop))
            }
        }
    }

    private static func receiver(
        _ keys: TestKeys, over store: PostbackStore, capacity: Int = 100, deadline: Duration = QueueLimits().deadline,
        clock: WallClock = .system
    ) async throws -> PostbackReceiver {
        var limits = QueueLimits()
        limits.capacity = capacity
        limits.deadline = deadline
        let metrics = PostbackMetrics()
        let queues = IngestQueues(
            store: store, limits: limits, lanes: try await store.lanes(), metrics: metrics,
            logger: .silent)
        return PostbackReceiver(
            keyRing: try KeyRingInForce { _ in keys.keyRing }, queues: queues, clock: clock, metrics: metrics,
            logger: .silent)
    }

    /// Runs the queues of a receiver beside the body, then drains them.
    private func run(_ receiver: PostbackReceiver, _ body: () async throws -> Void) async throws {
        async let queues: Void = receiver.queues.run()
        try await body()
        receiver.queues.drain()
        await queues
    }

    @Test(
        "A postback is stored before it is answered, with its time and origin, and each outcome has its answer and count"
    )
    func outcomes() async throws {
        let keys = try TestKeys()
        let registry = PrometheusRegistry()
        let receiver = try await withMetricsFactory(registry) {
            try await Self.receiver(keys, over: store, clock: WallClock { 1_700_000_000_000 })
        }
        var postback = TestPostback { $0.version = "4.0" }
        let origin = DeliveryOrigin(address: IPAddress("192.0.2.9"), userAgent: "Phone/1")
        // The counters are made when the first answer is counted.
        try await withMetricsFactory(registry) {
            try await run(receiver) {
                for (value, coarse, expected): (Int?, String?, PostbackAnswer) in [
                    (3, nil, .stored(.accepted)), (3, nil, .stored(.duplicate)), (2, nil, .stored(.duplicate)),
                    (9, nil, .stored(.raised)), (nil, "high", .stored(.conflict)),
                ] {
                    postback.conversionValue = value
                    postback.coarseConversionValue = coarse
                    let body = try postback.body(keys.postbackKeyP256)
                    let answer = await Self.answer(of: receiver, to: body, from: origin)
                    #expect(answer.detail == expected.detail)
                    #expect(answer.outcome == expected.outcome)
                }
            }
        }
        let stored = try await database.value(
            """
            SELECT concat_ws('|', extract(epoch FROM received_at)::bigint, host(source_address), user_agent)
              FROM attribution.postback_body ORDER BY position, ordinal LIMIT 1
            """)
        #expect(stored == "1700000000|192.0.2.9|Phone/1")
        let exposition = registry.exposition()
        for (outcome, count) in [("accepted", 1), ("duplicate", 3), ("raised", 1)] {
            let labels = "environment=\"test\",outcome=\"\(outcome)\",protocol=\"skadnetwork\",version=\"4.0\""
            #expect(exposition.contains("adattribution_postbacks_total{\(labels)} \(count)\n"))
        }
        #expect(exposition.contains("adattribution_postback_conflicts_total 1\n"))
        #expect(exposition.contains("adattribution_postback_duration_seconds_count 5\n"))
    }

    @Test("What is refused is kept before it is answered, but for a body that is too large")
    func refusals() async throws {
        let keys = try TestKeys()
        let other = try TestKeys()
        let receiver = try await Self.receiver(keys, over: store)
        let foreign = try TestPostback { $0.adNetworkID = "other.skadnetwork" }.body(keys.postbackKey)
        let bodies: [([UInt8], PostbackOutcome)] = [
            (Array("{".utf8), .malformed), ([], .malformed), (foreign, .unknownNetwork),
            (try TestPostback().body(other.postbackKey), .invalidSignature),
            (try TestPostback { $0.version = "9.0" }.body(keys.postbackKey), .unsupportedVersion),
            (Array(repeating: 0x20, count: 16_385), .tooLarge),
        ]
        try await run(receiver) {
            for (body, outcome) in bodies {
                #expect(await Self.answer(of: receiver, to: body).outcome == outcome)
            }
        }
        let kept = try await database.column("SELECT reason FROM attribution.rejected_postback")
        #expect(
            kept.compactMap(\.self).sorted() == [
                "invalid_signature", "malformed", "malformed", "unknown_network", "unsupported_version",
            ])
        #expect(try await database.value("SELECT count(*) FROM attribution.postback") == "0")
    }

    @Test("While the server stops, a postback that waits for a row gets it, and is stored before it is answered")
    func draining() async throws {
        let keys = try TestKeys()
        let receiver = try await Self.receiver(keys, over: store, deadline: .seconds(600))
        let body = try TestPostback().body(keys.postbackKey)
        async let queues: Void = receiver.queues.run()
        let answer = try await database.holding("SELECT pg_advisory_xact_lock(7421001644)") {
            let answer = Task { await Self.answer(of: receiver, to: body) }
            try await database.waitForWaiters(1)
            receiver.queues.drain()
            return answer
        }
        #expect(await answer.value.outcome == .accepted)
        await queues
        #expect(try await database.value("SELECT count(*) FROM attribution.postback") == "1")
    }

    @Test("A full queue and a stopping server store nothing and say so at once", .database(lanes: 1))
    func unavailable() async throws {
        let keys = try TestKeys()
        let receiver = try await Self.receiver(keys, over: store, capacity: 1)
        let body = try TestPostback().body(keys.postbackKey)
        let first = Task { await Self.answer(of: receiver, to: body) }
        let refused = Task { await Self.answer(of: receiver, to: []) }
        while receiver.queues.depth + receiver.queues.rejections.depth < 2 { await Task.yield() }
        #expect(await Self.answer(of: receiver, to: body).outcome == .overloaded)
        #expect(await Self.answer(of: receiver, to: []).outcome == .overloaded)
        try await run(receiver) {
            #expect(await first.value.outcome == .accepted)
            #expect(await refused.value.outcome == .malformed)
        }
        #expect(await Self.answer(of: receiver, to: body).outcome == .storageUnavailable)
        #expect(await Self.answer(of: receiver, to: []).outcome == .storageUnavailable)
        #expect(try await database.value("SELECT count(*) FROM attribution.postback") == "1")
    }

    @Test("A database that fails is an answer for every postback of the batch, and the framework is known")
    func failedDatabase() async throws {
        let keys = try TestKeys()
        let receiver = try await Self.receiver(keys, over: store)
        try await database.run("DROP SCHEMA attribution CASCADE")
        let postback = try TestPostback().body(keys.postbackKey)
        let kitPostback = try TestAdAttributionKitPostback().body(keys.postbackKeyP256)
        try await run(receiver) {
            for (body, framework): ([UInt8], AttributionProtocol?) in [
                (postback, .skAdNetwork), (kitPostback, .adAttributionKit), ([], nil),
            ] {
                guard case .unavailable(.storage, let known) = await Self.answer(of: receiver, to: body) else {
                    Issue.record("the answer is not that nothing was stored")
                    continue
                }
                #expect(known == framework)
            }
        }
    }

    @Test("While a new line can't be added, its postback waits, and those of known lines are counted in all lanes")
    func lockedDimension() async throws {
        let keys = try TestKeys()
        // Longer than the machine takes for all of them, however busy it is.
        let receiver = try await Self.receiver(keys, over: store, deadline: .seconds(300))
        let known = TestPostback()
        let unknown = TestPostback { $0.campaignID = 99 }
        try await run(receiver) {
            #expect(await Self.answer(of: receiver, to: try known.body(keys.postbackKey)).outcome == .accepted)
            let waiting = try await database.holding("LOCK TABLE attribution.line IN EXCLUSIVE MODE") {
                let waiting = Task { await Self.answer(of: receiver, to: try unknown.body(keys.postbackKey)) }
                try await eventually("the new line waits") {
                    let waiting = try await database.value(
                        "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'attribution.line'::regclass")
                    return waiting == "0" ? nil : true
                }
                for _ in 0..<64 {
                    let body = try TestPostback().body(keys.postbackKey)
                    #expect(await Self.answer(of: receiver, to: body).outcome == .accepted)
                }
                #expect(try await database.value("SELECT count(*) FROM attribution.postback") == "65")
                return waiting
            }
            #expect(try await waiting.value.outcome == .accepted)
        }
        #expect(try await database.value("SELECT count(*) FROM attribution.postback") == "66")
        #expect(try await database.recount() == [])
    }
}
