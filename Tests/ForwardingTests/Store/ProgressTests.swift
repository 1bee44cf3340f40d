import Foundation
import PostgresClient
import TestSupport
import Testing

@testable import Destinations
@testable import EventLog
@testable import Forwarding
@testable import PostbackStore

@Suite(
    "What senders store", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .onEachDatabase, .database)
struct ProgressTests {
    private let fixture: StoreFixture
    private let store = PostbackStore.current

    init() throws {
        fixture = try StoreFixture()
    }

    /// A destination with unsent events.
    private func begin(_ events: Int) async throws -> (lease: Lease, cursor: LogCursor, page: ForwardedPage) {
        try await fixture.load()
        let lease = try await fixture.lease()
        let cursor = try await store.cursors(lease).live
        try await fixture.count(events)
        return (lease, cursor, try await fixture.unsent(after: cursor))
    }

    @Test("The cursor, the failures and the statistics are stored together or not at all")
    func oneTransaction() async throws {
        let (lease, cursor, page) = try await begin(6)
        let whole = try fixture.progress(page, from: cursor, failing: [2])
        // Somebody else has moved the reader.
        var moved = whole
        moved.move = DeliveryProgress.Move(from: page.next, to: page.next)
        await #expect(throws: LogReaderError.moved) { try await store.commitDeliveries(lease, moved) }
        #expect(try await fixture.stored() == "0 0/0 0/0 0")
        // The database refuses a row, after the reader was moved.
        var refused = whole
        refused.fail(try fixture.failed(page.events[3].event, attempt: -1, wait: .seconds(1)))
        await #expect(throws: PostgresError.self) { try await store.commitDeliveries(lease, refused) }
        #expect(try await fixture.stored() == "0 0/0 0/0 0")
        #expect(try await store.cursors(lease).live == cursor)
        try await store.commitDeliveries(lease, whole)
        #expect(try await fixture.stored() == "1 5/1 5/1 1")
        #expect(try await store.cursors(lease).live == page.next)
        // The same commit again, as if its answer was lost.
        await #expect(throws: LogReaderError.moved) { try await store.commitDeliveries(lease, whole) }
        #expect(try await fixture.stored() == "1 5/1 5/1 1")
    }

    @Test("A failed delivery is due after its wait, with its request; delivered, its row goes")
    func retry() async throws {
        let (lease, cursor, page) = try await begin(3)
        var progress = try fixture.progress(page, from: cursor, failing: [0], wait: .zero)
        progress.fail(try fixture.failed(page.events[1].event, wait: .seconds(3_600)))
        try await store.commitDeliveries(lease, progress)
        let due = try await store.dueDeliveries(lease, limit: 10)
        let event = page.events[0].event
        let row = try #require(due.first)
        #expect(due.count == 1 && row.eventID == event.id && row.transactionID == event.transactionID)
        #expect(row.kind == .accepted && row.receivedAt == event.receivedAt && row.attempt == 1)
        #expect(row.request == StoreFixture.request(event.webhookID, body: event.body))
        #expect(row.request.body != nil)
        var again = DeliveryProgress()
        again.fail(try fixture.failed(event, attempt: 2, wait: .seconds(3_600)))
        try await store.commitDeliveries(lease, again)
        #expect(try await store.dueDeliveries(lease, limit: 10).isEmpty)
        let stored = try #require(try await store.delivery(of: StoreFixture.name, row.key))
        #expect(stored.attempt == 2 && stored.state == .waiting && stored.lastStatus == 503)
        #expect(stored.nextAt.map { $0 > stored.firstFailedAt } ?? false)
        var done = DeliveryProgress()
        done.deliver(row.key)
        done.statistics.deliver(latency: 9_000, isRetry: true)
        try await store.commitDeliveries(lease, done)
        #expect(try await store.delivery(of: StoreFixture.name, row.key) == nil)
        #expect(try await store.deliveries(of: StoreFixture.name, state: .waiting, limit: 10).count == 1)
        let numbers = try await fixture.database.value(
            "SELECT concat_ws(' ', sent, retried, failed, dead, waiting) FROM attribution.report_delivery")
        #expect(numbers == "3 1 1 0 1")
    }

