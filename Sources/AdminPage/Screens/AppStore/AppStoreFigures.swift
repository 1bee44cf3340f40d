import AdAttribution
import PageFigures
import Reports

/// The figures of *App Store*.
struct AppStoreFigures: Sendable {
    let filters: PageFilters
    let reports: ScreenReports
    let choice: StoreAppChoice

    /// A report of the App Store, summed over the apps that are shown.
    func summary(
        _ name: String, by groups: [String], _ figures: [ReportSummary.Figure]
    ) throws(FieldError) -> ReportSummary {
        try reports.summary("app_store_\(name)", choice.bundleIDs.map { ("bundle_id", $0) }, by: groups, figures)
    }

    /// Transactions by day and currency, and by other columns; the day decides the rate.
    func paid(by others: [String] = []) throws(FieldError) -> ReportSummary {
        let figures = ["transactions", "family_shares", "without_price", "refunds", "gross", "refunded", "net"]
        return try summary("revenue", by: ["day"] + others + ["currency"], figures.map { .init($0, .sum([$0])) })
    }

    /// What follows FROM: what was paid, and its amounts in the chosen currency; NULL without a rate of the day.
    func converted(_ paid: ReportSummary, _ values: inout StatementValues) -> String {
        let text = paid.text(&values)
        let currency = values.bind(.text(filters.currency))
        let amounts = ["gross", "refunded", "net"].map {
            "attribution.converted(\($0), currency, \(currency), day) AS \($0)_in"
        }
        return """
            (
            \(text)
            ) AS paid
             CROSS JOIN LATERAL (SELECT \(amounts.joined(separator: ",\n       "))) AS amounts
            """
    }

    /// An amount in the chosen currency; NULL if a rate is missing, or if no transaction has a price.
    ///
    /// - Parameter kind: `new` or `renewal`; nil for both.
    static func amount(_ name: String, _ kind: String? = nil) -> String {
        let rows = kind.map { "kind = '\($0)'" } ?? "true"
        return """
            CASE WHEN coalesce(sum(transactions) FILTER (WHERE \(rows)), 0) = 0 THEN 0
                        WHEN count(*) FILTER (WHERE \(rows) AND \(name)_in IS NULL) = 0
                             AND sum(transactions - without_price) FILTER (WHERE \(rows)) > 0
                        THEN sum(\(name)_in) FILTER (WHERE \(rows)) END AS \(kind.map { "\(name)_\($0)" } ?? name)
            """
    }

    /// Transactions with a price that has no rate of its day.
    static let withoutRate =
        "coalesce(sum(transactions - without_price) FILTER (WHERE gross_in IS NULL), 0) AS without_rate"

    /// A sum; 0 without rows.
    static func sum(_ name: String) -> String { "coalesce(sum(\(name)), 0) AS \(name)" }

    /// What to do if there are no rows.
    var advice: String {
        "The App Store has told of no such transaction in \(filters.environment) from \(filters.days.lowerBound) to "
            + "\(filters.days.upperBound). Choose more days or another environment, or let Apple send notifications to "
            + "this server: docs/app-store.md says how."
    }
}
