import PostgresClient
import TestSupport
import Testing

@testable import PostbackStore

@Suite(
    "Days of another time zone", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .onEachDatabase,
    .database(migrated: false))
struct TimeZoneTests {
    private let database = TestDatabase.current

    /// Seconds since 1970.
    ///
    /// In Los Angeles 2026-03-08 has 23 hours, from 08:00 UTC to 07:00 UTC of the next day.
    private static let times: [Int64] = [1_772_956_799, 1_772_956_800, 1_773_039_599, 1_773_039_600]

    private func days(_ report: String) async throws -> [String] {
        try await database.column(
            "SELECT day || ' ' || sum(installs + redownloads) FROM attribution.\(report) GROUP BY day ORDER BY day"
        ).compactMap(\.self)
    }

    @Test("PostgreSQL computes days in place, without a call for each row", arguments: ["UTC", "Asia/Tokyo"])
    func inPlace(_ zone: String) async throws {
        try await database.prepare(timeZone: zone)
        try await database.run(
            """
            CREATE FUNCTION explained(query text) RETURNS SETOF text LANGUAGE plpgsql AS
            $$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN (VERBOSE, COSTS off) ' || query; END $$
            """)
        let plan = try await database.column(
            """
            SELECT explained('SELECT attribution.day_of(to_timestamp(n)), attribution.day_begins(current_date + n)
                                FROM generate_series(1, 9) AS n')
            """
        ).compactMap(\.self).joined(separator: "\n")
        #expect(plan.contains("AT TIME ZONE '\(zone)'"))
        #expect(!plan.contains("day_of") && !plan.contains("day_begins"))
    }

    @Test("Counts and answers have the days of the time zone, also where clocks change")
    func days() async throws {
        try await database.prepare(timeZone: "America/Los_Angeles")
        let deliveries = try Deliveries()
        let zone = try #require(ReportTimeZone("America/Los_Angeles"))
        let expected = ["2026-03-07 1", "2026-03-08 2", "2026-03-09 1"]
        try await database.withStore { store in
            for time in Self.times {
                let at = PostgresTimestamp(millisecondsSince1970: time * 1_000)
                let postback = try deliveries.one().verified
                _ = try await store.record([PostbackDelivery(postback, receivedAt: at)])[0].get()
                #expect(expected.contains { $0.hasPrefix("\(zone.day(of: at)) ") })
            }
            #expect(try await days("report_campaign_daily_all") == expected)
            try await store.fold()
            try await store.foldAnswers()
            #expect(try await days("report_campaign_daily_all") == expected)
            #expect(try await days("report_arrival_campaign_daily_all") == expected)
            #expect(try await store.reportTimeZone() == zone)
        }
        #expect(try await database.recount() == [])
        #expect(try await database.recountAnswers() == [])
        let begins = try await database.column(
            """
            SELECT extract(epoch FROM attribution.day_begins(day))::bigint
              FROM unnest(ARRAY['2026-03-08', '2026-03-09']::date[]) AS day
            """)
        #expect(begins.compactMap(\.self) == ["\(Self.times[1])", "\(Self.times[3])"])
    }

    @Test(
        "A day begins at the first of two midnights, and at one o'clock if there is no midnight",
        arguments: [("Atlantic/Azores", "2026-10-25"), ("Africa/Cairo", "2026-04-24"), ("Europe/Berlin", "2026-10-25")])
    func begin(_ zone: String, _ changed: String) async throws {
        try await database.prepare(timeZone: zone)
        let wrong = try await database.column(
            """
            SELECT day
              FROM (SELECT date '\(changed)' + n AS day FROM generate_series(-1, 1) AS n) AS days
             WHERE attribution.day_of(attribution.day_begins(day)) <> day
                OR attribution.day_of(attribution.day_begins(day) - interval '1 microsecond') <> day - 1
            """)
        #expect(wrong == [])
    }

    @Test("An install day of 23 hours is complete as many hours after its end as another one")
    func complete() async throws {
        try await database.prepare(timeZone: "America/Los_Angeles")
        // Four days after the end of the day: it began before the clocks changed, and its end is behind that.
        let complete = try await database.value(
            """
            SELECT extract(epoch FROM attribution.complete_from('2026-03-07', true, 0::smallint, NULL)
                                      - attribution.day_begins('2026-03-08')) / 3600
            """)
        #expect(complete.flatMap(Double.init) == 96)
    }
}
