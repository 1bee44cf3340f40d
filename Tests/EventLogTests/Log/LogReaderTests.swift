import PostgresClient
import TestSupport
import Testing

@testable import AdAttribution
@testable import EventLog
@testable import PostbackStore

@Suite("Named readers of the log", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .onEachDatabase)
struct LogReaderTests {
    private let writing: LogWriting

    init() throws {
        writing = try LogWriting()
    }

    /// A database of two lanes with four events in each.
    private func open() async throws -> (TestDatabase, PostbackStore, LogReader) {
        let database = TestDatabase.current
        try await database.prepare(lanes: 2)
        let store = PostbackStore(pool: try database.serving.openPool(size: 8))
        let lanes = try await store.lanes()
        for lane in 0..<2 {
            try await writing.record(try writing.deliveries(4, lane: lane, of: lanes), to: store, batches: 2)
        }
        return (database, store, store.logReader(named: try #require(LogReaderName("export"))))
    }

    @Test("A name has 1 to 64 of a-z 0-9 - _ . and is not one of the store's readers")
    func names() {
        for good in ["a", "export", "0", "my-app_v1.2", String(repeating: "z", count: 64), "figure"] {
            #expect(LogReaderName(good)?.description == good)
        }
        for bad in ["", "figures", "answers", "Export", "a b", "ä", "a\n", "a'", String(repeating: "z", count: 65)] {
            #expect(LogReaderName(bad) == nil, "\(bad)")
        }
    }

    @Test("A reader is created once, keeps its place, and can be removed", .database(migrated: false))
    func life() async throws {
        let (_, store, reader) = try await open()
        await #expect(throws: LogReaderError.unknown) { try await reader.cursor() }
        await #expect(throws: LogReaderError.unknown) { try await reader.remove() }
        await #expect(throws: LogReaderError.unknown) { try await reader.advance(from: .start, to: .start) }
        try await reader.create()
        await #expect(throws: LogReaderError.exists) { try await reader.create() }
        #expect(try await reader.cursor() == .start)
        let page = try await store.events(after: .start, limit: 3)
        try await reader.advance(from: .start, to: page.next)
        #expect(try await reader.cursor() == page.next)
        #expect(try await store.logReaderLags().map(\.reader) == ["figures", "answers", "export"])
        try await reader.remove()
        #expect(try await store.logReaderLags().map(\.reader) == ["figures", "answers"])
        try await reader.create(at: page.next)
        #expect(try await reader.cursor() == page.next)
    }

    @Test(
        "If several callers move a reader from one place at once, one succeeds, so no event is given out twice",
        .database(migrated: false), arguments: [2, 4])
    func compareAndSet(_ workers: Int) async throws {
        let (database, store, reader) = try await open()
        try await reader.create()
        let taken = try await withThrowingTaskGroup(of: [LogEvent].self) { group in
            for _ in 0..<workers {
                group.addTask {
                    var taken: [LogEvent] = []
                    while true {
                        let cursor = try await reader.cursor()
                        let page = try await store.events(after: cursor, limit: 1)
                        if page.events.isEmpty, page.isAtEnd { return taken }
                        do {
                            try await reader.advance(from: cursor, to: page.next)
                            taken += page.events
                        } catch LogReaderError.moved {}
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(taken.map(\.text).sorted() == (try await database.log()).sorted())
        #expect(taken.count == 8)
    }

    @Test(
        "A move in one lane makes every other move from the old place fail, also in a new lane",
        .database(migrated: false))
    func newLane() async throws {
        let (database, store, reader) = try await open()
        try await reader.create()
        // As if lane 1 had been added later.
        try await database.run("DELETE FROM attribution.log_reader WHERE reader = 'export' AND lane = 1")
        let end = try await store.read().next
        let onlyNew = LogCursor([1: end[1]])
        let moved = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    do {
                        try await reader.advance(from: .start, to: onlyNew)
                        return 1
                    } catch LogReaderError.moved {
                        return 0
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(moved == 1)
        #expect(try await reader.cursor() == onlyNew)
    }

    @Test("If two callers create a reader at once, one succeeds", .database(migrated: false))
    func createdTwice() async throws {
        let (_, _, reader) = try await open()
        let made = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    do {
                        try await reader.create()
                        return 1
                    } catch LogReaderError.exists {
                        return 0
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(made == 1)
    }

    @Test("A reader can't move back, and not in a lane that does not exist", .database(migrated: false))
    func impossibleMoves() async throws {
        let (_, store, reader) = try await open()
        let middle = try await store.events(after: .start, limit: 4).next
        let end = try await store.read().next
        try await reader.create(at: middle)
        var forwardAndBack = end.places
        forwardAndBack[1] = nil
        for wrong in [.start, LogCursor(forwardAndBack), LogCursor(end.places.merging([9: end[0]]) { $1 })] {
            await #expect(throws: LogReaderError.impossibleMove) {
                try await reader.advance(from: middle, to: wrong)
            }
        }
        #expect(try await reader.cursor() == middle)
        try await reader.advance(from: middle, to: middle)
        try await reader.advance(from: middle, to: end)
        #expect(try await reader.cursor() == end)
    }

    @Test("The lag is the age of the oldest event that was not read, and 0 if all was read", .database(migrated: false))
    func lag() async throws {
        let (database, store, reader) = try await open()
        func lags() async throws -> [String: Double] {
            Dictionary(try await store.logReaderLags().map { ($0.reader, $0.seconds) }) { $1 }
        }
        try await reader.create()
        let fresh = try #require(try await lags()["export"])
        #expect(fresh > 0)
        #expect(try #require(try await lags()["export"]) > fresh)
        // Makes the events older, and the first batch of lane 1 the oldest.
        try await database.run(
            """
            UPDATE attribution.postback_log SET written_at = written_at - interval '1 hour' WHERE lane = 1;
            UPDATE attribution.postback_log SET written_at = written_at - interval '1 hour'
             WHERE lane = 1 AND position = (SELECT min(position) FROM attribution.postback_log);
            """)
        #expect(try #require(try await lags()["export"]) >= 7_200)
        #expect(try #require(try await lags()["figures"]) >= 7_200)
        try await store.fold()
        #expect(try await lags()["figures"] == 0)
        try await store.foldAnswers()
        #expect(try await lags()["answers"] == 0)
        #expect(try #require(try await lags()["export"]) >= 7_200)
        let events = try await store.read().events
        let behindFirst = try #require(events.first { $0.lane == 1 && $0.ordinal == 2 })
        try await reader.advance(from: .start, to: LogCursor([1: behindFirst.place]))
        let second = try #require(try await lags()["export"])
        #expect(second >= 3_600 && second < 7_200)
        try await reader.advance(from: reader.cursor(), to: store.read().next)
        #expect(try await lags() == ["export": 0, "figures": 0, "answers": 0])
        try await writing.record([try writing.delivery()], to: store)
        #expect(try #require(try await lags()["export"]) > 0)
    }

    @Test("A hundred readers are shown, among them the store's own", .database(migrated: false))
    func manyReaders() async throws {
        let (database, store, _) = try await open()
        try await database.run(
            """
            INSERT INTO attribution.log_reader (reader, lane, position, ordinal, moved_at)
            SELECT 'a' || lpad(n::text, 3, '0'), lane, 0, 0, now()
              FROM generate_series(1, 120) AS n, attribution.lane
            """)
        let readers = try await store.logReaderLags().map(\.reader)
        #expect(readers.count == 100)
        #expect(readers.prefix(2) == ["figures", "answers"] && readers.last == "a098")
    }
}
