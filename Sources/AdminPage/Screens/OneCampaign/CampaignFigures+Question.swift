import PageFigures
import PostgresClient
import Reports

extension CampaignFigures {
    /// The rows of a part.
    ///
    /// All parts are of one statement, so that the answers of the campaign are read once.
    func question(_ part: Part) -> FigureQuestion {
        FigureQuestion(Self.names, part: ("part", part.rawValue)) { statement(&$0) }
    }

    /// An install counts on its day, which has bounds: so a day more is read at both ends.
    private func statement(_ values: inout StatementValues) -> String {
        let totals = filters.daysOfTotals
        let read = PageFilters.day(totals.lowerBound, -1)...PageFilters.day(totals.upperBound, 1)
        let (first, last) = (values.bind(.date(filters.days.lowerBound)), values.bind(.date(filters.days.upperBound)))
        let yesterday = values.bind(.date(PageFilters.day(today, -1)))
        let rule = filters.lastCompleteDays([(0, "rule_0"), (1, "rule_1"), (2, "rule_2")])
        return """
            WITH answers AS MATERIALIZED (
            \(answers(read, &values))
            ), spent AS MATERIALIZED (
            \(spent(read, &values))
            ), known AS (
            SELECT \(first) AS first_day, \(last) AS last_day, min(rule_0) AS rule_0,
                   (SELECT begins FROM (
            \(filters.firstDay(&values))
            ) AS begun) AS begins,
                   \((0...2).map { Self.complete($0, first, last) }.joined(separator: ",\n       "))
              FROM (
            \(rule)
            ) AS rule
              LEFT JOIN answers ON true
            ), span AS (
            \(Self.spans(before: filters.daysBefore(upTo: "up_to_0", &values), yesterday: yesterday))
            )
            \(Self.ofSpans)
            UNION ALL
            \(Self.ofDays)
            UNION ALL
            \(Self.causes)
             ORDER BY part, place, first_day
            """
    }

    /// Winning answers by day and window.
    private func answers(_ days: ClosedRange<PostgresDate>, _ values: inout StatementValues) -> String {
        let (first, last) = (values.bind(.date(days.lowerBound)), values.bind(.date(days.upperBound)))
        let app = filters.app.flatMap(Int64.init).map { values.bind(.integer($0)) }
        let currency = values.bind(.text(filters.currency))
        var conditions = [
            "environment = \(values.bind(.text(filters.environment)))", "NOT developer_copy", "did_win",
        ]
        if let network = filters.network {
            conditions.append("network_name = \(values.bind(.text(network)))")
        }
        conditions.append(
            campaign.ids == nil
                ? campaign.isReceived("campaign", &values) : campaign.isOne("campaign_id", &values))
        let sums = Self.counts.dropLast().map { "sum(\($0)) AS \($0)" }
        let money = Self.revenues.map { name in
            """
            CASE WHEN count(*) FILTER (WHERE mapped > 0 AND in_currency.\(name) IS NULL) = 0
                        THEN sum(in_currency.\(name)) FILTER (WHERE mapped > 0) END AS \(name)
            """
        }
        let amounts = Self.revenues.map {
            "attribution.converted(answer.\($0), answer.currency, \(currency), answer.day) AS \($0)"
        }
        return """
            SELECT day, sequence_index, sum(installs) AS installs, \(sums.joined(separator: ", ")),
                   coalesce(sum(mapped) FILTER (WHERE answer.revenue_high IS NOT NULL AND in_currency.revenue_high IS NULL), 0)
                   AS revenue_without_rate,
                   \(money.joined(separator: ",\n       ")),
                   bool_and(complete) AS complete
              FROM attribution.answers_by_mapping('install', true, \(first), \(last), \(app ?? "NULL")) AS answer
             CROSS JOIN LATERAL (
                   SELECT \(amounts.joined(separator: ",\n              "))) AS in_currency
             WHERE \(conditions.joined(separator: " AND "))
             GROUP BY day, sequence_index
            """
    }

