import AdAttribution
import PostbackStore
import PostgresClient

extension OverviewScreen {
    /// Installs, values, revenue, spend and return, by day.
    ///
    /// Spend is summed from its table: `report_cost_daily` has a row for each campaign, which takes long over everything.
    /// docs/page.md says when both are the same.
    static func days(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> FigureQuestion {
        let first = ["sequence_index": "0"]
        let revenue = ["sequence_index": "0", "currency": filters.currency]
        let missing = ["withheld", "not_set", "not_applicable"]
        let answers = try reports.summary(
            "install_campaign_daily", [("did_win", "true")], by: ["day"],
            ["installs", "redownloads", "reengagements"].map { .init($0, .sum([$0])) }
                + (["postbacks"] + missing).map { .init($0, .sum([$0]), where: first) }
                + ["revenue_low", "revenue_middle", "revenue_high"].map { .init($0, .sum([$0]), where: revenue) }
                + [
                    .init("revenue_all", .sum(["revenue_middle"]), where: ["currency": filters.currency]),
                    .init("revenue_open", .sum(["revenue_open"]), where: revenue),
                    .init("complete", .every("complete"), where: first),
                ])
        let names = answers.names.dropFirst()
        return FigureQuestion(["day"] + names + ["missing_share", "spend", "without_rate", "return"]) { values in
            let spend = spend(filters, &values)
            let cells = names.map { name in
                name == "complete" ? "coalesce(complete, false) AS complete" : "coalesce(\(name), 0) AS \(name)"
            }.joined(separator: ", ")
            return """
                SELECT day, \(cells),
                       attribution.per(withheld + not_set + not_applicable, postbacks) AS missing_share,
                       spend, coalesce(without_rate, 0) AS without_rate,
                       attribution.per(coalesce(revenue_middle, 0), spend) AS "return"
                  FROM (
                \(answers.text(&values))
                ) AS answers
                  FULL JOIN (
                \(spend)
                ) AS spent USING (day)
                 ORDER BY day
                """
        }
    }

    /// Spend by day in one currency; NULL if a rate is missing.
    private static func spend(_ filters: PageFilters, _ values: inout StatementValues) -> String {
        var conditions = [
            "day BETWEEN \(values.bind(.date(filters.days.lowerBound))) AND "
                + values.bind(.date(filters.days.upperBound))
        ]
        if let network = filters.network {
            conditions.append("network_name = attribution.network_name(\(values.bind(.text(network))))")
        }
        if let app = filters.app.flatMap(Int64.init) {
            conditions.append("advertised_app_id = \(values.bind(.integer(app)))")
        }
        return """
            SELECT day, CASE WHEN bool_and(amount IS NOT NULL) THEN sum(amount) END AS spend,
                   coalesce(sum(rows) FILTER (WHERE amount IS NULL), 0) AS without_rate
              FROM (SELECT day, currency, sum(spend) AS spend, count(*) AS rows
                      FROM attribution.spend_daily
                     WHERE \(conditions.joined(separator: " AND "))
                     GROUP BY day, currency) AS spent
             CROSS JOIN LATERAL attribution.converted(spend, currency, \(values.bind(.text(filters.currency))), day)
                     AS amount
             GROUP BY day
            """
    }

    /// What arrived, by day.
    static func intake(_ reports: ScreenReports) throws(FieldError) -> FigureQuestion {
        FigureQuestion(
            try reports.summary(
                "campaign_daily", by: ["day"],
                [
                    .init("received", .sum(["installs", "redownloads", "reengagements", "assists", "later_windows"])),
                    .init("assists", .sum(["assists"])), .init("later_windows", .sum(["later_windows"])),
                    .init("raised", .sum(["raised"])), .init("conflicts", .sum(["conflicts"])),
                ]))
    }

    /// What is in the quarantine, by the day on which it came last.
    static func refused(_ filters: PageFilters) -> FigureQuestion {
        FigureQuestion(["day", "signed_by_apple", "others"]) { values in
            """
            SELECT (last_seen_at AT TIME ZONE 'UTC')::date AS day, count(*) FILTER (WHERE protected) AS signed_by_apple,
                   count(*) FILTER (WHERE NOT protected) AS others
              FROM attribution.rejected_postback
             WHERE last_seen_at >= \(values.bind(.date(filters.days.lowerBound)))::timestamp AT TIME ZONE 'UTC'
               AND last_seen_at < (\(values.bind(.date(filters.days.upperBound))) + 1)::timestamp AT TIME ZONE 'UTC'
             GROUP BY 1
             ORDER BY 1
            """
        }
    }
}
