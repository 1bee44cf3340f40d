import PostgresClient
import TestSupport
import Testing

@testable import Destinations
@testable import EventLog
@testable import Forwarding
@testable import PostbackStore

@Suite(
    "Dead letters", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .onEachDatabase, .database)
struct DeadLetterTests {
    private let fixture: StoreFixture
    private let store = PostbackStore.current

    init() throws {
        fixture = try StoreFixture()
    }

    /// A destination to which nothing was delivered.
    private func dead(_ count: Int) async throws -> (lease: Lease, page: ForwardedPage) {
        try await fixture.load()
        let lease = try await fixture.lease()
        let cursor = try await store.cursors(lease).live
        try await fixture.count(count)
        let page = try await fixture.unsent(after: cursor)
        let progress = try fixture.progress(page, from: cursor, failing: Set(0..<count), wait: nil)
        try await store.commitDeliveries(lease, progress)
        return (lease, page)
    }

    @Test("A dead letter has its request, the status and the first 2 KiB of the answer")
    func content() async throws {
        let (lease, page) = try await dead(1)
        let event = page.events[0].event
        var progress = DeliveryProgress()
        let request = StoreFixture.request(event.webhookID, body: nil)
        let answer = (0..<5_000).map { UInt8(truncatingIfNeeded: $0) }
        progress.fail(
            FailedDelivery(
                key: try #require(DeliveryKey(event)), transactionID: event.transactionID, kind: event.kind,
                receivedAt: event.receivedAt, attempt: 9, wait: nil, status: 1_000,
                error: "\u{0}" + String(repeating: "é", count: 600), answer: answer, request: request))
        try await store.commitDeliveries(lease, progress)
        let row = try #require(try await store.deliveries(of: StoreFixture.name, state: .dead, limit: 5).first)
        #expect(row.state == .dead && row.attempt == 9 && row.nextAt == nil && row.kind == "accepted")
        #expect(row.lastStatus == nil && row.lastError == String(repeating: "é", count: 500))
        #expect(row.answer == Array(answer.prefix(2_048)) && row.request == request && row.isSendable)
        #expect(row.receivedAt.microsecondsSince1970 == event.receivedAt)
    }

    @Test("Pages go from the newest event to the oldest, and each is in one of them")
    func pages() async throws {
        let (_, page) = try await dead(25)
        var keys: [DeliveryKey] = []
        while true {
            let rows = try await store.deliveries(
                of: StoreFixture.name, state: .dead, limit: 10, before: keys.last)
            keys += rows.map(\.key)
            if rows.isEmpty { break }
        }
        let order = keys.map { [$0.position, Int64($0.lane), Int64($0.ordinal)] }
        #expect(zip(order, order.dropFirst()).allSatisfy { $1.lexicographicallyPrecedes($0) })
        #expect(Set(keys.map(\.description)) == Set(page.events.map(\.event.id)) && keys.count == 25)
    }

    @Test("Those that somebody wants tried again are due at once, with the whole schedule; the others stay")
    func retry() async throws {
        let (lease, page) = try await dead(4)
        let keys = try page.events.map { try #require(DeliveryKey($0.event)) }
        let unknown = try #require(DeliveryKey("0-1-1"))
        #expect(try await store.retryDead(StoreFixture.name, .keys([keys[0], keys[2], unknown])) == 2)
        #expect(try await store.retryDead(StoreFixture.name, .keys([keys[0]])) == 0)
        let due = try await store.dueDeliveries(lease, limit: 10)
        #expect(Set(due.map(\.key)) == [keys[0], keys[2]] && due.allSatisfy { $0.attempt == 1 })
        #expect(try await store.retryDead(StoreFixture.name, .all) == 2)
        #expect(try await store.retryDead(StoreFixture.name, .all) == 0)
        #expect(try await store.dueDeliveries(lease, limit: 3).count == 3)
    }

    @Test("An event that could not become a request stays a dead letter")
    func unsendable() async throws {
        let (lease, page) = try await dead(1)
        let event = page.events[0].event
        var progress = DeliveryProgress()
        let request = StoreFixture.request(event.webhookID, body: nil)
        progress.fail(
            FailedDelivery(
                key: try #require(DeliveryKey(event)), transactionID: event.transactionID, kind: event.kind,
                receivedAt: event.receivedAt, attempt: 1, wait: nil, error: "the body has a member ip-address",
                request: request, isSendable: false))
        try await store.commitDeliveries(lease, progress)
        #expect(try await store.retryDead(StoreFixture.name, .all) == 0)
        let row = try #require(try await store.deliveries(of: StoreFixture.name, state: .dead, limit: 5).first)
        #expect(row.isSendable == false && row.lastError == "the body has a member ip-address")
    }

    @Test("They leave after their retention, counted from the last attempt; waiting ones stay")
    func retention() async throws {
        let (_, page) = try await dead(3)
        let key = try #require(DeliveryKey(page.events[0].event))
        #expect(try await store.retryDead(StoreFixture.name, .keys([key])) == 1)
        try await fixture.database.run(
            """
            UPDATE attribution.delivery SET last_failed_at = last_failed_at - interval '30 days'
             WHERE (lane, position, ordinal) IN ((\(key.lane), \(key.position), \(key.ordinal)))
                OR ctid = (SELECT max(ctid) FROM attribution.delivery WHERE state = 'dead')
            """)
        #expect(try await store.dropDead(olderThan: 31) == 0)
        #expect(try await store.dropDead(olderThan: 30) == 1)
        #expect(try await store.deliveries(of: StoreFixture.name, state: .dead, limit: 5).count == 1)
        #expect(try await store.deliveries(of: StoreFixture.name, state: .waiting, limit: 5).count == 1)
    }

    @Test("The name of a delivery is that of its event, in one spelling")
    func keys() {
        for good in ["0-42185168781313-2", "1023-1-0"] { #expect(DeliveryKey(good)?.description == good) }
        for bad in ["", "0-1", "0-1-2-3", "00-1-2", "+0-1-2", "0--1-2", "0-1-99999", "a-1-2", "0-1-2 "] {
            #expect(DeliveryKey(bad) == nil, "\(bad)")
        }
    }
}