    /// Spend by day in one currency; NULL if a rate is missing.
    private func spent(_ days: ClosedRange<PostgresDate>, _ values: inout StatementValues) -> String {
        var conditions = [
            "day BETWEEN \(values.bind(.date(days.lowerBound))) AND \(values.bind(.date(days.upperBound)))",
            campaign.isOne("campaign_id", &values),
        ]
        if let network = filters.network {
            conditions.append("network_name = \(values.bind(.text(network)))")
        }
        if let app = filters.app.flatMap(Int64.init) {
            conditions.append("advertised_app_id = \(values.bind(.integer(app)))")
        }
        return """
            SELECT day, CASE WHEN bool_and(amount IS NOT NULL) THEN sum(amount) END AS spend,
                   count(*) FILTER (WHERE amount IS NULL) AS without_rate
              FROM attribution.spend_daily
             CROSS JOIN LATERAL attribution.converted(spend, currency, \(values.bind(.text(filters.currency))), day)
                     AS amount
             WHERE \(conditions.joined(separator: " AND "))
             GROUP BY day
            """
    }

    /// The last of the chosen days, from the first one on, that are complete in a window.
    private static func complete(_ window: Int, _ first: String, _ last: String) -> String {
        """
        least(\(last), min(rule_\(window)),
                         min(day) FILTER (WHERE day >= \(first) AND sequence_index = \(window) AND NOT complete) - 1) AS up_to_\(window)
        """
    }

    /// The days of periods and windows; those without days are left out, and all if nothing is known of the chosen days.
    ///
    /// - Parameter before: The days before, and whether they count; nil if there are none.
    private static func spans(
        before: (first: String, last: String, condition: String)?, yesterday: String
    ) -> String {
        func row(
            _ part: Part, _ place: Int, _ name: String, _ first: String, _ last: String, _ windows: ClosedRange<Int>
        ) -> String {
            "SELECT '\(part.rawValue)' AS part, \(place) AS place, '\(name)' AS period, \(first) AS first_day, "
                + "\(last) AS last_day, \(windows.lowerBound) AS from_window, \(windows.upperBound) AS to_window FROM known"
        }
        func total(
            _ place: Int, _ period: Period, _ first: String, _ last: String, where condition: String? = nil
        ) -> String {
            row(.totals, place, period.rawValue, first, last, 0...0) + (condition.map { " WHERE \($0)" } ?? "")
        }
        var rows = [
            total(1, .complete, "first_day", "up_to_0"),
            total(
                3, .yesterday, yesterday, "CASE WHEN \(yesterday) BETWEEN first_day AND last_day THEN \(yesterday) END"),
            total(4, .soFar, "first_day", "last_day"),
        ]
        if let before { rows.append(total(2, .before, before.first, before.last, where: before.condition)) }
        rows.append(row(.windows, windows.count, windowsSoFar, "first_day", "last_day", 0...2))
        for (place, name) in windows.enumerated() {
            rows.append(
                row(
                    .windows, place, name, "first_day", "up_to_\(min(place, 2))",
                    place < 3 ? place...place : 0...2))
        }
        return """
            SELECT span.*
              FROM (
            \(rows.joined(separator: "\nUNION ALL\n"))
            ) AS span
             CROSS JOIN known
             WHERE span.first_day <= span.last_day
               AND (EXISTS (SELECT FROM answers WHERE day BETWEEN known.first_day AND known.last_day)
                    OR EXISTS (SELECT FROM spent WHERE day BETWEEN known.first_day AND known.last_day))
            """
    }

    private static func sum(_ name: String) -> String {
        "coalesce(sum(\(name)) FILTER (WHERE inside), 0) AS \(name)"
    }

    /// Revenue is NULL if no value is mapped, or if one is not known.
    private static func money(_ name: String) -> String {
        """
        CASE WHEN count(*) FILTER (WHERE inside AND mapped > 0 AND \(name) IS NULL) = 0
                               THEN sum(\(name)) FILTER (WHERE inside AND mapped > 0) END AS \(name)
        """
    }

