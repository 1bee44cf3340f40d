extension OverviewScreen {
    /// A chart by day of columns upon each other.
    static func chart(
        _ rows: FigureRows, _ series: [(name: String, label: String)], isIncomplete: [Bool]? = nil
    ) -> ChartData {
        ChartData(
            places: rows.labels("day"), series: series.map { .init($0.label, rows.numbers($0.name)) },
            isIncomplete: isIncomplete ?? rows.isIncomplete("complete"))
    }

    /// Revenue with its range.
    static func revenue(_ rows: FigureRows) -> ChartData {
        ChartData(
            places: rows.labels("day"), series: [.init("Middle of the revenue", rows.numbers("revenue_middle"))],
            ranges: rows.ranges("revenue_low", "revenue_high"),
            isIncomplete: rows.isIncomplete("complete"))
    }

    /// Missing values as shares of the postbacks of a day.
    static func missing(_ rows: FigureRows) -> ChartData {
        let postbacks = rows.numbers("postbacks")
        func share(_ name: String) -> [Double] {
            zip(rows.numbers(name), postbacks).map { $1 > 0 ? $0 / $1 : 0 }
        }
        return ChartData(
            places: rows.labels("day"),
            series: [
                .init("Withheld", share("withheld")), .init("Not set", share("not_set")),
                .init("Not applicable", share("not_applicable")),
            ], isIncomplete: rows.isIncomplete("complete"), isShare: true)
    }
}
