import TestSupport
import Testing

@Suite("Campaigns that have spend", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct SpendCampaignTests {
    private let database = TestDatabase.current

    /// Spend of ten campaigns of each of these apps, on so many days.
    private func store(_ apps: ClosedRange<Int>, days: Int) async throws {
        try await database.run(
            """
            INSERT INTO attribution.spend_daily (
                day, ad_network_id, advertised_app_id, campaign_id, currency, spend, source_file, loaded_at)
            SELECT date '2026-07-06' + day, 'com.example', app, 'campaign ' || campaign, 'USD', 1, 'test', now()
              FROM generate_series(\(apps.lowerBound), \(apps.upperBound)) AS app, generate_series(1, \(days)) AS day,
                   generate_series(0, 9) AS campaign;
            ANALYZE attribution.spend_daily
            """)
    }

    /// For each app: its id, the number of its campaigns, and how many rows show them.
    private func campaigns(of app: String) async throws -> [String?] {
        try await database.column(
            """
            SELECT advertised_app_id || ' ' || count(DISTINCT campaign_id) || ' ' || count(*)
              FROM attribution.spend_campaigns(\(app)) GROUP BY advertised_app_id ORDER BY advertised_app_id
            """)
    }

    @Test("Each campaign is shown once, of one app or of all")
    func campaigns() async throws {
        try await store(0...0, days: 2)
        try await store(2...3, days: 2)
        #expect(try await campaigns(of: "NULL") == ["0 10 10", "2 10 10", "3 10 10"])
        #expect(try await campaigns(of: "0") == ["0 10 10"])
        #expect(try await campaigns(of: "2") == ["2 10 10"])
        #expect(try await campaigns(of: "3") == ["3 10 10"])
        #expect(try await campaigns(of: "1") == [], "the next app has spend")
        #expect(try await campaigns(of: "4") == [], "no app behind it has spend")
    }

    @Test("Spend of the apps before one is not read for it")
    func appsBefore() async throws {
        try await store(1...100, days: 30)
        try await database.run(
            """
            CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS
            $$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) ' || query; END $$
            """)
        // The first question of a session reads the catalog.
        _ = try await pages(for: 1)
        let first = try await pages(for: 1)
        let last = try await pages(for: 100)
        #expect(last < 2 * first, "\(last) pages for the last app, \(first) for the first")
    }

    /// How many pages are read for an app.
    private func pages(for app: Int) async throws -> Int {
        let plan = try await database.column(
            "SELECT line FROM plan('SELECT * FROM attribution.spend_campaigns(\(app))') AS line")
        let buffers = try #require(plan.compactMap(\.self).first { $0.contains("Buffers: shared") })
        return buffers.matches(of: /(?:hit|read)=(\d+)/).compactMap { Int($0.1) }.reduce(0, +)
    }
}
