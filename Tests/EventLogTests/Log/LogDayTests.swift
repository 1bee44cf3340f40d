import Encodings
import Foundation
import PostgresClient
import Synchronization
import TestSupport
import Testing

@testable import AdAttribution
@testable import EventLog
@testable import PostbackStore

/// Days of writing: the change at midnight, and days that have no partition.
@Suite("Reading the log over days", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason))
struct LogDayTests {
    private let writing: LogWriting
    /// A day that is past; the lanes begin here.
    private let first = PostgresDate("2026-10-01") ?? PostgresDate(daysSince2000: 9_770)

    init() throws {
        writing = try LogWriting()
    }

    private func day(_ number: Int32) -> PostgresDate {
        PostgresDate(daysSince2000: first.daysSince2000 + number)
    }

    /// A database of two lanes that were never written in, as it was on the first day.
    private func open() async throws -> (TestDatabase, PostgresPool) {
        let database = TestDatabase.current
        try await database.run("UPDATE attribution.lane_day SET day = '\(first)'")
        return (database, try database.openPool(size: 12))
    }

    private func place(_ day: Int32, _ number: Int64 = 0, _ ordinal: Int16 = 0) throws -> LogPlace {
        try #require(LogPlace(position: WritingDay.firstPosition(self.day(day)) + number, ordinal: ordinal))
    }

    @Test(
        "With writers on both sides of midnight, each event is read once and in order", .database(lanes: 2),
        arguments: 1...3)
    func midnight(_ seed: Int) async throws {
        let (database, pool) = try await open()
        let slow = SetClock(first, 86_399)
        let quick = SetClock(first, 86_399)
        let stores = [PostbackStore(pool: pool, clock: slow.now), PostbackStore(pool: pool, clock: quick.now)]
        let areDone = Atomic(false)
        async let writers: Void = withThrowingTaskGroup(of: Void.self) { group in
            defer { areDone.store(true, ordering: .releasing) }
            for (writer, store) in (stores + stores).enumerated() {
                group.addTask {
                    for batch in 0..<20 {
                        // The second store's clock is ahead; the first one's follows.
                        if writer == 1, batch == 7 { quick.set(day(1), 0) }
                        if writer == 0, batch == 13 { slow.set(day(1), 0) }
                        try await writing.record((0..<4).map { _ in try writing.delivery() }, to: store)
                    }
                }
            }
            try await group.waitForAll()
        }
        var random = SeededGenerator(seed: UInt64(seed))
        var events: [LogEvent] = []
        var cursor = LogCursor.start
        while !areDone.load(ordering: .acquiring) {
            let page = try await stores[0].events(after: cursor, limit: Int.random(in: 1...30, using: &random))
            events += page.events
            cursor = page.next
        }
        try await writers
        events += try await stores[1].read(after: cursor).events
        #expect(events.count == 320)
        #expect(events.textByLane == (try await database.log()))
        #expect(Set(events.map(\.place.day)) == [day(0), day(1)])
    }

    @Test("A batch of the day before that is not committed keeps its lane's cursor in that day", .database(lanes: 2))
    func heldAtMidnight() async throws {
        let (database, pool) = try await open()
        let before = PostbackStore(pool: pool, clock: SetClock(first, 86_399).now)
        let after = PostbackStore(pool: pool, clock: SetClock(day(1), 0).now)
        let lanes = try await before.lanes()
        try await writing.record([try writing.delivery()], to: before)
        let start = try await before.read()
        try await database.makeCommitsWait(lane: 0, of: first)
        let last = try writing.deliveries(3, lane: 0, of: lanes)
        let next = try writing.deliveries(3, lane: 0, of: lanes)
        var seen = start.events
        var cursor = start.next
        try await withThrowingTaskGroup(of: Void.self) { group in
            try await database.holding("SELECT pg_advisory_xact_lock(99)") {
                group.addTask { try await writing.record(last, to: before) }
                try await database.waitForWaiter()
                // The lane's day can't move on: it waits for the lane.
                group.addTask { try await writing.record(next, to: after) }
                try await database.waitForWaiter("query LIKE '-- lane_lock%' AND wait_event = 'advisory'")
                try await writing.record(try writing.deliveries(2, lane: 1, of: lanes), to: after)
                let page = try await after.read(after: cursor)
                #expect(page.events.map(\.lane) == [1, 1])
                #expect(page.next[0].day <= first && page.next[1].day == day(1))
                seen += page.events
                cursor = page.next
            }
            try await group.waitForAll()
        }
        let rest = try await after.read(after: cursor, limit: 1)
        #expect(rest.events.map(\.place.day) == Array(repeating: first, count: 3) + Array(repeating: day(1), count: 3))
        #expect((seen + rest.events).textByLane == (try await database.log()))
    }

