import AdAttribution
import PostbackStore
import PostgresClient
import TestSupport
import Testing

/// Adding changes to the daily tables: the reports never show it.
@Suite("Folding changes")
struct FoldingTests {
    private let time = PostgresTimestamp(millisecondsSince1970: 1_790_000_000_000)

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

    /// Everything that can happen to postbacks, as deliveries in order.
    private func deliveries(_ count: Int, seed: UInt64) throws -> [PostbackDelivery] {
        let keys = try TestKeys()
        let network = try #require(AdNetworkID("example123.skadnetwork"))
        let simulator = try keys.simulator(.everything(seed: seed, count: count, adNetworkIDs: [network]))
        return try simulator.bodies().enumerated().map { index, body in
            PostbackDelivery(
                try keys.verifier.verify(Postback(parsing: body)),
                receivedAt: PostgresTimestamp(millisecondsSince1970: 1_790_000_000_000 + Int64(index) * 60_000))
        }
    }

    @Test("Reports show the same before, in the middle and after, raises and conflicts of folded postbacks included")
    func invisible() async throws {
        let deliveries = try deliveries(1_200, seed: 11)
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                let store = PostbackStore(pool: pool)
                for start in stride(from: 0, to: deliveries.count, by: 300) {
                    _ = try await store.record(Array(deliveries[start..<start + 300])).map { try $0.get() }
                    let before = try await figures(database)
                    #expect(before.allSatisfy { !$0.isEmpty })
                    // A part, then the rest of this quarter, but for the last, which stays as it is.
                    #expect(try await store.foldChanges(limit: 100) == 100)
                    #expect(try await figures(database) == before)
                    #expect(try await database.recount() == [])
                    guard start < 900 else { break }
                    _ = try await store.foldAllChanges()
                    #expect(try await database.value("SELECT count(*) FROM attribution.postback_change") == "0")
                    #expect(try await figures(database) == before)
                    #expect(try await database.recount() == [])
                }
                let before = try await figures(database)
                _ = try await store.foldAllChanges()
                try await store.vacuumChanges()
                #expect(try await figures(database) == before)
                #expect(try await store.foldAllChanges() == 0)
            }
        }
    }

    @Test("Two that fold at once while two write take nothing twice and nothing away")
    func concurrently() async throws {
        let deliveries = try deliveries(2_000, seed: 12)
        try await TestDatabase.with { database in
            try await database.withPool(size: 4) { pool in
                let store = PostbackStore(pool: pool)
                try await withThrowingTaskGroup { group in
                    for half in 0..<2 {
                        group.addTask {
                            for start in stride(from: half * 50, to: deliveries.count, by: 100) {
                                let batch = Array(deliveries[start..<start + 50])
                                _ = try await store.record(batch).map { try $0.get() }
                            }
                        }
                        group.addTask {
                            for _ in 0..<40 { _ = try await store.foldChanges(limit: 70) }
                        }
                    }
                    for _ in 0..<10 { #expect(try await database.recount() == []) }
                    try await group.waitForAll()
                }
                #expect(try await database.recount() == [])
                _ = try await store.foldAllChanges()
                #expect(try await database.recount() == [])
            }
        }
    }

    @Test("One that fails in the middle leaves the changes where they were")
    func failure() async throws {
        let deliveries = try deliveries(50, seed: 13)
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                let store = PostbackStore(pool: pool)
                _ = try await store.record(deliveries).map { try $0.get() }
                let before = try await figures(database)
                let changes = try await database.value("SELECT count(*) FROM attribution.postback_change")
                try await database.run("ALTER TABLE attribution.conversion_value_daily_base ADD CHECK (postbacks < 0)")
                await #expect(throws: PostgresError.self) { try await store.foldAllChanges() }
                #expect(try await database.value("SELECT count(*) FROM attribution.postback_change") == changes)
                #expect(try await figures(database) == before)
            }
        }
    }
}
