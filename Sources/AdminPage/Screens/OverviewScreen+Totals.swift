import AdAttribution
import PostgresClient

extension OverviewScreen {
    /// Sums of the days, beside those of as many days before them.
    static func totals(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> FigurePlan {
        let (first, last) = (filters.days.lowerBound, filters.days.upperBound)
        let currency = filters.currency
        let before = filters.daysBefore.map {
            " Before: the \(last.daysSince2000 - first.daysSince2000 + 1) days before them, "
                + "\($0.lowerBound) to \($0.upperBound)."
        }
        return FigurePlan(
            id: "totals", heading: "\(first) to \(last)",
            remark: "Installs of these days, UTC, and what they brought and cost." + (before ?? ""),
            question: try totalsQuestion(filters, reports),
            columns: [
                FigureColumn("period", "Period", isHeader: true),
                FigureColumn("first_day", "First day"),
                FigureColumn("last_day", "Last day"),
                FigureColumn("installs", "Installs", .integer),
                FigureColumn("revenue_low", "Revenue at least, \(currency)", .money),
                FigureColumn("revenue_middle", "Middle", .money), FigureColumn("revenue_high", "At most", .money),
                FigureColumn("revenue_all", "All windows so far", .money),
                FigureColumn("spend", "Spend, \(currency)", .money),
                FigureColumn("return_low", "Return at least", .share), FigureColumn("return", "Middle", .share),
                FigureColumn("return_high", "At most", .share),
                FigureColumn("postbacks", "Postbacks", .integer), FigureColumn("withheld", "Withheld", .integer),
                FigureColumn("not_set", "Not set", .integer),
                FigureColumn("not_applicable", "Not applicable", .integer),
                FigureColumn("missing_share", "Share without a value", .share),
                FigureColumn("complete", "State", .complete),
            ], tiles: { tiles($0, currency) }, advice: filters.advice)
    }

    private static func tiles(_ rows: FigureRows, _ currency: String) -> [Tile] {
        func period(_ name: String) -> [String: String] {
            rows.rows.first { $0.first == name }.map(rows.members) ?? [:]
        }
        let (chosen, before) = (period("chosen"), period("before"))
        func tile(_ label: String, _ name: String, _ form: FigureColumn.Form, _ note: String? = nil) -> Tile {
            func number(_ row: [String: String]) -> Tile.Number {
                Tile.Number(form.shown(row[name]), exact: row[name] ?? "")
            }
            return Tile(label, number(chosen), note: note, before: number(before))
        }
        func range(_ low: String, _ high: String, _ form: FigureColumn.Form) -> String {
            "\(form.shown(chosen[low])) to \(form.shown(chosen[high]))"
        }
        let isOpen = chosen["revenue_open"].map { $0 != "0" } ?? false
        let withoutRate = chosen["without_rate"].flatMap {
            $0 == "0" ? nil : "not known: \($0) rows have no rate of their day"
        }
        return [
            tile("Installs", "installs", .integer, FigureColumn.Form.complete.shown(chosen["complete"])),
            tile(
                "Revenue of the first window, \(currency)", "revenue_middle", .money,
                chosen["revenue_low"] == nil
                    ? "not known: no value is mapped"
                    : range("revenue_low", "revenue_high", .money)
                        + (isOpen ? " and more: some values have no upper end" : "")),
            tile(
                "Revenue of all windows so far, \(currency)", "revenue_all", .money,
                "the middle; later windows take up to 42 days"),
            tile(
                "Spend, \(currency)", "spend", .money,
                withoutRate ?? (chosen["spend"] == nil ? "none is loaded" : nil)),
            tile("Return of the first window", "return", .share, range("return_low", "return_high", .share)),
            tile(
                "Share without a value", "missing_share", .share,
                [("withheld", "withheld"), ("not set", "not_set"), ("not applicable", "not_applicable")].map {
                    "\($0) \(FigureColumn.Form.integer.shown(chosen[$1]))"
                }.joined(separator: ", ")),
        ]
    }
}