    @Test("Of one event the last thing that was said in a commit counts")
    func lastWord() async throws {
        let (lease, cursor, page) = try await begin(2)
        var progress = try fixture.progress(page, from: cursor)
        let keys = try page.events.map { try #require(DeliveryKey($0.event)) }
        progress.fail(try fixture.failed(page.events[0].event, wait: .seconds(1)))
        progress.deliver(keys[0])
        progress.deliver(keys[1])
        progress.fail(try fixture.failed(page.events[1].event, wait: .seconds(1)))
        try await store.commitDeliveries(lease, progress)
        let rows = try await store.deliveries(of: StoreFixture.name, state: .waiting, limit: 10)
        #expect(rows.map(\.key) == [keys[1]])
    }

    @Test("Failures in a row last from the first one until something was delivered")
    func failing() async throws {
        let (lease, _, _) = try await begin(1)
        func note(_ failures: Int, delivered: Bool = false) async throws -> StoredDestination {
            var progress = DeliveryProgress()
            progress.failures = failures
            if delivered { progress.statistics.deliver(latency: 1, isRetry: false) }
            try await store.commitDeliveries(lease, progress)
            return try #require(try await store.destinations().first)
        }
        let first = try #require(try await note(1).failingSince)
        let third = try await note(3)
        #expect(third.failingSince == first && third.failures == 3)
        let after = try #require(try await note(1, delivered: true).failingSince)
        #expect(after > first)
        let none = try await note(0, delivered: true)
        #expect(none.failingSince == nil && none.failingTime == nil && none.failures == 0)
    }

    @Test("A changed file begins as if nothing had failed, whatever a sender of the earlier one still stores")
    func changedFile() async throws {
        let (lease, cursor, page) = try await begin(3)
        var progress = try fixture.progress(page, from: cursor, failing: [0], wait: .zero)
        progress.failures = 20
        progress.isBreakerOpen = true
        progress.problem = "secret token is missing"
        try await store.commitDeliveries(lease, progress)
        #expect(try await store.dueDeliveries(lease, limit: 10).map(\.isOfEarlierFile) == [false])
        let file = fixture.document(url: "https://example.com/b")
        #expect(try await store.loadDestination(file, by: "system user test", dryRun: false) == .changed)
        var late = DeliveryProgress()
        late.failures = 21
        late.isBreakerOpen = true
        late.offReason = "the receiver answered 410 Gone"
        late.fail(try fixture.failed(page.events[2].event, wait: .zero))
        try await store.commitDeliveries(lease, late)
        let stored = try #require(try await store.destinations().first)
        #expect(stored.failures == 0 && stored.failingSince == nil && stored.state == .active)
        let status = try #require(try await store.destinationStatuses().first)
        #expect(!status.isBreakerOpen && status.problem == nil)
        try await store.release(lease)
        let next = try await fixture.lease()
        #expect(next.loadedAt == stored.loadedAt && next.loadedAt > lease.loadedAt)
        var own = DeliveryProgress()
        own.fail(try fixture.failed(page.events[1].event, wait: .zero))
        own.failures = 1
        try await store.commitDeliveries(next, own)
        #expect(try await store.destinations().map(\.failures) == [1])
        let due = try await store.dueDeliveries(next, limit: 10)
        #expect(due.filter { !$0.isOfEarlierFile }.map(\.eventID) == [page.events[1].event.id])
        #expect(due.count == 3)
    }

    @Test("A replay is counted apart: in no latency, neither when it is sent nor when it is tried again")
    func replayed() async throws {
        let (lease, cursor, page) = try await begin(2)
        var progress = try fixture.progress(page, from: cursor)
        progress.statistics.deliver(latency: 864_000_000, isRetry: false, isReplay: true)
        progress.statistics.deliver(latency: 864_000_000, isRetry: true, isReplay: true)
        let request = StoreFixture.request(page.events[0].event.webhookID, body: nil)
        for (number, item) in page.events.enumerated() {
            progress.fail(
                FailedDelivery(
                    key: try #require(DeliveryKey(item.event)), transactionID: item.event.transactionID,
                    kind: item.event.kind, receivedAt: item.event.receivedAt, attempt: 1, wait: .zero,
                    error: "status 503",
                    request: request, isReplay: number == 1))
        }
        try await store.commitDeliveries(lease, progress)
        try await fixture.database.expect(
            """
            SELECT sent, retried, replayed, p99_ms FROM attribution.report_delivery WHERE sent > 0
            """,
            """
            sent  retried  replayed  p99_ms
            2     0        2         50
            """)
        #expect(try await store.destinationStatuses().map(\.sentDay) == [2])
        let rows = try await store.dueDeliveries(lease, limit: 10)
        let replays = rows.filter(\.isReplay).map(\.eventID)
        #expect(rows.count == 2 && replays == [page.events[1].event.id])
        // What has a row of its first time is no replay, whoever sends it again.
        var again = DeliveryProgress()
        again.fail(
            FailedDelivery(
                key: rows[0].key, transactionID: rows[0].transactionID, kind: rows[0].kind,
                receivedAt: rows[0].receivedAt, attempt: 2, wait: .zero, error: "status 503", request: request,
                isReplay: !rows[0].isReplay))
        try await store.commitDeliveries(lease, again)
        let after = try await store.dueDeliveries(lease, limit: 10)
        #expect(after.filter(\.isReplay).map(\.eventID) == replays)
    }

    @Test("Latencies are shown as the bounds within which they lie")
    func quantiles() async throws {
        let (lease, _, _) = try await begin(1)
        var progress = DeliveryProgress()
        let counts: [(latency: Int64, count: Int)] = [(0, 40), (15, 50), (1_001, 8), (60_001, 1), (1_000_000, 1)]
        for (latency, count) in counts {
            for _ in 0..<count { progress.statistics.deliver(latency: latency, isRetry: false) }
        }
        try await store.commitDeliveries(lease, progress)
        try await store.commitDeliveries(lease, progress)
        let row = try await fixture.database.value(
            "SELECT concat_ws(' ', sent, p50_ms, p95_ms, p99_ms) FROM attribution.report_delivery")
        #expect(row == "200 20 2000 Infinity")
        let bounds = try await fixture.database.column("SELECT unnest(attribution.latency_bounds())::text")
        #expect(bounds == DeliveryStatistics.bounds.map { "\($0)" } + ["Infinity"])
    }
}
