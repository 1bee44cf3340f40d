import AdAttribution
import PageFigures
import PostgresClient
import Reports

extension OverviewScreen {
    /// The figures of days, as a statement without an order.
    ///
    /// Spend is summed from its table: `report_cost_daily` has a row for each campaign, which takes long over
    /// everything. docs/page.md says when both are the same. A day without postbacks has no return: its spend may be for
    /// another environment.
    static func byDay(
        _ answers: ReportSummary, _ filters: PageFilters, _ values: inout StatementValues
    ) -> String {
        """
        SELECT day, \(cells),
               coalesce(complete, true) AND day <= complete_up_to AS complete,
               coalesce(complete_all, true) AND day <= complete_all_up_to AS complete_all,
               attribution.per(withheld + not_set + not_applicable, postbacks) AS missing_share,
               spend, coalesce(without_rate, 0) AS without_rate, complete_up_to,
               CASE WHEN postbacks > 0 THEN attribution.per(revenue_low, spend) END AS return_low,
               CASE WHEN postbacks > 0 THEN attribution.per(revenue_middle, spend) END AS "return",
               CASE WHEN postbacks > 0 THEN attribution.per(revenue_high, spend) END AS return_high
          FROM (
        \(answers.text(&values))
        ) AS answers
          FULL JOIN (
        \(spend(filters, &values))
        ) AS spent USING (day)
         CROSS JOIN (
        \(lastCompleteDays(filters))
        ) AS rule
        """
    }

    /// The figures of winning postbacks by day in a report of installs.
    static func answers(
        _ filters: PageFilters, _ reports: ScreenReports
    ) throws(FieldError) -> ReportSummary {
        let first = ["sequence_index": "0"]
        let currency = filters.currency
        return try reports.summary(
            reports.installs(orByCampaign: "install_campaign", orByName: "install_mapping", daily: true),
            [("did_win", "true")], by: ["day"],
            ["installs", "redownloads", "reengagements"].map { .init($0, .sum([$0])) }
                + ["postbacks", "withheld", "not_set", "not_applicable", "mapped", "revenue_open"].map {
                    .init($0, .sum([$0]), where: first)
                }
                + ["revenue_low", "revenue_middle", "revenue_high"].map {
                    .init($0, .money($0, of: "mapped", in: currency), where: first)
                }
                + [
                    .init(
                        "revenue_without_rate", .withoutRate("mapped", money: "revenue_high", in: currency),
                        where: first),
                    .init("mapped_all", .sum(["mapped"])),
                    .init("revenue_all", .money("revenue_middle", of: "mapped", in: currency)),
                    .init("complete", .every("complete"), where: first),
                    .init("complete_all", .every("complete")),
                ])
    }

    /// The names of figures of answers, but for whether they are complete.
    static let counts = [
        "installs", "redownloads", "reengagements", "postbacks", "withheld", "not_set", "not_applicable", "mapped",
        "revenue_open", "revenue_without_rate", "mapped_all",
    ]
    static let figures = counts + ["revenue_low", "revenue_middle", "revenue_high", "revenue_all"]

    private static let cells = figures.map { "\(cell($0)) AS \($0)" }.joined(separator: ", ")

    /// A figure of answers: 0 for a day without postbacks.
    ///
    /// Revenue is NULL if postbacks came, but no value is mapped.
    private static func cell(_ name: String) -> String {
        switch name {
        case "revenue_all": "CASE WHEN postbacks IS NULL THEN 0 ELSE revenue_all END"
        case "revenue_low", "revenue_middle", "revenue_high":
            "CASE WHEN coalesce(postbacks, 0) = 0 THEN 0 ELSE \(name) END"
        default: "coalesce(\(name), 0)"
        }
    }

    /// The last days of which no more postbacks can arrive, of the first window and of all, if versions have windows.
    ///
    /// So a day without postbacks is complete too, if it is long ago.
    static func lastCompleteDays(_ filters: PageFilters) -> String {
        filters.lastCompleteDays([(0, "complete_up_to"), (2, "complete_all_up_to")])
    }

    /// Spend by day in one currency; NULL if a rate is missing.
    ///
    /// There is none of an identifier as received.
    private static func spend(_ filters: PageFilters, _ values: inout StatementValues) -> String {
        var conditions = [
            "day BETWEEN \(values.bind(.date(filters.days.lowerBound))) AND "
                + values.bind(.date(filters.days.upperBound))
        ]
        if let network = filters.network {
            conditions.append("network_name = \(values.bind(.text(network)))")
        }
        if let app = filters.app.flatMap(Int64.init) {
            conditions.append("advertised_app_id = \(values.bind(.integer(app)))")
        }
        // Of an identifier as received there are no ids, so this is false: its revenue is not that of all spend.
        if let campaign = filters.campaign { conditions.append(campaign.isOne("campaign_id", &values)) }
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
    ///
    /// It is summed from what is folded: `report_campaign_daily` adds the last seconds, and reads all lines for them.
    static func intake(_ filters: PageFilters) -> FigureQuestion {
        FigureQuestion(["day", "received", "assists", "later_windows", "raised", "conflicts"]) { values in
            """
            SELECT day, received, assists, later_windows, raised, conflicts
              FROM (SELECT day, attribution.total(installs) + attribution.total(redownloads)
                                + attribution.total(reengagements) + attribution.total(assists)
                                + attribution.total(later_windows) AS received,
                           attribution.total(assists) AS assists, attribution.total(later_windows) AS later_windows,
                           attribution.total(raised) AS raised, attribution.total(conflicts) AS conflicts
                      FROM attribution.campaign_daily
                      JOIN attribution.line USING (line)
                     WHERE \(filters.conditions(&values))
                     GROUP BY day) AS summed
             WHERE received + raised + conflicts > 0
             ORDER BY day
            """
        }
    }

    /// What is in the quarantine, by the day on which it came last.
    static func refused(_ filters: PageFilters) -> FigureQuestion {
        FigureQuestion(["day", "signed_by_apple", "others"]) { values in
            """
            SELECT attribution.day_of(last_seen_at) AS day, count(*) FILTER (WHERE protected) AS signed_by_apple,
                   count(*) FILTER (WHERE NOT protected) AS others
              FROM attribution.rejected_postback
             WHERE last_seen_at >= attribution.day_begins(\(values.bind(.date(filters.days.lowerBound))))
               AND last_seen_at < attribution.day_begins(\(values.bind(.date(filters.days.upperBound))) + 1)
             GROUP BY 1
             ORDER BY 1
            """
        }
    }
}
