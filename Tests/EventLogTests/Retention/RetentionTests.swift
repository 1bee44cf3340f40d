import PostgresClient
import TestSupport
import Testing

@testable import AdAttribution
@testable import EventLog
@testable import PostbackStore

@Suite("Days past their retention", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason))
struct RetentionTests {
    private let database = TestDatabase.current
    private let deliveries: Deliveries

    init() throws {
        deliveries = try Deliveries()
    }

    /// A database with bodies and log of these days ago, all folded or none.
    private func written(daysAgo: [Int], isFolded: Bool = true) async throws -> (TestDatabase, PostbackStore) {
        let store = PostbackStore.current
        for days in daysAgo {
            #expect(try await store.record(try deliveries.many(20)).areAll(.accepted))
            if isFolded {
                try await store.fold()
                try await store.foldAnswers()
            }
            try await database.moveToday(back: days)
        }
        return (database, store)
    }

    private func rules(body: Int32? = nil, log: Int32? = nil, reader: Int32? = nil) -> RetentionRules {
        var rules = RetentionRules()
        (rules.bodyDays, rules.logDays, rules.readerDays) = (body, log, reader)
        return rules
    }

    private func reader(_ name: String, of store: PostbackStore) throws -> LogReader {
        store.logReader(named: try #require(LogReaderName(name)))
    }

    @Test("A day leaves when it has been over for as many days as its retention, and no day earlier", .database)
    func boundary() async throws {
        let (database, store) = try await written(daysAgo: [40, 5, 4, 3])
        let none = try await store.dropExpiredDays(RetentionRules())
        #expect(none.dropped.isEmpty)
        let bodies = try await store.dropExpiredDays(rules(body: 3))
        #expect(bodies.dropped.map(\.part) == [.body, .body, .body])
        #expect(try await database.daysWithRows(of: "body") == [3])
        #expect(try await database.daysWithRows(of: "log") == [40, 5, 4, 3])
        let log = try await store.dropExpiredDays(rules(body: 3, log: 4))
        #expect(log.dropped.map(\.part) == [.log, .log])
        #expect(try await database.daysWithRows(of: "log") == [4, 3])
        #expect(bodies.held.isEmpty && log.held.isEmpty && log.busy == nil)
        #expect(
            try await database.column(
                "SELECT part || ' ' || count(*) FROM attribution.missing_day GROUP BY part ORDER BY part") == [
                    "body 3", "log 2",
                ])
        // Days to come stay, and what was counted too.
        #expect(try await store.record(try deliveries.many(5)).areAll(.accepted))
        #expect(try await database.recount() == [])
        #expect(try await database.value("SELECT count(*) FROM attribution.postback") == "85")
    }

    @Test("A day that a reader has not read to its end stays, with its bodies, until the reader has read it", .database)
    func reader() async throws {
        let (database, store) = try await written(daysAgo: [9, 8])
        let export = try reader("export", of: store)
        try await export.create()
        let held = try await store.dropExpiredDays(rules(body: 2, log: 2))
        #expect(held.dropped.isEmpty && held.held.count == 4)
        #expect(held.held.allSatisfy { $0.readers == ["export"] })
        let page = try await store.events(after: .start, limit: 39)
        try await export.advance(from: .start, to: page.next)
        // One event of the second day is left.
        let rest = try await store.dropExpiredDays(rules(body: 2, log: 2))
        #expect(rest.dropped.count == 2 && rest.held.count == 2)
        #expect(try await database.daysWithRows(of: "log") == [8])
        let last = try await store.events(after: page.next, limit: 39)
        try await export.advance(from: page.next, to: last.next)
        #expect(try await store.dropExpiredDays(rules(body: 2, log: 2)).dropped.count == 2)
        #expect(try await database.daysWithRows(of: "body") == [])
    }

    @Test("A reader without a place in a lane is at the beginning of the lane", .database)
    func laneWithoutPlace() async throws {
        let (database, store) = try await written(daysAgo: [9])
        try await database.run("DELETE FROM attribution.log_reader WHERE reader = 'answers' AND lane = 1")
        #expect(try await store.dropExpiredDays(rules(log: 2)).held.map(\.readers) == [["answers"]])
    }

