import AdAttribution
import PageFigures
import PageViews

extension OverviewScreen {
    /// Sums of the days that are complete, beside those of as many days before.
    static func totals(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> FigurePlan {
        let days = filters.days
        let currency = filters.currency
        return FigurePlan(
            id: "totals", heading: "\(days.lowerBound) to \(days.upperBound)",
            remark: "Installs by their day, and what they brought and cost.",
            rowRemark: { TotalRows($0, filters).remark(filters) },
            question: try totalsQuestion(filters, reports),
            columns: [
                FigureColumn("period", "Period", isHeader: true),
                FigureColumn("first_day", "First day"), FigureColumn("last_day", "Last day"),
                FigureColumn("days", "Days", .integer),
                FigureColumn("installs", "Installs", .integer),
                FigureColumn("revenue_low", "Revenue at least, \(currency)", .money),
                FigureColumn("revenue_middle", "Middle", .money), FigureColumn("revenue_high", "At most", .money),
                FigureColumn("revenue_all", "All windows so far", .money),
                FigureColumn("spend", "Spend, \(currency)", .money),
                FigureColumn("return_low", "Return (ROAS) at least", .share), FigureColumn("return", "Middle", .share),
                FigureColumn("return_high", "At most", .share),
                FigureColumn("postbacks", "Postbacks", .integer), FigureColumn("withheld", "Withheld", .integer),
                FigureColumn("not_set", "Not set", .integer),
                FigureColumn("not_applicable", "Not applicable", .integer),
                FigureColumn("missing_share", "Share without a value (null rate)", .share),
                FigureColumn("mapped", "Mapped values", .integer),
                FigureColumn("revenue_without_rate", "Of them without a rate", .integer),
                FigureColumn("without_rate", "Rows of spend without a rate", .integer),
            ], tiles: { TotalRows($0, filters).tiles(currency) }, advice: filters.advice)
    }
}

/// The rows of the totals, by their periods.
private struct TotalRows {
    private typealias Form = FigureColumn.Form

    private let rows: [OverviewScreen.Period: [String: String]]
    private let environment: String
    /// Whether spend is known of what the filters choose: it is by mapped campaign.
    private let hasSpend: Bool

    init(_ rows: FigureRows, _ filters: PageFilters) {
        environment = filters.environment
        hasSpend = OverviewScreen.hasSpend(filters)
        let pairs = rows.rows.compactMap { row in
            row.first.flatMap(\.self).flatMap(OverviewScreen.Period.init).map { ($0, rows.members(row)) }
        }
        self.rows = Dictionary(pairs) { first, _ in first }
    }

    private subscript(_ period: OverviewScreen.Period) -> [String: String] { rows[period] ?? [:] }

    /// Which days the totals are of, and which are those before.
    func remark(_ filters: PageFilters) -> String? {
        filters.textOfTotals(
            all: self[.soFar], before: self[.before],
            none: "more postbacks of the first window can arrive. So there are no totals, only what came so far.")
    }

    func tiles(_ currency: String) -> [Tile] {
        [
            tile("Installs", "installs", .integer, note: soFar("installs", .integer)),
            tile(
                "Revenue of the first window, \(currency)", "revenue_middle", .money,
                note: revenueNote ?? range("revenue_low", "revenue_high", .money) + openNote),
            tile(
                "Revenue of all windows, \(currency)", "revenue_all", .money, of: .completeInAllWindows,
                before: .beforeInAllWindows, note: allWindowsNote),
            tile("Spend, \(currency)", "spend", .money, note: spendNote),
            tile(
                "Return of the first window (ROAS)", "return", .share,
                note: returnNote ?? range("return_low", "return_high", .share)),
            tile(
                "Share without a value (null rate)", "missing_share", .share,
                note: [("withheld", "withheld"), ("not set", "not_set"), ("not applicable", "not_applicable")].map {
                    "\($0) \(Form.integer.shown(self[.complete][$1]))"
                }.joined(separator: ", ")),
        ]
    }

    private func tile(
        _ label: String, _ name: String, _ form: FigureColumn.Form, of period: OverviewScreen.Period = .complete,
        before: OverviewScreen.Period = .before, note: String?
    ) -> Tile {
        func number(_ period: OverviewScreen.Period) -> Tile.Number {
            Tile.Number(form.shown(self[period][name]), exact: self[period][name] ?? "")
        }
        return Tile(label, number(period), note: note, before: number(before))
    }

    private func range(_ low: String, _ high: String, _ form: FigureColumn.Form) -> String {
        "\(form.shown(self[.complete][low])) to \(form.shown(self[.complete][high]))"
    }

    /// What there is of all days; nil if all are complete.
    private func soFar(_ name: String, _ form: FigureColumn.Form) -> String? {
        let all = self[.soFar]
        guard self[.complete]["days"] != all["days"] else { return nil }
        return "so far \(form.shown(all[name])) in all \(all["days"] ?? "") days"
    }

    private var openNote: String {
        self[.complete]["revenue_open"].map { $0 == "0" ? "" : " and more: some values have no upper end" } ?? ""
    }

    /// Why the revenue is not known; nil if it is.
    private var revenueNote: String? {
        let complete = self[.complete]
        guard !complete.isEmpty, complete["revenue_middle"] == nil else { return nil }
        if let count = complete["revenue_without_rate"], count != "0" {
            return "not known: \(Form.integer.shown(count)) values have no currency rate of their day"
        }
        if complete["mapped"] == "0" { return "not known: no value is mapped" }
        return range("revenue_low", "revenue_high", .money) + ", the middle is not known: some revenue is unknown"
    }

    /// Why there is no return; nil if there is one, or if revenue or spend says why.
    private var returnNote: String? {
        guard hasSpend else { return "not known: spend is known by mapped campaign only" }
        return self[.complete]["postbacks"] == "0" ? "not known: \(withoutPostbacks)" : nil
    }

    private var withoutPostbacks: String { "no postbacks of these days and filters in \(environment)" }

    private var allWindowsNote: String {
        let (complete, all) = (self[.completeInAllWindows], self[.soFar])
        let soFar = "so far \(Form.money.shown(all["revenue_all"])) in all \(all["days"] ?? "") days"
        guard let first = complete["first_day"], let last = complete["last_day"] else {
            return "no day is complete in all windows, which takes up to 42 days; \(soFar)"
        }
        guard complete["days"] != all["days"] else { return "the middle" }
        return "the middle, \(first) to \(last), of which all windows are complete; \(soFar)"
    }

    private var spendNote: String? {
        guard hasSpend else { return "not known: it is known by mapped campaign only" }
        let complete = self[.complete]
        guard complete["spend"] == nil else {
            let remark = complete["postbacks"] == "0" ? "spend belongs to no environment" : nil
            let notes = [remark, soFar("spend", .money)].compactMap(\.self)
            return notes.isEmpty ? nil : notes.joined(separator: "; ")
        }
        if let count = complete["without_rate"], count != "0" {
            return "not known: \(Form.integer.shown(count)) rows have no rate of their day"
        }
        return self[.soFar]["spend"] == nil ? "none is loaded" : soFar("spend", .money)
    }
}
