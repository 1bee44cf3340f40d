import PageFigures
import PageViews
import Reports

extension CampaignFigures {
    private typealias Form = FigureColumn.Form

    /// What each window brought for the money, each over the days that are complete in it.
    var windows: FigurePlan {
        let (currency, hasCost) = (filters.currency, hasCost)
        var columns: [FigureColumn] = [
            FigureColumn("period", "Window", isHeader: true), FigureColumn("first_day", "First day"),
            FigureColumn("last_day", "Last day"), FigureColumn("days", "Days", .integer),
            FigureColumn("postbacks", "Postbacks", .integer), FigureColumn("mapped", "Mapped values", .integer),
            FigureColumn("revenue_low", "Revenue at least", .money),
            FigureColumn("revenue_middle", "Middle", .money), FigureColumn("revenue_high", "At most", .money),
            FigureColumn("revenue_without_rate", "Values without a rate", .integer),
        ]
        if hasCost {
            columns += [
                FigureColumn("spend", "Spend, \(currency)", .money),
                FigureColumn("return_low", "Return (ROAS) at least", .share),
                FigureColumn("return", "Middle", .share), FigureColumn("return_high", "At most", .share),
            ]
        }
        return plan(
            .windows, id: "windows",
            hasCost ? "Return by window, \(currency)" : "Revenue by window, \(currency)",
            "Revenue of mapped values\(hasCost ? ", divided by the spend of the same days" : ""). A window counts over the "
                + "days that are complete in it, which takes about 5, 14 and 42 days.", columns,
            tiles: { rows in
                let rows = Rows(rows, by: "period")
                return Self.windows.map { Self.tile($0, rows, hasCost: hasCost, currency) }
            })
    }

    private static func tile(_ window: String, _ rows: Rows, hasCost: Bool, _ currency: String) -> Tile {
        let label = hasCost ? "Return (ROAS), \(window)" : "Revenue, \(window), \(currency)"
        let (name, form): (String, Form) = hasCost ? ("return", .share) : ("revenue_middle", .money)
        guard let row = rows[window] else {
            let soFar =
                window == windows.last
                ? "; so far revenue \(Form.money.shown(rows[windowsSoFar]?["revenue_middle"]))" : ""
            return Tile(
                label, rows.number(window, name, form), note: "none of these days is complete in it yet\(soFar)")
        }
        let days = "\(row["first_day"] ?? "") to \(row["last_day"] ?? "")"
        let (low, high) = hasCost ? ("return_low", "return_high") : ("revenue_low", "revenue_high")
        let range = row[low] == nil && row[high] == nil ? [] : ["\(form.shown(row[low])) to \(form.shown(row[high]))"]
        let revenue =
            hasCost && row["revenue_middle"] != nil ? ["revenue \(Form.money.shown(row["revenue_middle"]))"] : []
        let notes = [unknown(row, hasCost: hasCost)].compactMap(\.self) + range + revenue + [days]
        return Tile(label, rows.number(window, name, form), note: notes.joined(separator: "; "))
    }

    /// Why a return or a revenue is not known; nil if it is.
    private static func unknown(_ row: [String: String], hasCost: Bool) -> String? {
        if row["postbacks"] == "0" { return "no postbacks" }
        if let count = row["revenue_without_rate"], count != "0" {
            return
                "not known: \(Form.integer.shown(count)) values have no currency rate of their day; Spend takes rates"
        }
        if row["mapped"] == "0" { return "not known: no value is mapped; see why below" }
        if hasCost, let note = spendNote(row) { return note }
        return row["revenue_middle"] == nil ? "the middle is not known: some revenue is unknown" : nil
    }
}