    @Test("A reader that keeps a day beyond the bound is removed and named; other readers stay", .database)
    func bound() async throws {
        let (database, store) = try await written(daysAgo: [20, 6])
        try await reader("forgotten", of: store).create()
        let quick = try reader("quick", of: store)
        try await quick.create()
        try await quick.advance(from: .start, to: try await store.events(after: .start, limit: 100).next)
        let before = try await store.dropExpiredDays(rules(log: 2, reader: 20))
        #expect(before.droppedReaders.isEmpty && before.held.count == 2)
        let after = try await store.dropExpiredDays(rules(log: 2, reader: 19))
        #expect(after.droppedReaders.map(\.reader) == ["forgotten"])
        // Now nobody keeps the second day.
        #expect(after.dropped.count == 2 && after.held.isEmpty)
        #expect(
            try await database.column("SELECT DISTINCT reader FROM attribution.log_reader ORDER BY 1") == [
                "answers", "figures", "quick",
            ])
    }

    @Test("The store's own readers keep their days beyond every bound, and nobody is removed for these days", .database)
    func ownReaders() async throws {
        let (database, store) = try await written(daysAgo: [20], isFolded: false)
        try await reader("forgotten", of: store).create()
        let held = try await store.dropExpiredDays(rules(body: 1, log: 1, reader: 1))
        #expect(held.dropped.isEmpty && held.droppedReaders.isEmpty)
        #expect(held.held.map(\.readers) == Array(repeating: ["answers", "figures", "forgotten"], count: 2))
        try await store.fold()
        try await store.foldAnswers()
        let rest = try await store.dropExpiredDays(rules(body: 1, log: 1, reader: 1))
        #expect(rest.dropped.count == 2 && rest.droppedReaders.map(\.reader) == ["forgotten"])
        #expect(try await database.recount() == [])
    }

    @Test("A lane that was idle since does not keep a day, and writes on where readers expect it", .database)
    func idleLane() async throws {
        let (database, store) = try await written(daysAgo: [9])
        try await database.run("UPDATE attribution.lane_day SET day = (clock_timestamp() AT TIME ZONE 'UTC')::date - 9")
        #expect(try await store.dropExpiredDays(rules(body: 2, log: 2)).dropped.count == 2)
        #expect(try await store.record(try deliveries.many(20)).areAll(.accepted))
        #expect(try await database.daysWithRows(of: "log") == [0])
        #expect(try await store.fold() == 20)
        #expect(try await database.recount() == [])
    }

    @Test("A server whose clock is far behind counts on after its day was dropped", .database)
    func clockBehind() async throws {
        let day = PostgresDate(daysSince2000: PostgresDate(PostbackStore.now()).daysSince2000 - 9)
        try await database.run("UPDATE attribution.lane_day SET day = '\(day)'")
        try await database.withStore(clock: SetClock(day).now) { slow in
            #expect(try await slow.record(try deliveries.many(20)).areAll(.accepted))
            #expect(try await database.daysWithRows(of: "log") == [9])
            try await database.withStore { store in
                try await store.fold()
                try await store.foldAnswers()
                let dropped = try await store.dropExpiredDays(rules(body: 2, log: 2)).dropped.map(\.day)
                #expect(dropped.contains(day))
            }
            let recorded = await slow.record(try deliveries.many(20))
            #expect(try recorded.areAll(.accepted))
        }
        #expect(try await database.daysWithRows(of: "log") == [0])
        #expect(try await database.recount() == [])
    }

    @Test("Days wait while somebody else works on days, or while a long report reads; counting does not", .database)
    func busy() async throws {
        let (database, store) = try await written(daysAgo: [9])
        try await database.holding("SELECT pg_advisory_xact_lock(7421001651)") {
            let report = try await store.dropExpiredDays(rules(body: 2))
            #expect(report.busy != nil)
        }
        try await database.holding("SELECT count(payload) FROM attribution.postback_body") {
            let begin = ContinuousClock.now
            async let report = store.dropExpiredDays(rules(body: 2))
            for _ in 0..<20 {
                #expect(try await store.record(try deliveries.many(5)).areAll(.accepted))
                try await Task.sleep(for: .milliseconds(50))
            }
            let busy = try await report.busy
            #expect(busy != nil)
            #expect(ContinuousClock.now - begin < .seconds(30))
        }
        let last = try await store.dropExpiredDays(rules(body: 2))
        #expect(last.dropped.count == 1)
    }

    @Test("If the database refuses a day, the report has the days before it, and the reason", .database)
    func refused() async throws {
        let (database, store) = try await written(daysAgo: [9, 8])
        let partition = try #require(
            try await database.value(
                "SELECT to_char((clock_timestamp() AT TIME ZONE 'UTC')::date - 8, '\"postback_body_\"YYYYMMDD')"))
        try await database.run("CREATE VIEW public.reader AS SELECT lane FROM attribution.\(partition)")
        let report = try await store.dropExpiredDays(rules(body: 2))
        #expect(report.dropped.count == 1 && !report.isComplete)
        #expect((report.failure as? PostgresError)?.sqlState?.code == "2BP01")
        #expect(try await database.daysWithRows(of: "body") == [8])
    }

    @Test("A day that is not over is never dropped, not even by hand", .database)
    func openDay() async throws {
        let (database, store) = try await written(daysAgo: [])
        for day in ["clock_timestamp()::date", "clock_timestamp()::date + 3"] {
            await #expect(throws: PostgresError.self) {
                try await database.run("SET TimeZone = 'UTC'; SELECT attribution.drop_day('body', \(day))")
            }
        }
        let oldest = try await store.oldestDays()
        #expect(oldest.count == 2)
    }
}
