import PostgresClient
import Synchronization
import TestSupport
import Testing

@testable import PostbackStore

@Suite("Days of writing", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason))
struct WritingDayTests {
    private let database = TestDatabase.current

    /// A clock that a test sets, in days from now.
    private final class Clock: Sendable {
        private let days = Mutex(0)

        func set(days count: Int) { days.withLock { $0 = count } }

        func now() -> PostgresTimestamp {
            let offset = Int64(days.withLock { $0 }) * 86_400_000_000
            return PostgresTimestamp(microsecondsSince2000: PostbackStore.now().microsecondsSince2000 + offset)
        }
    }

    private let deliveries: Deliveries

    init() throws {
        deliveries = try Deliveries()
    }

    /// The days of the log's rows from the database's today on, with the lowest bits of their positions, in order.
    private func places(_ database: TestDatabase) async throws -> [String] {
        try await database.column(
            """
            SELECT DISTINCT concat_ws(' ', attribution.day_of_writing(position) - (now() AT TIME ZONE 'UTC')::date,
                                      position & 4294967295)
              FROM attribution.postback_log ORDER BY 1
            """
        ).compactMap(\.self)
    }

    /// Whether the positions of each lane rise in the order of receipt, which the tests make different for each batch.
    private func rises(_ database: TestDatabase) async throws -> Bool {
        try await database.value(
            """
            SELECT bool_and(rises) FROM (
                SELECT position >= lag(position, 1, 0) OVER (PARTITION BY lane ORDER BY written_at) AS rises
                  FROM attribution.postback_log) AS log
            """) == "true"
    }

    private func partitions(_ database: TestDatabase) async throws -> String? {
        try await database.value(
            """
            SELECT count(*) FROM pg_inherits
             WHERE inhparent IN ('attribution.postback_body'::regclass, 'attribution.postback_log'::regclass)
            """)
    }

    /// Drops the partitions from so many days ahead on.
    private func dropPartitions(from day: Int, _ database: TestDatabase) async throws {
        try await database.run(
            """
            DO $$ DECLARE partition regclass; BEGIN
                FOR partition IN
                    SELECT oid FROM pg_class
                     WHERE relname ~ '^postback_(body|log)_\\d{8}$'
                       AND to_date(right(relname, 8), 'YYYYMMDD') >= (now() AT TIME ZONE 'UTC')::date + \(day)
                LOOP
                    EXECUTE 'DROP TABLE ' || partition;
                END LOOP;
            END $$
            """)
    }

    @Test("At midnight a lane moves to the next day, and its positions keep rising", .database(lanes: 1))
    func midnight() async throws {
        let clock = Clock()
        let batches = try (0..<4).map { _ in try deliveries.many(5) }
        try await database.withStore(clock: clock.now) { store in
            for (number, batch) in batches.enumerated() {
                clock.set(days: number / 2)
                let results = await store.record(batch)
                let areAccepted = try results.areAll(.accepted)
                #expect(areAccepted)
            }
        }
        #expect(try await places(database) == ["0 1", "0 2", "1 1", "1 2"])
        #expect(try await rises(database))
        let tables = try await database.column(
            "SELECT count(*) FROM attribution.postback_log GROUP BY tableoid ORDER BY min(position)")
        #expect(tables == ["10", "10"])
        #expect(try await database.recount() == [])
    }

    @Test("A server whose clock is behind writes into the newer day", .database(lanes: 1), arguments: [-1, -2, -400])
    func behind(_ days: Int) async throws {
        let clock = Clock()
        clock.set(days: days)
        let batches = try (0..<3).map { _ in try deliveries.many(4) }
        try await database.withStore(clock: clock.now) { late in
            _ = try await late.record(batches[0]).map { try $0.get() }
            // The database's own today is the day of a new lane.
            #expect(try await places(database) == ["0 1"])
            let ahead = Clock()
            ahead.set(days: 1)
            try await database.withStore(clock: ahead.now) { store in
                _ = try await store.record(batches[1]).map { try $0.get() }
            }
            _ = try await late.record(batches[2]).map { try $0.get() }
        }
        #expect(try await places(database) == ["0 1", "1 1", "1 2"])
        #expect(try await rises(database))
        // None of the days that only the wrong clock is in.
        let old = try await database.value(
            """
            SELECT count(*) FROM pg_class
             WHERE relname ~ '^postback_(body|log)_\\d{8}$'
               AND to_date(right(relname, 8), 'YYYYMMDD') < (now() AT TIME ZONE 'UTC')::date
            """)
        #expect(old == "0")
        #expect(try await database.recount() == [])
    }

