import PageFigures
import PageRequests
import PageViews
import Reports

extension CampaignFigures {
    /// The charts by day, two in a row.
    var trend: [FigurePlan] {
        let currency = filters.currency
        let first = "Of the first window; pale bars are of days that are not complete yet."
        let installs = day(
            "installs", "Installs by day", "By the day of the install. \(first)",
            [FigureColumn("installs", "Installs", .integer)]
        ) { chart($0, [("installs", "Installs")], zeros: ["installs"]) }
        let missing = day(
            "missing", "Missing values by kind and day", "As shares of the postbacks of a day. \(first)",
            [
                FigureColumn("postbacks", "Postbacks", .integer), FigureColumn("withheld", "Withheld", .integer),
                FigureColumn("not_set", "Not set", .integer),
                FigureColumn("not_applicable", "Not applicable", .integer),
                FigureColumn("missing_share", "Share without a value (null rate)", .share),
            ]
        ) { rows in
            OverviewScreen.missing(Self.byDay(rows), filters, path: OneCampaignScreen.place.path)
        }
        guard hasCost else { return [installs, missing] }
        return [
            installs,
            day(
                "cost", "Cost per install (CPI) by day, \(currency)",
                "Spend of a day divided by its installs; too high while installs can come. Without spend or without "
                    + "installs there is none.",
                [
                    FigureColumn("installs", "Installs", .integer), FigureColumn("spend", "Spend", .money),
                    FigureColumn("cost_per_install", "Cost per install (CPI)", .money),
                ]
            ) { chart($0, [("cost_per_install", "Cost per install")]) },
            day(
                "return", "Return (ROAS) of the first window by day",
                "The middle of the revenue of the first window, divided by the spend of the day.",
                [
                    FigureColumn("spend", "Spend, \(currency)", .money),
                    FigureColumn("revenue_low", "Revenue at least", .money),
                    FigureColumn("revenue_middle", "Middle", .money),
                    FigureColumn("revenue_high", "At most", .money), FigureColumn("return", "Return", .share),
                ]
            ) { chart($0, [("return", "Return")], isShare: true) },
            missing,
        ]
    }

    private func day(
        _ id: String, _ heading: String, _ remark: String, _ columns: [FigureColumn],
        _ chart: @escaping @Sendable (FigureRows) -> ChartData
    ) -> FigurePlan {
        plan(
            .days, id: id, heading, remark,
            [FigureColumn("first_day", "Day", isHeader: true)] + columns
                + [FigureColumn("complete", "State", .complete)], chart: chart)
    }

    private func chart(
        _ rows: FigureRows, _ series: [(name: String, label: String)], zeros: [String] = [], isShare: Bool = false
    ) -> ChartData {
        OverviewScreen.chart(
            Self.byDay(rows), filters, series, zeros: zeros, isShare: isShare, path: OneCampaignScreen.place.path)
    }

    /// The rows with the name of the day that charts use.
    private static func byDay(_ rows: FigureRows) -> FigureRows {
        FigureRows(names: rows.names.map { $0 == "first_day" ? "day" : $0 }, rows: rows.rows)
    }
}
