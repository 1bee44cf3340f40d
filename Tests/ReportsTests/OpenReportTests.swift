import Foundation
import PostgresClient
import TestSupport
import Testing

@testable import PostbackStore
@testable import Reports

@Suite("Reading a report", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason))
struct OpenReportTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    /// What the session of a report does; nil if there is none.
    private func session(_ database: TestDatabase) async throws -> String? {
        try await database.value(
            """
            SELECT state FROM pg_stat_activity
             WHERE datname = current_database() AND query LIKE '%report_rows%' AND pid <> pg_backend_pid()
            """)
    }

    @Test(
        "The connection waits for the reader, and is free when the reader leaves in the middle",
        .database(connections: 1))
    func leaving() async throws {
        try await database.addCampaigns(lines: 100, days: 20)
        var report: OpenReport? = try await store.open(store.query("campaign_daily"))
        #expect(try await report?.next()?.count == 250)
        try await eventually("the session waits for the reader") {
            try await session(database) == "idle in transaction" ? true : nil
        }
        report = nil
        // It is the only connection.
        #expect(try await store.rows("campaign_daily", ["limit=5"]).count == 5)
        #expect(store.pool.state.busy == 0)
    }

    @Test("A reader that takes nothing in time ends the report", .database(connections: 1))
    func slowReader() async throws {
        try await database.addCampaigns(lines: 100, days: 20)
        var limits = ReportLimits()
        limits.taking = .seconds(1)
        let report = try await store.open(store.query("campaign_daily"), limits: limits)
        // Another report gets the connection.
        #expect(try await store.rows("campaign_daily", ["limit=5"]).count == 5)
        await #expect(throws: ReportError.self) {
            while try await report.next() != nil {}
        }
    }

    @Test("A statement that takes too long is a report that is too large", .database)
    func deadline() async throws {
        try await database.run(
            """
            ALTER VIEW attribution.report_campaign_daily_all RENAME TO quick;
            CREATE VIEW attribution.report_campaign_daily_all AS
            SELECT * FROM attribution.quick WHERE (SELECT pg_sleep(60))::text IS NOT NULL
            """)
        var limits = ReportLimits()
        limits.statement = .milliseconds(200)
        await #expect {
            _ = try await store.open(store.query("campaign_daily"), limits: limits)
        } throws: { error in
            if case ReportError.tooLarge = error { true } else { false }
        }
    }

    @Test("A part is passed when the one before was taken, so one waits at most")
    func handoff() async throws {
        let handoff = RowHandoff<Int>()
        Thread.detachNewThread {
            handoff.finish(
                Result {
                    for part in 0..<1_000 { try handoff.pass(part, within: .seconds(600)) }
                })
        }
        var parts: [Int] = []
        while let part = try await handoff.next() { parts.append(part) }
        #expect(parts == Array(0..<1_000))
        let left = RowHandoff<Int>()
        left.leave()
        #expect(throws: RowHandoff<Int>.Stop.self) { try left.pass(1, within: .seconds(600)) }
    }
}