    @Test(
        "A clock that is years ahead moves a lane no further than the database's tomorrow", .database(lanes: 2),
        arguments: [2, 4_000])
    func ahead(_ days: Int) async throws {
        let clock = Clock()
        clock.set(days: days)
        let batches = try (0..<4).map { _ in try deliveries.many(4) }
        try await database.withStore { right in
            try await database.withStore(clock: clock.now) { wrong in
                for (number, batch) in batches.enumerated() {
                    let results = await (number % 2 == 0 ? wrong : right).record(batch)
                    let areAccepted = try results.areAll(.accepted)
                    #expect(areAccepted)
                }
            }
        }
        let last = try await database.value(
            "SELECT max(day) - (now() AT TIME ZONE 'UTC')::date FROM attribution.lane_day")
        #expect(last == "1")
        #expect(try await database.value("SELECT count(*) FROM attribution.postback_log") == "16")
        #expect(try await rises(database))
        #expect(try await database.recount() == [])
    }

    @Test("A wrong clock that is corrected does not stay in the day that it began")
    func correctedClock() async throws {
        let days = WritingDays()
        let today = try #require(PostgresDate(year: 2026, month: 9, day: 21))
        func after(_ count: Int32) -> PostgresDate { PostgresDate(daysSince2000: today.daysSince2000 + count) }
        #expect(days.day(of: 0, today: after(4_000)) == nil)
        days.set(after(1), of: 0, asked: after(4_000))
        #expect(days.day(of: 0, today: after(4_000)) == after(1))
        #expect(days.day(of: 0, today: after(4_001)) == nil)
        #expect(days.day(of: 1, today: today) == nil)
        days.set(after(1), of: 1, asked: today)
        #expect(days.day(of: 1, today: after(1)) == after(1))
        #expect(days.day(of: 1, today: after(2)) == nil)
    }

    @Test("A partition that is missing is made when a batch needs it", .database(lanes: 1))
    func missing() async throws {
        let batches = try (0..<2).map { _ in try deliveries.many(4) }
        try await database.withStore { store in
            for batch in batches {
                try await dropPartitions(from: 0, database)
                #expect(try await partitions(database) == "0")
                #expect(try await store.record(batch).areAll(.accepted))
            }
        }
        #expect(try await partitions(database) == "16")
        #expect(try await database.value("SELECT count(*) FROM attribution.postback") == "8")
    }

    @Test("Existing partitions are not created again, not even by several servers at once", .database)
    func addedTwice() async throws {
        #expect(try await partitions(database) == "16")
        try await dropPartitions(from: 5, database)
        #expect(try await partitions(database) == "10")
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    try await database.withStore(size: 1) { store in
                        try await store.addPartitions()
                        try await store.addPartitions()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await partitions(database) == "16")
        let attached = try await database.value(
            """
            SELECT count(*) FROM pg_class
             WHERE relname ~ '^postback_(body|log)_\\d{8}$' AND NOT relispartition
            """)
        #expect(attached == "0")
    }

    @Test("Partitions are made while a long report is open and while a writer writes, and neither waits", .database)
    func whileBusy() async throws {
        let batches = try (0..<20).map { _ in try deliveries.many(3) }
        try await database.withStore { store in
            try await dropPartitions(from: 2, database)
            _ = try await store.record(batches[0]).map { try $0.get() }
            try await dropPartitions(from: 2, database)
            #expect(try await partitions(database) == "4")
            let gate = Gate()
            try await withThrowingTaskGroup { group in
                group.addTask {
                    try await database.withPool(size: 1) { try await Self.report($0, gate) }
                }
                try await gate.waitUntilHeld()
                group.addTask {
                    for batch in batches.dropFirst() { _ = try await store.record(batch).map { try $0.get() } }
                }
                try await database.withStore(size: 1) { try await $0.addPartitions() }
                #expect(try await partitions(database) == "16")
                #expect(try await store.record(batches[0]).areAll(.duplicate))
                gate.release()
                try await group.waitForAll()
            }
        }
        #expect(try await database.counts() == "60 60 60")
        #expect(try await database.recount() == [])
    }

    /// A transaction that has read all tables and stays open.
    private static func report(_ pool: PostgresPool, _ gate: Gate) async throws {
        try await pool.withTransaction("report", isolation: .repeatableRead) { connection in
            try connection.execute(
                script: """
                    SELECT count(*) FROM attribution.postback;
                    SELECT count(*) FROM attribution.postback_log;
                    SELECT count(*) FROM attribution.report_campaign_daily_all
                    """)
            gate.held()
            gate.waitForRelease()
        }
    }
}
