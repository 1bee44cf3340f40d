import AdAttribution
import PageFigures
import Reports

extension OverviewScreen {
    /// The periods of the totals, as a row names them.
    enum Period: String {
        /// The chosen days that are complete in the first window, from the first one on.
        case complete = "complete days"
        /// As many days before, as the comparison says: by default those right before the chosen ones.
        case before = "days before"
        /// The chosen days that are complete in all windows, from the first one on.
        case completeInAllWindows = "complete in all windows"
        /// As many days before, likewise.
        case beforeInAllWindows = "days before in all windows"
        /// All chosen days; more may come.
        case soFar = "all days so far"
    }

    /// Installs, values, revenue, spend and return, by day.
    static func days(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> FigureQuestion {
        try question(
            .days,
            ["day"] + figures + [
                "complete", "complete_up_to", "missing_share", "spend", "without_rate", "return_low", "return",
                "return_high",
            ], filters, reports)
    }

    /// Sums over the days that are complete, and over as many days before.
    ///
    /// A row is missing if it has no days, or if nothing is known of its days. So is one of days before that begin before
    /// the first day with postbacks. Revenue of days that are not complete is divided by no spend.
    static func totalsQuestion(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> FigureQuestion {
        try question(
            .totals,
            ["period", "first_day", "last_day", "days"] + figures + [
                "spend", "without_rate", "complete_up_to", "complete_all_up_to", "begins", "missing_share",
                "return_low", "return", "return_high",
            ], filters, reports)
    }

    /// What a row of the statement is.
    private enum Part: String {
        /// A period of the totals.
        case totals
        /// One of the chosen days.
        case days
    }

    /// The rows of a part.
    ///
    /// Both parts are of one statement, so that the answers are read once: those of the chosen days and of those before.
    private static func question(
        _ part: Part, _ names: [String], _ filters: PageFilters, _ reports: ScreenReports
    ) throws(FieldError) -> FigureQuestion {
        var read = reports
        read.filters.days = filters.daysOfTotals
        let (wide, answers) = (read.filters, try answers(read.filters, read))
        let columns =
            ["part", "place", "period", "first_day", "last_day", "days", "day"] + figures + derived
        return FigureQuestion(names, of: columns, part: ("part", part.rawValue)) { values in
            let days = byDay(answers, wide, &values)
            let (first, last) = (
                values.bind(.date(filters.days.lowerBound)), values.bind(.date(filters.days.upperBound))
            )
            return """
                WITH by_day AS MATERIALIZED (
                \(days)
                ), known AS (
                SELECT \(first) AS first_day, \(last) AS last_day,
                       (SELECT begins FROM (
                \(filters.firstDay(&values))
                ) AS begun) AS begins,
                       least(\(last), min(rule.complete_up_to),
                             min(day) FILTER (WHERE day >= \(first) AND NOT complete) - 1) AS up_to,
                       least(\(last), min(rule.complete_all_up_to),
                             min(day) FILTER (WHERE day >= \(first) AND NOT complete_all) - 1) AS all_up_to
                  FROM (
                \(lastCompleteDays(filters))
                ) AS rule
                  LEFT JOIN by_day ON true
                ), span AS (
                \(periods(filters, &values))
                )
                SELECT '\(Part.totals.rawValue)' AS part, place, period, first_day, last_day, days, NULL::date AS day,
                       \(figures.joined(separator: ", ")),
                       NULL::boolean AS complete, complete_up_to, complete_all_up_to, begins,
                       attribution.per(withheld + not_set + not_applicable, postbacks) AS missing_share,
                       spend, without_rate,
                       \(returns)
                  FROM (
                SELECT place, period, span.first_day, span.last_day, span.last_day - span.first_day + 1 AS days,
                       \(sums), max(up_to) AS complete_up_to, max(all_up_to) AS complete_all_up_to,
                       max(begins) AS begins
                  FROM span
                 CROSS JOIN known
                  JOIN by_day ON day BETWEEN span.first_day AND span.last_day
                 GROUP BY place, period, span.first_day, span.last_day
                ) AS totals
                UNION ALL
                SELECT '\(Part.days.rawValue)', NULL, NULL, NULL, NULL, NULL, day,
                       \(figures.joined(separator: ", ")),
                       complete, complete_up_to, NULL, NULL, missing_share, spend, without_rate, return_low, "return", return_high
                  FROM by_day
                 WHERE day BETWEEN \(first) AND \(last)
                 ORDER BY part, place, day
                """
        }
    }

    /// Amounts, and the count of values of which they are the sum.
    private static let revenues: [(name: String, values: String)] = [
        ("revenue_low", "mapped"), ("revenue_middle", "mapped"), ("revenue_high", "mapped"),
        ("revenue_all", "mapped_all"),
    ]

    /// The names of columns that are made of figures and of the spend, and of the spend itself.
    private static let derived = [
        "complete", "complete_up_to", "complete_all_up_to", "begins", "missing_share", "spend", "without_rate",
        "return_low",
        "return", "return_high",
    ]

    /// Of money, NULL if it is NULL on a day that has some.
    private static let sums =
        (counts.map { "sum(\($0)) AS \($0)" }
        + revenues.map { name, values in
            """
            CASE WHEN count(*) FILTER (WHERE \(values) > 0 AND \(name) IS NULL) > 0 THEN NULL
                            WHEN sum(\(values)) > 0 OR sum(postbacks) = 0 THEN sum(\(name)) END AS \(name)
            """
        }
        + [
            "CASE WHEN sum(without_rate) = 0 THEN sum(spend) END AS spend", "sum(without_rate) AS without_rate",
        ]).joined(separator: ",\n                       ")

    /// Returns of complete days with postbacks.
    private static let returns = [
        ("revenue_low", "return_low"), ("revenue_middle", "\"return\""), ("revenue_high", "return_high"),
    ].map { revenue, name in
        "CASE WHEN period <> '\(Period.soFar.rawValue)' AND postbacks > 0 THEN attribution.per(\(revenue), spend) END "
            + "AS \(name)"
    }.joined(separator: ",\n                       ")

    /// The first and the last day of each period.
    private static func periods(_ filters: PageFilters, _ values: inout StatementValues) -> String {
        func row(
            _ place: Int, _ period: Period, _ first: String, _ last: String, where condition: String? = nil
        ) -> String {
            "SELECT \(place) AS place, '\(period.rawValue)' AS period, \(first) AS first_day, \(last) AS last_day FROM known"
                + (condition.map { " WHERE \($0)" } ?? "")
        }
        var rows = [
            row(1, .complete, "first_day", "up_to"), row(3, .completeInAllWindows, "first_day", "all_up_to"),
            row(5, .soFar, "first_day", "last_day"),
        ]
        for (place, period, last) in [(2, Period.before, "up_to"), (4, .beforeInAllWindows, "all_up_to")] {
            guard let before = filters.daysBefore(upTo: last, &values) else { continue }
            rows.append(row(place, period, before.first, before.last, where: before.condition))
        }
        return rows.joined(separator: "\nUNION ALL\n")
    }
}
