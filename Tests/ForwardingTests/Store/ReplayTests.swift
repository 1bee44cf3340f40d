import Foundation
import PostgresClient
import TestSupport
import Testing

@testable import Destinations
@testable import EventLog
@testable import Forwarding
@testable import PostbackStore

@Suite(
    "Days that a destination keeps, and days that are sent once more",
    .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .onEachDatabase, .database)
struct ReplayTests {
    private let fixture: StoreFixture
    private let store = PostbackStore.current
    private var database: TestDatabase { fixture.database }

    init() throws {
        fixture = try StoreFixture()
    }

    /// The UTC day so many days ago, by the database's clock.
    private func day(_ ago: Int) async throws -> PostgresDate {
        let text = try await database.value("SELECT ((clock_timestamp() AT TIME ZONE 'UTC')::date - \(ago))::text")
        return try #require(text.flatMap { PostgresDate($0) })
    }

    /// Counts postbacks as of so many days ago.
    private func count(_ number: Int, daysAgo days: Int) async throws {
        try await fixture.count(number)
        try await store.fold()
        try await store.foldAnswers()
        try await database.moveToday(back: days)
    }

    private func rules(days: Int32, readers: Int32? = nil) -> RetentionRules {
        var rules = RetentionRules()
        (rules.bodyDays, rules.logDays, rules.readerDays) = (days, days, readers)
        return rules
    }

    @Test("A day stays, with its bodies, until it was sent")
    func keptDay() async throws {
        try await fixture.load()
        try await count(6, daysAgo: 9)
        let held = try await store.dropExpiredDays(rules(days: 2))
        #expect(held.dropped.isEmpty && held.held.count == 2)
        #expect(held.held.allSatisfy { $0.readers == ["forward.branch"] })
        let lease = try await fixture.lease()
        let cursor = try await store.cursors(lease).live
        let page = try await fixture.unsent(after: cursor)
        #expect(page.events.count == 6 && page.events.allSatisfy { $0.event.body != nil })
        try await store.commitDeliveries(lease, try fixture.progress(page, from: cursor, failing: [0]))
        // The one that waits has all that it needs.
        #expect(try await store.dropExpiredDays(rules(days: 2)).dropped.count == 2)
        #expect(try await fixture.stored() == "1 5/1 5/1 1")
    }

    @Test("A destination whose reader was removed after its time is off; resumed, it gets what is counted from then on")
    func removedReader() async throws {
        try await fixture.load()
        try await count(6, daysAgo: 9)
        #expect(
            try await store.dropExpiredDays(rules(days: 2, readers: 5)).droppedReaders.map(\.reader) == [
                "forward.branch"
            ])
        #expect(try await store.takeLease(StoreFixture.name, UUID()) == nil)
        let off = try #require(try await store.destinations().first)
        #expect(off.state == .off && off.leader == nil)
        #expect(off.stateReason?.contains("READER_RETENTION_DAYS") ?? false)
        #expect(try await store.destinationStatuses().map(\.lagSeconds) == [0])
        try await fixture.count(2)
        try await store.resumeDestination(StoreFixture.name)
        try await fixture.count(3)
        let cursor = try await store.cursors(try await fixture.lease()).live
        #expect(try await fixture.unsent(after: cursor).events.count == 3)
    }

    @Test("A replay sends the days again from a reader of its own, to where the destination is; its cursor stays")
    func replay() async throws {
        for days in [9, 8, 7] { try await count(5, daysAgo: days) }
        try await fixture.load()
        let lease = try await fixture.lease()
        let live = try await store.cursors(lease).live
        try await fixture.count(4)
        try await store.replay(StoreFixture.name, from: try await day(8), to: try await day(0))
        await #expect(throws: ReplayError.running) {
            try await store.replay(StoreFixture.name, from: try await day(8), to: try await day(7))
        }
        let status = try #require(try await store.destinationStatuses().first?.replay)
        let (first, second, today) = (try await day(8), try await day(7), try await day(0))
        #expect(status == ReplayStatus(from: first, to: today, day: first))
        let (begin, end) = try #require(try await store.cursors(lease).replay)
        var cursor = begin
        var events: [String] = []
        while true {
            let page = try await store.forwardedEvents(after: cursor, upTo: end, limit: 3)
            #expect(page.events.count <= 3)
            events += page.events.map(\.event.id)
            var progress = DeliveryProgress()
            progress.replay = DeliveryProgress.Move(from: cursor, to: page.next)
            try await store.commitDeliveries(lease, progress)
            cursor = page.next
            if page.isAtEnd { break }
        }
        #expect(cursor == end)
        // What is new, the destination gets from its own reader.
        let expected = try await database.column(
            """
            SELECT concat_ws('-', lane, position, ordinal) FROM attribution.postback_log
             WHERE attribution.day_of_writing(position) IN ('\(first)', '\(second)')
            """)
        #expect(events.sorted() == expected.compactMap(\.self).sorted() && events.count == 10)
        let after = try await store.cursors(lease)
        #expect(after.live == live && after.replay == nil)
        #expect(try await store.destinationStatuses().first?.replay == nil)
        #expect(
            try await database.value("SELECT count(*) FROM attribution.log_reader WHERE reader LIKE 'replay.%'") == "0")
        // It may be done again, for one day.
        try await store.replay(StoreFixture.name, from: try await day(9), to: try await day(9))
        let one = try #require(try await store.cursors(lease).replay)
        let page = try await store.forwardedEvents(after: one.cursor, upTo: one.end, limit: 100)
        #expect(page.events.count == 5 && page.isAtEnd && page.next == one.end)
    }

    @Test("A replay whose reader was removed is over, and another one may begin")
    func removedReplay() async throws {
        try await count(5, daysAgo: 9)
        try await fixture.load()
        let (first, lease) = (try await day(9), try await fixture.lease())
        try await store.replay(StoreFixture.name, from: first, to: first)
        try await database.run("DELETE FROM attribution.log_reader WHERE reader = 'replay.branch'")
        #expect(try await store.destinationStatuses().first?.replay == nil)
        #expect(try await store.cursors(lease).replay == nil)
        try await store.replay(StoreFixture.name, from: first, to: first)
        #expect(try await store.cursors(lease).replay != nil)
    }

    @Test("Days that were dropped, days that the destination gets anyway, and strangers are refused")
    func refused() async throws {
        try await count(5, daysAgo: 9)
        try await fixture.load()
        try await fixture.count(2)
        await #expect(throws: ReplayError.nothing) {
            try await store.replay(StoreFixture.name, from: try await day(-1), to: try await day(-1))
        }
        await #expect(throws: ReplayError.unknown) {
            try await store.replay(try #require(DestinationName("other")), from: try await day(9), to: try await day(0))
        }
        let lease = try await fixture.lease()
        let cursor = try await store.cursors(lease).live
        try await store.commitDeliveries(
            lease, try fixture.progress(try await fixture.unsent(after: cursor), from: cursor))
        #expect(try await store.dropExpiredDays(rules(days: 2)).dropped.count == 2)
        await #expect(throws: ReplayError.dropped) {
            try await store.replay(StoreFixture.name, from: try await day(9), to: try await day(9))
        }
    }
}
