import Reports

extension CampaignFigures {
    /// The charts by day, two in a row.
    var trend: [FigurePlan] {
        let currency = filters.currency
        let first = "Of the first window; pale bars are of days that are not complete yet."
        let installs = day(
            "installs", "Installs by day", "By the day of the install. \(first)",
            [FigureColumn("installs", "Installs", .integer)]
        ) { OverviewScreen.chart(Self.byDay($0), [("installs", "Installs")]) }
        let missing = day(
            "missing", "Missing values by kind and day", "As shares of the postbacks of a day. \(first)",
            [
                FigureColumn("postbacks", "Postbacks", .integer), FigureColumn("withheld", "Withheld", .integer),
                FigureColumn("not_set", "Not set", .integer),
                FigureColumn("not_applicable", "Not applicable", .integer),
                FigureColumn("missing_share", "Share without a value (null rate)", .share),
            ]
        ) { OverviewScreen.missing(Self.byDay($0)) }
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
            ) { OverviewScreen.chart(Self.byDay($0), [("cost_per_install", "Cost per install")]) },
            day(
                "return", "Return (ROAS) of the first window by day",
                "The middle of the revenue of the first window, divided by the spend of the day.",
                [
                    FigureColumn("spend", "Spend, \(currency)", .money),
                    FigureColumn("revenue_low", "Revenue at least", .money),
                    FigureColumn("revenue_middle", "Middle", .money),
                    FigureColumn("revenue_high", "At most", .money), FigureColumn("return", "Return", .share),
                ]
            ) { rows in
                let rows = Self.byDay(rows)
                return ChartData(
                    places: rows.labels("day"), series: [.init("Return", rows.numbers("return"))],
                    isIncomplete: rows.isIncomplete("complete"), isShare: true)
            },
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

    /// The rows with the name of the day that charts use.
    private static func byDay(_ rows: FigureRows) -> FigureRows {
        FigureRows(names: rows.names.map { $0 == "first_day" ? "day" : $0 }, rows: rows.rows)
    }
}
