import PostgresClient
import TestSupport
import Testing

@testable import PostbackStore

/// Adding the events of the log to the daily tables: the reports never show it.
@Suite("Folding the log", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .onEachDatabase, .database)
struct FoldingTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    private static let reports = [
        "report_campaign_daily_all", "report_campaign_all", "report_source_app_daily_all",
        "report_conversion_value_daily_all", "report_source_identifier_daily_all",
    ]

    private func figures(_ database: TestDatabase) async throws -> [[String]] {
        var figures: [[String]] = []
        for report in Self.reports {
            let rows = try await database.column("SELECT r::text FROM attribution.\(report) AS r ORDER BY 1")
            figures.append(rows.compactMap(\.self))
        }
        return figures
    }

    /// The events that the daily tables do not hold yet.
    private func unfolded(_ database: TestDatabase) async throws -> String? {
        try await database.value(
            """
            SELECT count(*) FROM attribution.postback_log AS log
              JOIN attribution.log_reader AS reader ON reader.reader = 'figures' AND reader.lane = log.lane
             WHERE log.position > reader.position
            """)
    }

    @Test("Reports show the same before, during and after folding, also raises and conflicts of folded postbacks")
    func invisible() async throws {
        let deliveries = try Deliveries().simulated(1_200, seed: 11)
        for start in stride(from: 0, to: deliveries.count, by: 300) {
            for part in stride(from: start, to: start + 300, by: 50) {
                _ = try await store.record(Array(deliveries[part..<part + 50])).map { try $0.get() }
            }
            let before = try await figures(database)
            #expect(before.allSatisfy { !$0.isEmpty })
            // A part of one lane, then the rest of this quarter, but for the last, which stays as it is.
            let part = try #require(await store.fold(.figures, [1], limit: 30))
            #expect(1...30 ~= part)
            #expect(try await unfolded(database) != "0")
            #expect(try await figures(database) == before)
            #expect(try await database.recount() == [])
            guard start < 900 else { break }
            _ = try await store.fold()
            #expect(try await unfolded(database) == "0")
            #expect(try await figures(database) == before)
            #expect(try await database.recount() == [])
        }
        let before = try await figures(database)
        let events = try await unfolded(database)
        let folded = try await store.fold()
        #expect("\(folded)" == events)
        #expect(try await figures(database) == before)
        #expect(try await store.fold() == 0)
    }

    @Test("Two servers that fold at once while two write fold nothing twice and lose nothing")
    func concurrently() async throws {
        let deliveries = try Deliveries().simulated(2_000, seed: 12)
        try await withThrowingTaskGroup { group in
            for half in 0..<2 {
                group.addTask {
                    for start in stride(from: half * 50, to: deliveries.count, by: 100) {
                        let batch = Array(deliveries[start..<start + 50])
                        _ = try await store.record(batch).map { try $0.get() }
                    }
                }
                group.addTask {
                    for _ in 0..<40 { _ = try await store.fold(.figures, [1, 2], limit: 70) }
                }
            }
            // A cluster has no snapshot across nodes, so a recount there must wait until nobody writes.
            for _ in 0..<(TestDatabase.isDistributed ? 0 : 10) { #expect(try await database.recount() == []) }
            try await group.waitForAll()
        }
        #expect(try await database.recount() == [])
        _ = try await store.fold()
        #expect(try await unfolded(database) == "0")
        #expect(try await database.recount() == [])
    }

    @Test("If folding fails in the middle, the place and the figures do not change")
    func failure() async throws {
        let deliveries = try Deliveries().simulated(50, seed: 13)
        _ = try await store.record(deliveries).map { try $0.get() }
        let before = try await figures(database)
        let events = try await unfolded(database)
        try await database.run("ALTER TABLE attribution.conversion_value_daily ADD CHECK (postbacks < 0)")
        await #expect(throws: PostgresError.self) { try await store.fold() }
        #expect(try await unfolded(database) == events)
        #expect(try await database.value("SELECT count(*) FROM attribution.campaign_daily") == "0")
        #expect(try await figures(database) == before)
    }

    @Test("Dead row versions of the daily tables are counted while a snapshot is held open, and gone after VACUUM")
    func deadVersions() async throws {
        let deliveries = try Deliveries().simulated(600, seed: 14)
        let held = try await database.holding(
            "SELECT count(*) FROM attribution.campaign_daily", isolation: .repeatableRead
        ) {
            for start in stride(from: 0, to: deliveries.count, by: 20) {
                _ = try await store.record(Array(deliveries[start..<start + 20])).map { try $0.get() }
                _ = try await store.fold()
            }
            // PostgreSQL reports its statistics about a second late.
            return try await eventually("dead versions are counted") {
                let versions = try await store.deadVersionsPerDailyRow()
                return versions > 0 ? versions : nil
            }
        }
        #expect(held > 0)
        // A session that folded may report the last of its dead versions after the first VACUUM.
        var left = held
        for _ in 0..<300 where left > 0 {
            for table in ["campaign_daily", "source_app_daily", "conversion_value_daily"] {
                try await database.run("VACUUM attribution.\(table)")
            }
            left = try await store.deadVersionsPerDailyRow()
            if left > 0 { try await Task.sleep(for: .milliseconds(100)) }
        }
        #expect(left == 0)
    }
}
