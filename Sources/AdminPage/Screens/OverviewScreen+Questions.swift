import AdAttribution
import PostgresClient
import Reports

extension OverviewScreen {
    /// Installs, values, revenue, spend and return, by day.
    ///
    /// Spend is summed from its table: `report_cost_daily` has a row for each campaign, which takes long over
    /// everything. docs/page.md says when both are the same.
    static func days(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> FigureQuestion {
        let answers = try answers(daily: true, by: ["day"], filters, reports)
        return FigureQuestion(["day"] + names + derived) { values in
            """
            SELECT day, \(cells)
              FROM (
            \(answers.text(&values))
            ) AS answers
              FULL JOIN (
            \(spend(filters, byDay: true, &values))
            ) AS spent USING (day)
             ORDER BY day
            """
        }
    }

    /// The same of all days together, and of as many days before them.
    ///
    /// A row is missing if nothing is known of its days.
    static func totalsQuestion(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> FigureQuestion {
        var periods = [(name: "chosen", filters, try answers(by: [], filters, reports))]
        if let before = reports.before {
            let answers = try answers(by: [], before.filters, before)
            periods.append((name: "before", before.filters, answers))
        }
        return FigureQuestion(["period", "first_day", "last_day"] + names + derived) { values in
            periods.map { name, filters, answers in
                let (first, last) = (filters.days.lowerBound, filters.days.upperBound)
                return """
                    SELECT '\(name)' AS period, \(values.bind(.date(first))) AS first_day,
                           \(values.bind(.date(last))) AS last_day, \(cells)
                      FROM (
                    \(answers.text(&values))
                    ) AS answers
                     CROSS JOIN (
                    \(spend(filters, byDay: false, &values))
                    ) AS spent
                     WHERE all_postbacks + without_rate > 0 OR spend IS NOT NULL
                    """
            }.joined(separator: "\n UNION ALL\n") + "\n ORDER BY period DESC"
        }
    }

    /// The figures of winning postbacks in a report of installs.
    private static func answers(
        daily: Bool = false, by groups: [String], _ filters: PageFilters, _ reports: ScreenReports
    ) throws(FieldError) -> ReportSummary {
        let first = ["sequence_index": "0"]
        let revenue = ["sequence_index": "0", "currency": filters.currency]
        return try reports.summary(
            reports.installs(orByCampaign: "install_campaign", daily: daily), [("did_win", "true")], by: groups,
            ["installs", "redownloads", "reengagements"].map { .init($0, .sum([$0])) }
                + ["postbacks", "withheld", "not_set", "not_applicable"].map { .init($0, .sum([$0]), where: first) }
                + ["revenue_low", "revenue_middle", "revenue_high"].map {
                    .init($0, .wholeSum($0, of: "mapped"), where: revenue)
                }
                + [
                    .init("all_postbacks", .sum(["postbacks"])),
                    .init("revenue_open", .sum(["revenue_open"]), where: revenue),
                    .init(
                        "revenue_all", .wholeSum("revenue_middle", of: "mapped"), where: ["currency": filters.currency]),
                    .init("complete", .every("complete"), where: first),
                ])
    }

    /// The names of its figures.
    private static let names = [
        "installs", "redownloads", "reengagements", "postbacks", "withheld", "not_set", "not_applicable", "revenue_low",
        "revenue_middle", "revenue_high", "revenue_open", "revenue_all", "complete",
    ]

    /// The names of figures that are made of them and of the spend.
    private static let derived = ["missing_share", "spend", "without_rate", "return_low", "return", "return_high"]

    /// A figure of answers; 0 for a day without answers, while revenue may be unknown.
    private static func cell(_ name: String) -> String {
        switch name {
        case "complete": "coalesce(complete, false)"
        case "revenue_low", "revenue_middle", "revenue_high", "revenue_all": name
        default: "coalesce(\(name), 0)"
        }
    }

    private static let cells =
        names.map { "\(cell($0)) AS \($0)" }.joined(separator: ", ") + """
            ,
                   attribution.per(withheld + not_set + not_applicable, postbacks) AS missing_share,
                   spend, coalesce(without_rate, 0) AS without_rate,
                   attribution.per(revenue_low, spend) AS return_low,
                   attribution.per(revenue_middle, spend) AS "return",
                   attribution.per(revenue_high, spend) AS return_high
            """

    /// Spend in one currency; NULL if a rate is missing.
    private static func spend(_ filters: PageFilters, byDay: Bool, _ values: inout StatementValues) -> String {
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
            SELECT \(byDay ? "day, " : "")CASE WHEN bool_and(amount IS NOT NULL) THEN sum(amount) END AS spend,
                   coalesce(sum(rows) FILTER (WHERE amount IS NULL), 0) AS without_rate
              FROM (SELECT day, currency, sum(spend) AS spend, count(*) AS rows
                      FROM attribution.spend_daily
                     WHERE \(conditions.joined(separator: " AND "))
                     GROUP BY day, currency) AS spent
             CROSS JOIN LATERAL attribution.converted(spend, currency, \(values.bind(.text(filters.currency))), day)
                     AS amount\(byDay ? "\n GROUP BY day" : "")
            """
    }

    /// What arrived, by day.
    ///
    /// It is summed from what is folded: `report_campaign_daily` adds the last seconds, and reads all lines for them.
    static func intake(_ filters: PageFilters) -> FigureQuestion {
        FigureQuestion(["day", "received", "assists", "later_windows", "raised", "conflicts"]) { values in
            """
            SELECT day, sum(installs + redownloads + reengagements + assists + later_windows) AS received,
                   sum(assists) AS assists, sum(later_windows) AS later_windows, sum(raised) AS raised,
                   sum(conflicts) AS conflicts
              FROM attribution.campaign_daily
              JOIN attribution.line USING (line)
             WHERE \(filters.conditions(&values))
             GROUP BY day
            HAVING sum(installs + redownloads + reengagements + assists + later_windows + raised + conflicts) > 0
             ORDER BY day
            """
        }
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
