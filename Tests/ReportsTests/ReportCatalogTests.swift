import PostgresClient
import Reports
import TestSupport
import Testing

@testable import PostbackStore
@testable import Reports

@Suite("The list of reports", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct ReportCatalogTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    /// The names, as programs hold on to them.
    private static let names: Set<String> = Set(
        (["arrival", "install"].flatMap { day in
            [
                "app_source", "campaign", "event", "impression", "mapping", "source", "source_identifier", "traits",
                "version",
            ].flatMap { ["\(day)_\($0)", "\(day)_\($0)_daily"] }
        })
            + [
                "campaign", "campaign_daily", "source_app_daily", "conversion_value", "conversion_value_daily",
                "source_identifier", "source_identifier_daily", "tier", "value_health", "value_health_daily", "cohort",
                "cohort_daily", "cost", "cost_daily", "event_cost", "event_cost_daily", "modelled_revenue",
                "modelled_revenue_by_app", "modelled_revenue_by_network", "copy_agreement", "campaign_summary",
                "value_change", "value_change_weekly", "arrival_event_mapping", "arrival_event_mapping_daily",
                "install_event_mapping", "install_event_mapping_daily", "cohort_mapping", "cohort_mapping_daily",
                "app_store_revenue", "app_store_refunds", "app_store_cohorts", "app_store_at_risk",
                "app_store_calibration", "app_store_calibration_ranges", "app_store_allocation",
                "apple_ads", "apple_ads_skadnetwork",
            ])

    @Test("It has each report once, and each view and function of reports is one or belongs to one")
    func complete() async throws {
        let reports = try await store.reportCatalog().reports
        #expect(reports.count == Self.names.count)
        #expect(Set(reports.map(\.name)) == Self.names)
        let inDatabase = try await database.column(
            """
            SELECT DISTINCT regexp_replace(name, '^report_(.*?)(_all)?$', '\\1') FROM (
                SELECT relname FROM pg_class WHERE relnamespace = 'attribution'::regnamespace AND relkind = 'v'
                UNION ALL
                SELECT proname FROM pg_proc WHERE pronamespace = 'attribution'::regnamespace) AS known (name)
             WHERE name LIKE 'report\\_%' AND name <> 'report_delivery'
            """)
        #expect(Set(inDatabase.compactMap { $0 }) == Self.names)
    }

    @Test("Each report and each column has a meaning, and no parameter has the name of another column")
    func described() async throws {
        for report in try await store.reportCatalog().reports {
            #expect(!report.meaning.isEmpty, "\(report.name)")
            #expect(!report.meaning.contains("environment"), "\(report.meaning)")
            #expect(report.columns.first?.name == "environment")
            // There are no copies of what the App Store and Apple Ads tell.
            let isOfApple = report.name.hasPrefix("app_store_") || report.name.hasPrefix("apple_ads")
            #expect((report.columns[1].name == "developer_copy") != isOfApple)
            for column in report.columns {
                #expect(!column.meaning.isEmpty, "\(report.name).\(column.name)")
                // Texts, days and small numbers say what a row is about; the rest are figures.
                let isFigure =
                    column.name.hasPrefix("first_") || column.name.hasPrefix("last_")
                    || column.name.hasPrefix("modelled_")
                    || report.name.hasPrefix("conversion_value")
                        && ["events", "possible_events", "currency"].contains(column.name)
                if [.text, .date].contains(column.form) { #expect(column.isDimension != isFigure) }
                if column.form == .decimal { #expect(!column.isDimension) }
            }
            let shared = Set(report.columns.map(\.name)).intersection(report.parameters.map(\.name))
            #expect(shared.subtracting(["advertised_app_id"]).isEmpty)
        }
    }

    @Test("The dimensions of each report are its key, in every order it is read to its end")
    func keys() async throws {
        let keys = try TestKeys()
        let time = PostgresTimestamp(millisecondsSince1970: 1_790_000_000_000)
        let deliveries = try keys.simulate(seed: 5, count: 600).map {
            PostbackDelivery(try keys.verified($0), receivedAt: time)
        }
        _ = await store.record(deliveries)
        _ = try await store.fold(waits: true)
        _ = try await store.foldAnswers(waits: true)
        var filled = 0
        for report in try await store.reportCatalog().reports {
            let days = report.takesDays ? ["from=2026-06-01", "to=2026-09-30"] : []
            let rows = try await store.rows(report.name, days + ["environment=test"])
            let places = report.columns.indices.filter { report.columns[$0].isDimension }
            #expect(Set(rows.map { row in places.map { row[$0] } }).count == rows.count, "\(report.name)")
            if !rows.isEmpty { filled += 1 }
            let last = try #require(report.columns.last).name
            let sorted = try await store.rows(report.name, days + ["environment=test", "sort=-\(last)"])
            #expect(Set(sorted) == Set(rows), "\(report.name)")
        }
        #expect(filled > 25)
    }
}