    @Test(
        "A reader skips days without a partition; one that did not read a dropped day to its end is refused",
        .database(lanes: 2))
    func missingDays() async throws {
        let (database, pool) = try await open()
        let clock = SetClock(first)
        let store = PostbackStore(pool: pool, clock: clock.now)
        let lanes = try await store.lanes()
        var ends: [Int32: LogCursor] = [:]
        // Partitions are made eight days ahead: between the days 0 to 9 and 25 there are some that were never made.
        for number: Int32 in [0, 1, 2, 25] {
            clock.set(day(number))
            for lane in 0..<2 {
                try await writing.record(try writing.deliveries(3, lane: lane, of: lanes), to: store)
            }
            ends[number] = try await store.read().next
        }
        #expect(
            try await database.value("SELECT to_regclass('attribution.\(WritingDay.logPartition(day(15)))')") == nil
        )
        let whole = try await store.read()
        #expect(whole.events.textByLane == (try await database.log()))
        #expect(whole.events.count == 24)
        for number: Int32 in [0, 1] {
            let partition = WritingDay.logPartition(day(number))
            try await database.run(
                """
                INSERT INTO attribution.dropped_place (lane, position, ordinal)
                SELECT lane, position, max(ordinal) FROM attribution.\(partition) GROUP BY lane, position
                ON CONFLICT (lane) DO UPDATE SET position = excluded.position, ordinal = excluded.ordinal;
                ALTER TABLE attribution.postback_log DETACH PARTITION attribution.\(partition);
                DROP TABLE attribution.\(partition);
                """)
            let end = try #require(ends[number])
            for cursor in [LogCursor([0: try place(number, 1, 2)]), LogCursor([1: try place(0)])] {
                await #expect(throws: LogError.cursorExpired) { try await store.events(after: cursor, limit: 5) }
            }
            for cursor in [.start, end] {
                let rest = try await store.read(after: cursor, limit: 5)
                let days: [Int32] = number == 0 ? [1, 2, 25] : [2, 25]
                #expect(Set(rest.events.map(\.place.day)) == Set(days.map(day)))
                #expect(rest.events.count == 6 * days.count)
                #expect(rest.next == whole.next)
            }
        }
    }

    @Test("A cursor moves to the lane's day of writing, even if nothing happened since", .database(lanes: 2))
    func emptyDays() async throws {
        let (database, pool) = try await open()
        let clock = SetClock(first)
        let store = PostbackStore(pool: pool, clock: clock.now)
        let lanes = try await store.lanes()
        try await writing.record(try writing.deliveries(1, lane: 0, of: lanes), to: store)
        clock.set(day(30))
        try await writing.record(try writing.deliveries(1, lane: 0, of: lanes), to: store)
        try await database.run("UPDATE attribution.lane_day SET day = '\(day(40))'")
        let page = try await store.events(after: .start, limit: 10)
        #expect(page.events.count == 2 && page.isAtEnd)
        #expect(page.next == LogCursor([0: try place(40), 1: try place(40)]))
        clock.set(day(40))
        try await writing.record(try writing.deliveries(2, lane: 1, of: lanes), to: store)
        #expect(try await store.events(after: page.next, limit: 10).events.count == 2)
    }

    @Test("A lane that a cursor does not name is read from its beginning", .database(lanes: 2))
    func newLane() async throws {
        let (_, pool) = try await open()
        let store = PostbackStore(pool: pool, clock: SetClock(first).now)
        let lanes = try await store.lanes()
        for lane in 0..<2 { try await writing.record(try writing.deliveries(3, lane: lane, of: lanes), to: store) }
        let whole = try await store.read()
        let rest = try await store.read(after: LogCursor([0: whole.next[0]]))
        #expect(rest.events.map(\.lane) == [1, 1, 1])
        #expect(rest.next == whole.next)
    }

    @Test(
        "A cursor that points to no event is refused; one that points to the beginning of any day is not",
        .database(lanes: 2))
    func madeUp() async throws {
        let (_, pool) = try await open()
        let store = PostbackStore(pool: pool, clock: SetClock(first).now)
        let lanes = try await store.lanes()
        for lane in 0..<2 { try await writing.record(try writing.deliveries(3, lane: lane, of: lanes), to: store) }
        let known = try await store.read().next
        let last = try #require(LogPlace(position: .max, ordinal: .max))
        // In the future, of a lane that is not there, at an ordinal that does not exist, at a batch that does not.
        for (lane, place): (Int16, LogPlace) in [
            (0, last), (77, try place(0, 5)), (0, try place(0, 1, .max)), (0, try place(0, 900, 1)),
            (1, try place(400, 1, 1)),
        ] {
            var places = known.places
            places[lane] = place
            await #expect(throws: LogError.cursorUnknown) {
                try await store.events(after: LogCursor(places), limit: 10)
            }
        }
        let future = try await store.cursor(at: day(1))
        let page = try await store.events(after: future, limit: 10)
        #expect(page.events.isEmpty && page.isAtEnd && page.next == future)
        let past = try await store.cursor(at: day(-9))
        #expect(try await store.events(after: past, limit: 10).events.count == 6)
    }
}
