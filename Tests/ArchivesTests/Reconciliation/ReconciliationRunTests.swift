import Archives
import PostgresClient
import TestSupport
import Testing

@testable import AdAttribution
@testable import Archives
@testable import PostbackStore

@Suite(
    "Runs of reconciliations", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .onEachDatabase,
    .database)
struct ReconciliationRunTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    private static let runs = """
        SELECT concat_ws(' ', run, file, side, range_by, lines, postbacks) FROM attribution.reconciliation ORDER BY run
        """
    private static let rows = """
        SELECT concat_ws(' ', (SELECT count(*) FROM attribution.reconciliation_line WHERE run = each),
                         (SELECT count(*) FROM attribution.reconciliation_difference WHERE run = each))
          FROM generate_series(1, 2) AS each
        """

    @Test("An archive that is compared again takes the place of its earlier run, and another one has its own")
    func replaced() async throws {
        let other = OtherSide(database: database, store: store)
        let deliveries = try Deliveries().many(6)
        #expect(try await store.record(Array(deliveries[..<4])).areAll(.accepted))
        #expect(try await other.reconcile(deliveries, fingerprint: 1).run == 1)
        #expect(try await other.reconcile(Array(deliveries[1...4]), fingerprint: 2).run == 2)
        #expect(try await database.column(Self.rows) == ["5 2", "5 2"])
        #expect(try await store.record([deliveries[4]]).areAll(.accepted))
        let again = try await other.reconcile(deliveries, fingerprint: 1)
        #expect(again.run == 1 && again.counts.onlyThere == 1 && again.counts.matched == 5)
        #expect(
            try await database.column(Self.runs)
                == ["1 archive-1 developer archive 6 6", "2 archive-2 developer archive 4 4"])
        #expect(try await database.column(Self.rows) == ["5 1", "5 2"])
        _ = try await database.value("SELECT attribution.remove_reconciliation(1)::text")
        #expect(try await database.column(Self.runs) == ["2 archive-2 developer archive 4 4"])
        #expect(try await database.column(Self.rows) == ["0 0", "5 2"])
    }

    @Test("Archives that are compared at once have runs of their own, and one archive has one")
    func atOnce() async throws {
        let other = OtherSide(database: database, store: store)
        let deliveries = try Deliveries().many(3)
        let runs = try await withThrowingTaskGroup(of: Int32.self) { group in
            for number in 0..<9 {
                group.addTask {
                    try await other.reconcile(deliveries, fingerprint: UInt8(number % 3)).run
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(runs.sorted() == [1, 1, 1, 2, 2, 2, 3, 3, 3])
        #expect(try await database.value("SELECT count(*) FROM attribution.reconciliation_line") == "9")
    }

    @Test("Nothing is counted, no writer is waited for, and nothing is left of the session")
    func counting() async throws {
        let other = OtherSide(database: database, store: store)
        let deliveries = try Deliveries().many(20)
        _ = await store.record(Array(deliveries[..<10]))
        let before = try await database.counts()
        let figures = "SELECT sum(installs) FROM attribution.report_campaign_all"
        let installs = try await database.value(figures)
        // A batch of each lane is under way, and does not end.
        let session = try await PostgresConnection.connect(database.configuration, logger: .silent)
        try await session.execute(script: "SELECT pg_advisory_lock(742100164, lane) FROM attribution.lane")
        #expect(try await other.reconcile(deliveries).counts.onlyThere == 10)
        await session.close()
        #expect(try await database.counts() == before)
        #expect(try await database.value(figures) == installs)
        #expect(try await database.recount() == [])
        let tables = "SELECT count(*) FROM pg_class WHERE relname IN ('other_delivery', 'compared')"
        #expect(try await database.value(tables) == "0")
        // What was only there can still be counted.
        #expect(try await store.record(Array(deliveries[10...])).areAll(.accepted))
        #expect(try await database.recount() == [])
    }

    @Test("Every table, view, column and function of reconciliations has a comment")
    func comments() async throws {
        let columns = """
            SELECT concat_ws('.', relation.relname, attribute.attname)
              FROM pg_class AS relation
              JOIN pg_attribute AS attribute ON attribute.attrelid = relation.oid
             WHERE relation.relnamespace = 'attribution'::regnamespace AND relation.relkind IN ('r', 'v')
               AND relation.relname ~ 'reconciliation|copy_' AND attribute.attnum > 0
               AND (col_description(relation.oid, attribute.attnum) IS NULL
                    OR obj_description(relation.oid, 'pg_class') IS NULL)
            """
        let undescribed = try await database.column(columns)
        #expect(undescribed == [])
        let functions = """
            SELECT proname FROM pg_proc
             WHERE pronamespace = 'attribution'::regnamespace
               AND proname IN ('has_copy', 'retry_time', 'was_value', 'copy_outcome', 'value_difference',
                               'remove_reconciliation')
               AND obj_description(oid, 'pg_proc') IS NOT NULL
            """
        let described = try await database.column(functions)
        #expect(described.count == 6)
    }
}
