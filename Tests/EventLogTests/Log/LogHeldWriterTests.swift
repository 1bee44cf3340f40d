import Foundation
import PostgresClient
import TestSupport
import Testing

@testable import AdAttribution
@testable import EventLog
@testable import PostbackStore

/// Transactions that are open elsewhere while the log is read.
@Suite("Reading the log beside open transactions", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason))
struct LogHeldWriterTests {
    private let writing: LogWriting

    init() throws {
        writing = try LogWriting()
    }

    /// A database of two lanes.
    private func open() async throws -> (TestDatabase, PostbackStore, LaneMap) {
        let database = TestDatabase.current
        let store = PostbackStore(pool: try database.openPool(size: 8))
        return (database, store, try await store.lanes())
    }

    @Test(
        "A snapshot and a writing transaction that stay open elsewhere block no reader and hide nothing",
        .database(lanes: 2))
    func openTransaction() async throws {
        let (database, store, lanes) = try await open()
        try await writing.record(try writing.deliveries(3, lane: 0, of: lanes), to: store)
        let (before, cursor) = try await store.read()
        try await database.run("CREATE TABLE public.other (n integer)")
        let (during, next) = try await database.holding(
            "SELECT count(*) FROM attribution.postback_log; INSERT INTO public.other VALUES (1)",
            isolation: .repeatableRead
        ) {
            for lane in 0..<2 {
                try await writing.record(try writing.deliveries(4, lane: lane, of: lanes), to: store)
            }
            return try await store.read(after: cursor)
        }
        #expect(before.count == 3 && during.count == 8)
        #expect((before + during).textByLane == (try await database.log()))
        #expect(try await store.read(after: next).events.isEmpty)
    }

    @Test("A batch that is written but not committed is read later, and no cursor passes it", .database(lanes: 2))
    func uncommittedBatch() async throws {
        let (database, store, lanes) = try await open()
        let day = PostgresDate(PostbackStore.now())
        try await writing.record(try writing.deliveries(2, lane: 0, of: lanes), to: store)
        let first = try await store.read()
        try await database.makeCommitsWait(lane: 0, of: day)
        let held = try writing.deliveries(5, lane: 0, of: lanes)
        let later = try writing.deliveries(3, lane: 0, of: lanes)
        var seen = first.events
        var cursor = first.next
        try await withThrowingTaskGroup(of: Void.self) { group in
            try await database.holding("SELECT pg_advisory_xact_lock(99)") {
                group.addTask { try await writing.record(held, to: store) }
                try await database.waitForWaiter()
                group.addTask { try await writing.record(later, to: store) }
                // The other lane goes on.
                for _ in 0..<5 {
                    try await writing.record(try writing.deliveries(1, lane: 1, of: lanes), to: store)
                    let page = try await store.read(after: cursor)
                    #expect(page.events.map(\.lane) == [1])
                    #expect(page.next[0] == first.next[0])
                    seen += page.events
                    cursor = page.next
                }
            }
            try await group.waitForAll()
        }
        let rest = try await store.read(after: cursor, limit: 2)
        #expect(rest.events.count == 8)
        #expect((seen + rest.events).textByLane == (try await database.log()))
    }

    @Test("A session that holds a lane's lock and writes nothing hides nothing of the lane", .database(lanes: 2))
    func heldLane() async throws {
        let (database, store, lanes) = try await open()
        for lane in 0..<2 { try await writing.record(try writing.deliveries(2, lane: lane, of: lanes), to: store) }
        let events = try await database.holding("SELECT pg_advisory_xact_lock(742100164, 0)") {
            try await store.read().events
        }
        #expect(events.textByLane == (try await database.log()))
        #expect(events.count == 4)
    }

    @Test(
        "A batch whose backend ends before the commit is not in the log, and is read once after the next attempt",
        .database(lanes: 2))
    func endedBackend() async throws {
        let (database, store, lanes) = try await open()
        let day = PostgresDate(PostbackStore.now())
        try await writing.record(try writing.deliveries(1, lane: 0, of: lanes), to: store)
        let first = try await store.read()
        try await database.makeCommitsWait(lane: 0, of: day)
        let deliveries = try writing.deliveries(5, lane: 0, of: lanes)
        let results = try await database.holding("SELECT pg_advisory_xact_lock(99)") {
            async let results = store.record(deliveries)
            try await database.waitForWaiter()
            #expect(try await store.read(after: first.next).events.isEmpty)
            try await database.run(
                """
                SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
                 WHERE datname = current_database() AND wait_event = 'advisory'
                """)
            return await results
        }
        #expect(results.allSatisfy { (try? $0.get()) == nil })
        let between = try await store.read(after: first.next)
        #expect(between.events.isEmpty)
        try await writing.record(deliveries, to: store)
        let rest = try await store.read(after: between.next)
        #expect(rest.events.count == 5)
        #expect((first.events + rest.events).textByLane == (try await database.log()))
    }

    @Test(
        "A page opens the partition of its day only, so that another one can be detached or dropped meanwhile",
        .database(lanes: 2))
    func otherPartitions() async throws {
        let (database, store, lanes) = try await open()
        let day = PostgresDate(PostbackStore.now())
        try await writing.record(try writing.deliveries(2, lane: 0, of: lanes), to: store)
        let next = PostgresDate(daysSince2000: day.daysSince2000 + 3)
        let locks = """
            LOCK TABLE attribution.\(WritingDay.logPartition(next)), ONLY attribution.postback_log
              IN ACCESS EXCLUSIVE MODE
            """
        let read = try await database.holding(locks) {
            #expect(try await store.lag(of: .start) > 0)
            return try await store.read()
        }
        #expect(read.events.count == 2)
    }
}
