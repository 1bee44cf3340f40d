import CampaignData
import ConversionSchemes
import PostgresClient
import TestSupport
import Testing

@testable import CampaignData
@testable import PostbackStore

/// Ten postbacks of one campaign, installed on 2026-10-02, and a cost of 100.
@Suite("Revenue that nobody knows", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct UnknownRevenueTests {
    private let database = TestDatabase.current

    /// Why the value of a postback has no meaning; the name of its count.
    enum Reason: String, CaseIterable, Sendable {
        case withheld
        case notSet = "not_set"
        case unmapped, ambiguous
        case noScheme = "no_scheme"
    }

    /// A window with what is known of its times.
    struct Window: Sendable, CustomTestStringConvertible {
        let index: Int
        /// The hours from the install to the arrival, as they are estimated.
        let hours: Int
        let reasons: [Reason]

        var testDescription: String { "window \(index)" }

        static let all = [
            Window(index: 0, hours: 84, reasons: Reason.allCases),
            // A later window is sent only if a value could have been.
            Window(index: 1, hours: 252, reasons: [.notSet, .unmapped, .ambiguous, .noScheme]),
            Window(index: 2, hours: 924, reasons: [.notSet, .unmapped, .ambiguous, .noScheme]),
        ]

        /// The install was at 6:00.
        func arrival(hoursEarlier: Int = 0) -> PostgresTimestamp {
            let install: Int64 = 1_790_920_800_000
            return PostgresTimestamp(millisecondsSince1970: install + Int64(hours - hoursEarlier) * 3_600_000)
        }
    }

    /// A value in all windows has a meaning from `since` on: an event that brings `revenue`; another value has none.
    private func load(_ revenue: String, since: PostgresTimestamp) async throws {
        let meaning = #"{"events": [{"name": "purchase", "revenue": {"from": \#(revenue), "to": \#(revenue)}}]}"#
        let coarse = #""coarse": {"low": \#(meaning)}"#
        let start = try #require(
            try await database.value(
                """
                SELECT to_char(to_timestamp(\(since.millisecondsSince1970) / 1000.0) AT TIME ZONE 'UTC',
                               'YYYY-MM-DD"T"HH24:MI:SS"Z"')
                """))
        let scheme = try SchemeFile.read(
            Array(
                """
                {"app-id": 525463029, "name": "s", "valid-from": "\(start)", "currency": "USD",
                 "fine": [{"value": 7, "events": [{"name": "purchase",
                           "revenue": {"from": \(revenue), "to": \(revenue)}}]}],
                 "windows": [{"index": 0, \(coarse)}, {"index": 1, \(coarse)}, {"index": 2, \(coarse)}]}
                """.utf8))
        _ = try await PostbackStore.current.load([scheme])
    }

    /// Stores ten postbacks, of which `mapped` have the value that the scheme has, and the cost of their campaign.
    private func store(_ reason: Reason, _ window: Window, mapped: Int) async throws {
        let keys = try TestKeys()
        let deliveries = try (0..<10).map { number in
            let body = try TestPostback {
                $0.version = "4.0"
                ($0.sourceAppID, $0.sequenceIndex) = (nil, window.index)
                // With four digits, the tier lets a value through.
                $0.sourceIdentifier = reason == .withheld ? "39" : "5239"
                let hasMeaning = number < mapped
                if hasMeaning || ![.withheld, .notSet].contains(reason) {
                    if window.index == 0 {
                        $0.conversionValue = hasMeaning || reason != .unmapped ? 7 : 8
                    } else {
                        $0.coarseConversionValue = hasMeaning || reason != .unmapped ? "low" : "high"
                    }
                }
            }.body(keys.postbackKeyP256)
            return PostbackDelivery(try keys.verified(body), receivedAt: window.arrival())
        }
        for result in await PostbackStore.current.record(deliveries) { _ = try result.get() }
        try await PostbackStore.current.foldAnswers()
        let named = MappingFiles.group("39", "autumn", ["ad_network_id": "example123.skadnetwork"])
        _ = try await PostbackStore.current.load(MappingFiles.read(MappingFiles.csv([named])))
        let spend = [
            "day": "2026-10-02", "ad_network_id": "example123", "advertised_app_id": "525463029",
            "campaign_id": "autumn", "spend": "100",
        ]
        _ = try await SpendFiles([SpendFiles.row(spend)]).load(into: PostbackStore.current)
    }

    /// What reports of cost and cohorts show of one window, both by range and by day.
    private func expect(_ window: Window, _ columns: String, cost: String, cohort: String) async throws {
        let index = window.index
        for report in ["report_cost", "report_cost_daily"] {
            try await database.expect(
                """
                SELECT *, revenue_\(index)_low AS low, revenue_\(index)_middle AS middle, revenue_\(index)_high AS high
                  FROM attribution.\(report)('2026-10-02', '2026-10-02', an_environment => 'test')
                """,
                """
                campaign_id  cost  low  middle  high  revenue_low  revenue_high  roas_low  roas_middle  roas_high  \(columns)
                autumn       100   \(cost)
                """)
        }
        for report in ["report_cohort", "report_cohort_daily"] {
            try await database.expect(
                """
                SELECT *, revenue_\(index)_low AS low, revenue_\(index)_middle AS middle, revenue_\(index)_high AS high
                  FROM attribution.\(report)('2026-10-02', '2026-10-02', an_environment => 'test')
                """,
                """
                low  middle  high  \(columns)
                \(cohort)
                """)
        }
    }

    /// What the reports of answers show of the winning postbacks, by range and by day, of arrival and of the install.
    private func expectAnswers(_ row: String) async throws {
        for day in ["install", "arrival"] {
            for family in ["campaign", "source_identifier", "traits", "source", "version", "app_source", "mapping"] {
                let report = "report_\(day)_\(family)"
                for source in ["\(report)('2026-10-02', 'infinity', an_environment => 'test')", "\(report)_daily_all"] {
                    // An identifier has a row for each of its levels, all with the same figures.
                    try await database.expect(
                        """
                        SELECT DISTINCT postbacks, mapped, revenue_low AS low, revenue_middle AS middle, revenue_high AS high
                          FROM attribution.\(source)
                        """,
                        """
                        postbacks  mapped  low  middle  high
                        \(row)
                        """)
                }
            }
        }
    }

    // Before, all of them were shown as complete, with a revenue of 0 to 0 and a return of 0.
    @Test(
        "If no value is mapped, revenue and return are NULL, and the row says why",
        arguments: Window.all.flatMap { window in window.reasons.map { (window, $0) } })
    func nothingMapped(_ window: Window, _ reason: Reason) async throws {
        switch reason {
        case .noScheme: break
        // The app set the value up to 24 hours before the arrival.
        case .ambiguous: try await load("5", since: window.arrival(hoursEarlier: 48))
        default: try await load("5", since: window.arrival(hoursEarlier: 2_000))
        }
        try await store(reason, window, mapped: 0)
        try await expect(
            window, "postbacks_\(window.index)  mapped_\(window.index)  \(reason.rawValue)_\(window.index)",
            cost: "-  -  -  -  -  -  -  -  10  0  10", cohort: "-  -  -  10  0  10")
        // Before: 0, 0 and 0.
        try await expectAnswers("10         0       -    -       -")
    }

    @Test("If some values are mapped, revenue and return are theirs; the others are counted")
    func someMapped() async throws {
        let window = Window.all[0]
        try await load("5", since: window.arrival(hoursEarlier: 2_000))
        try await store(.unmapped, window, mapped: 2)
        try await expect(
            window, "postbacks_0  mapped_0  unmapped_0",
            cost: "10  10  10  10  10  0.1  0.1  0.1  10  2  8", cohort: "10  10  10  10  2  8")
        try await expectAnswers("10         2       10   10      10")
    }

    @Test("Mapped values that bring nothing are a revenue and a return of 0")
    func nothingBought() async throws {
        let window = Window.all[0]
        try await load("0", since: window.arrival(hoursEarlier: 2_000))
        try await store(.unmapped, window, mapped: 10)
        try await expect(
            window, "postbacks_0  mapped_0  unmapped_0",
            cost: "0  0  0  0  0  0  0  0  10  10  0", cohort: "0  0  0  10  10  0")
        try await expectAnswers("10         10      0    0       0")
    }

    @Test("Postbacks that did not win have no revenue, since they have no value")
    func lost() async throws {
        try await load("5", since: Window.all[0].arrival(hoursEarlier: 2_000))
        let keys = try TestKeys()
        let body = try TestPostback {
            ($0.version, $0.sourceAppID, $0.didWin) = ("4.0", nil, false)
        }.body(keys.postbackKeyP256)
        let delivery = PostbackDelivery(try keys.verified(body), receivedAt: Window.all[0].arrival())
        for result in await PostbackStore.current.record([delivery]) { _ = try result.get() }
        try await PostbackStore.current.foldAnswers()
        // Before: 0, 0 and 0.
        try await expectAnswers("1          0       -    -       -")
    }
}
