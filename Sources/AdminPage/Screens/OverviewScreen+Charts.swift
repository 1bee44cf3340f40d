import PageFigures
import PageRequests
import PageViews
import PostgresClient

extension OverviewScreen {
    /// A chart by day, in which each day leads to itself, or to where a link leads.
    ///
    /// - Parameters:
    ///   - path: The screen to which days lead.
    ///   - link: The address to which a day leads in place of it.
    ///   - zeros: The columns that are 0 on a day without a row, until today. The others are not known then.
    ///   - isIncomplete: Whether more may come on a day; by default the columns `complete` and `complete_up_to` say it.
    static func chart(
        _ rows: FigureRows, _ filters: PageFilters, name: String? = nil, _ series: [(name: String, label: String)],
        zeros: [String] = [], range: (low: String, high: String)? = nil,
        isIncomplete: ((_ day: String) -> Bool)? = nil, isShare: Bool = false, others: [ChartData] = [],
        path: String = place.path, link: ((_ day: String) -> String?)? = nil
    ) -> ChartData {
        let rows = everyDay(rows, filters, zeros: zeros)
        let days = rows.labels("day")
        return ChartData(
            name: name, places: days, series: series.map { .init($0.label, rows.numbers($0.name)) },
            ranges: range.map { rows.ranges($0.low, $0.high) } ?? [],
            isIncomplete: isIncomplete.map { days.map($0) } ?? rows.isIncomplete("complete"),
            isShare: isShare, links: link.map { days.map($0) } ?? links(days, filters, path), others: others)
    }

    /// Spend, and below it the return with its range.
    static func spend(_ rows: FigureRows, _ filters: PageFilters) -> ChartData {
        let returns = everyDay(rows, filters, zeros: [])
        let days = returns.labels("day")
        return chart(
            rows, filters, name: "Spend by day, \(filters.currency)", [("spend", "Spend")],
            isIncomplete: filters.isNotOver,
            others: [
                ChartData(
                    name: "Return by day", places: days, series: [.init("Return", returns.numbers("return"))],
                    ranges: returns.ranges("return_low", "return_high"),
                    isIncomplete: returns.isIncomplete("complete"), isShare: true,
                    links: links(days, filters, place.path))
            ])
    }

    /// Missing values as shares of the postbacks of a day.
    static func missing(
        _ rows: FigureRows, _ filters: PageFilters, path: String = place.path
    ) -> ChartData {
        let rows = everyDay(rows, filters, zeros: [])
        let postbacks = rows.numbers("postbacks")
        func share(_ name: String) -> [Double?] {
            zip(rows.numbers(name), postbacks).map { part, all in
                guard let part, let all, all > 0 else { return nil }
                return part / all
            }
        }
        let days = rows.labels("day")
        return ChartData(
            places: days,
            series: [
                .init("Withheld", share("withheld")), .init("Not set", share("not_set")),
                .init("Not applicable", share("not_applicable")),
            ], isIncomplete: rows.isIncomplete("complete"), isShare: true,
            links: links(days, filters, path))
    }

    private static func links(_ days: [String], _ filters: PageFilters, _ path: String) -> [String?] {
        days.map { filters.address(path, day: $0) }
    }

    /// The most days of an axis on which days without a row have their place too.
    private static let mostDays = 400

    /// The rows of all days, so that the axis has no gap.
    ///
    /// A day without a row is not complete if it lies behind `complete_up_to`: more of it can arrive. Nor is it if a day
    /// before it is not complete.
    ///
    /// - Parameter zeros: The columns that are 0 on a day without a row; the others are NULL then, and all are after today.
    private static func everyDay(_ rows: FigureRows, _ filters: PageFilters, zeros: [String]) -> FigureRows {
        let (first, last) = (filters.days.lowerBound.daysSince2000, filters.days.upperBound.daysSince2000)
        guard last - first < mostDays else { return rows }
        let known = Dictionary(zip(rows.labels("day"), rows.rows)) { row, _ in row }
        let open = Set(zip(rows.labels("day"), rows.isIncomplete("complete")).filter(\.1).map(\.0))
        let upTo = rows.texts("complete_up_to").compactMap { $0.flatMap { PostgresDate($0)?.daysSince2000 } }.min()
        var isComplete = true
        return FigureRows(
            names: rows.names,
            rows: (first...last).map { number in
                let day = "\(PostgresDate(daysSince2000: number))"
                if open.contains(day) || upTo.map({ number > $0 }) == true { isComplete = false }
                return known[day]
                    ?? rows.names.map { name -> String? in
                        switch name {
                        case "day": day
                        case "complete": isComplete ? "t" : "f"
                        default: zeros.contains(name) && number <= filters.today.daysSince2000 ? "0" : nil
                        }
                    }
            })
    }
}