    /// Returns over a spend.
    private static func returns(_ spend: String) -> String {
        ["low", "middle", "high"].map { end in
            "attribution.per(revenue_\(end), \(spend)) AS \(end == "middle" ? "\"return\"" : "return_\(end)")"
        }.joined(separator: ", ")
    }

    private static let missing =
        "attribution.per(withheld + not_set + not_applicable, postbacks) AS missing_share"

    /// Sums over periods and windows.
    ///
    /// The cost per install is between the ends of `report_cost`. All days so far are divided by nothing, since more
    /// comes of them.
    private static let ofSpans = """
        SELECT part, place, period, span.first_day, span.last_day, span.last_day - span.first_day + 1 AS days, installs,
               spend, without_rate, attribution.per(complete_spend, installs_around) AS cost_per_install_low,
               attribution.per(complete_spend, installs) AS cost_per_install,
               attribution.per(complete_spend, installs_inside) AS cost_per_install_high,
               \(counts.joined(separator: ", ")),
               \(missing), \(revenues.joined(separator: ", ")),
               \(returns("complete_spend")),
               NULL::boolean AS complete, (SELECT up_to_0 FROM known) AS complete_up_to,
               (SELECT begins FROM known) AS begins, NULL::numeric AS first,
               NULL::numeric AS second, NULL::numeric AS third, NULL AS advice
          FROM span
         CROSS JOIN LATERAL (
               SELECT coalesce(sum(installs) FILTER (WHERE inside), 0) AS installs,
                      sum(installs) AS installs_around,
                      sum(installs) FILTER (WHERE day > first_day AND day < last_day) AS installs_inside,
                      \((counts.map(sum) + revenues.map(money)).joined(separator: ",\n                      "))
                 FROM (SELECT *, day BETWEEN first_day AND last_day AND sequence_index BETWEEN from_window AND to_window
                                 AS inside
                         FROM answers WHERE day BETWEEN first_day - 1 AND last_day + 1) AS answer) AS sums
         CROSS JOIN LATERAL (
               SELECT CASE WHEN sum(without_rate) = 0 THEN sum(spend) END AS spend,
                      coalesce(sum(without_rate), 0) AS without_rate
                 FROM spent WHERE day BETWEEN first_day AND last_day) AS cost
         CROSS JOIN LATERAL (
               SELECT CASE WHEN period NOT IN ('\(Period.soFar.rawValue)', '\(windowsSoFar)') THEN spend END
               AS complete_spend) AS of_complete
        """

    /// The chosen days, in the first window.
    private static let ofDays = """
        SELECT 'days', 0, NULL, day, day, 1, coalesce(installs, 0), spend, coalesce(without_rate, 0), NULL,
               attribution.per(spend, installs), NULL,
               \(counts.map { "coalesce(\($0), 0)" }.joined(separator: ", ")),
               \(missing), \(revenues.joined(separator: ", ")),
               \(returns("spend")),
               coalesce(complete, true) AND day <= rule_0, rule_0, NULL, NULL, NULL, NULL, NULL
          FROM (SELECT * FROM answers WHERE sequence_index = 0) AS answer
          FULL JOIN spent USING (day)
         CROSS JOIN known
         WHERE day BETWEEN first_day AND last_day
        """

    /// What the values of the chosen days are, those that bring revenue first, and what to do about the others.
    private static var causes: String {
        let kinds = Cause.allCases.enumerated().map { place, cause in
            "(\(place), '\(cause.name)', \(cause.rawValue), '\(cause.advice)')"
        }
        return """
            SELECT 'causes', cause.place, cause.name, known.first_day, known.last_day,
                   known.last_day - known.first_day + 1, NULL, NULL, NULL, NULL, NULL, NULL,
                   \(counts.map { _ in "NULL" }.joined(separator: ", ")),
                   attribution.per(sum(cause.count) FILTER (WHERE sequence_index = 0),
                                   sum(postbacks) FILTER (WHERE sequence_index = 0)), NULL, NULL, NULL, NULL, NULL, NULL,
                   NULL, NULL, NULL,
                   \((0...2).map { "coalesce(sum(cause.count) FILTER (WHERE sequence_index = \($0)), 0)" }.joined(separator: ",\n       ")),
                   cause.advice
              FROM answers
             CROSS JOIN known
             CROSS JOIN LATERAL (VALUES
                   \(kinds.joined(separator: ",\n       "))) AS cause (place, name, count, advice)
             WHERE day BETWEEN known.first_day AND known.last_day
             GROUP BY cause.place, cause.name, cause.advice, known.first_day, known.last_day
            HAVING sum(cause.count) > 0
            """
    }
}
