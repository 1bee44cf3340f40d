import PostgresClient
import TestSupport
import Testing

@testable import Destinations
@testable import EventLog
@testable import Forwarding
@testable import PostbackStore

@Suite(
    "Stored destinations", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .onEachDatabase,
    .database)
struct DestinationStoreTests {
    private let fixture: StoreFixture
    private let store = PostbackStore.current

    init() throws {
        fixture = try StoreFixture()
    }

    @Test("A file is stored byte for byte; another one takes its place, the same one changes nothing, a trial neither")
    func load() async throws {
        let (file, other) = (fixture.document(), fixture.document(url: "https://example.com/b"))
        func load(_ file: [UInt8], dryRun: Bool = false) async throws -> DestinationChange {
            try await store.loadDestination(file, by: "system user test", dryRun: dryRun)
        }
        #expect(try await load(file, dryRun: true) == .added)
        #expect(try await store.destinations().isEmpty)
        #expect(try await load(file) == .added)
        let cursor = try await store.cursors(try await fixture.lease()).live
        try await fixture.count(5)
        #expect(try await load(file) == .unchanged)
        #expect(try await load(other, dryRun: true) == .changed)
        #expect(try await store.destinations().map(\.document) == [String(decoding: file, as: UTF8.self)])
        #expect(try await load(other) == .changed)
        let stored = try #require(try await store.destinations().first)
        #expect(Array(stored.document.utf8) == other)
        #expect(try stored.destination == Destination(document: other))
        #expect(stored.state == .active && stored.loadedBy == "system user test")
        // It goes on where it was.
        try await fixture.endLeases()
        #expect(try await store.cursors(try await fixture.lease()).live == cursor)
        await #expect(throws: DestinationProblems.self) { try await load(Array(#"{"name": "branch"}"#.utf8)) }
    }

    @Test("A new destination gets what is counted from then on")
    func beginning() async throws {
        try await fixture.count(20)
        try await fixture.load()
        let cursor = try await store.cursors(try await fixture.lease()).live
        #expect(try await fixture.unsent(after: cursor).events.isEmpty)
        try await fixture.count(7)
        #expect(try await fixture.unsent(after: cursor).events.count == 7)
    }

    @Test("A destination leaves with its readers and deliveries; its statistics stay, and others have theirs")
    func remove() async throws {
        try await fixture.load()
        _ = try await store.loadDestination(fixture.document("other"), by: "system user test", dryRun: false)
        let lease = try await fixture.lease()
        let cursor = try await store.cursors(lease).live
        try await fixture.count(4)
        let page = try await fixture.unsent(after: cursor)
        try await store.commitDeliveries(lease, try fixture.progress(page, from: cursor, failing: [0], wait: nil))
        #expect(try await store.removeDestination(StoreFixture.name))
        #expect(try await store.removeDestination(StoreFixture.name) == false)
        #expect(try await store.destinations().map(\.destination.name.description) == ["other"])
        let left = try await fixture.database.column(
            """
            SELECT DISTINCT reader FROM attribution.log_reader WHERE reader LIKE '%.%'
            UNION ALL SELECT 'deliveries ' || count(*) FROM attribution.delivery
            UNION ALL SELECT 'sent ' || sum(sent) FROM attribution.report_delivery
            """)
        #expect(left == ["forward.other", "deliveries 0", "sent 3"])
    }

    @Test(
        "The status counts what waits, what is dead, and what was done in 24 hours; the lag is the oldest unsent event's"
    )
    func status() async throws {
        try await fixture.load()
        let lease = try await fixture.lease()
        let cursor = try await store.cursors(lease).live
        try await fixture.count(10)
        let page = try await fixture.unsent(after: cursor)
        var progress = try fixture.progress(page, from: cursor, failing: [0, 1])
        progress.fail(try fixture.failed(page.events[2].event, wait: nil))
        progress.statistics.dead += 1
        (progress.isBreakerOpen, progress.problem) = (true, "secret branch-token is missing")
        try await store.commitDeliveries(lease, progress)
        // The rate is that of two minutes, which may be over when the status is read.
        let later = try #require(try await fixture.database.value("SELECT now() + interval '1 hour'"))
        try await fixture.database.run("UPDATE attribution.delivery_minute SET minute = '\(later)'")
        try await fixture.database.run(
            """
            INSERT INTO attribution.delivery_minute (destination, minute, sent, failed, dead)
            VALUES ('branch', now() - interval '2 hours', 100, 10, 1), ('branch', now() - interval '25 hours', 7, 7, 7)
            """)
        let status = try #require(try await store.destinationStatuses().first)
        #expect(status.name == StoreFixture.name && status.state == .active)
        #expect(status.waiting == 2 && status.dead == 1)
        #expect(status.sentDay == 108 && status.failedDay == 12 && status.deadDay == 2)
        #expect(status.lagSeconds == 0 && status.sentPerSecond > 0)
        #expect(status.isBreakerOpen && status.problem == "secret branch-token is missing" && status.replay == nil)
        try await fixture.count(1)
        // A literal, since Citus does not compute a time in an UPDATE of shards.
        let earlier = try #require(try await fixture.database.value("SELECT now() - interval '1 hour'"))
        try await fixture.database.run("UPDATE attribution.postback_log SET written_at = '\(earlier)'")
        let lag = try #require(try await store.destinationStatuses().first).lagSeconds
        #expect((3_600..<7_200).contains(lag))
    }

    @Test("No probe and no missing secret is told of a destination that is paused: nobody sends")
    func pausedStatus() async throws {
        try await fixture.load()
        var progress = DeliveryProgress()
        (progress.isBreakerOpen, progress.problem) = (true, "secret branch-token is missing")
        try await store.commitDeliveries(try await fixture.lease(), progress)
        try await store.pauseDestination(StoreFixture.name, reason: "maintenance")
        let status = try #require(try await store.destinationStatuses().first)
        #expect(status.state == .paused && !status.isBreakerOpen && status.problem == nil)
    }

    @Test("A file that this version can't read stops its destination only, and the status says so")
    func unreadable() async throws {
        try await fixture.load()
        _ = try await store.loadDestination(fixture.document("other"), by: "system user test", dryRun: false)
        try await fixture.database.run(
            #"UPDATE attribution.destination SET document = '{"name": "branch"}' WHERE name = 'branch'"#)
        #expect(try await store.destinations().map(\.destination.name.description) == ["other"])
        let problems = try await store.destinationStatuses().map(\.problem)
        #expect(problems.count == 2 && problems[1] == nil)
        #expect(problems[0]?.hasPrefix("this version can't read its file: line 1") ?? false)
    }
}
