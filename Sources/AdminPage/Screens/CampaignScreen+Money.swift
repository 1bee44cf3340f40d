import AdAttribution
import Reports

extension CampaignScreen {
    static func cost(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> FigurePlan {
        let values = [
            "cost", "cost_per_install_low", "cost_per_install", "cost_per_install_high", "roas_0_low", "roas_0_middle",
            "roas_0_high", "roas_low", "roas_middle",
            "roas_high",
        ]
        let sort = reports.request["sort"] ?? "-cost"
        let summary = try reports.summary(
            "cost", [("in_currency", filters.currency)],
            by: ["campaign_name", "campaign_id", "network_name", "advertised_app_id"],
            [.init("installs", .sum(["installs"]))] + values.map { .init($0, .greatest($0)) }
                + ["installs_complete", "revenue_complete"].map { .init($0, .every($0)) },
            sort: sort, limit: limit(reports))
        return FigurePlan(
            id: "cost", heading: "Cost and return by mapped campaign, \(filters.currency)",
            remark:
                "Revenue is what mapped values say, so returns are too low where many values are missing, and not known "
                + "(–) where no value is mapped. Nor are they, or cost, if a currency rate is missing. Installs are complete "
                + "when no more postbacks of the first window can arrive, in about five days, and revenue with the last "
                + "window, in about 42. The day of an install has bounds: so has the cost per install. \(remark)",
            question: FigureQuestion(summary),
            columns: [
                FigureColumn(
                    "campaign_name", "Campaign", isHeader: true, absent: "without a name",
                    link: { OneCampaignScreen.address(filters, $0) }),
                FigureColumn(
                    "campaign_id", "Campaign id",
                    link: { $0["campaign_id"] == nil ? nil : OneCampaignScreen.address(filters, $0) }),
                FigureColumn("network_name", "Network"),
                FigureColumn("advertised_app_id", "App"),
                FigureColumn("installs", "Installs", .integer),
                FigureColumn("cost", "Cost", .money),
                FigureColumn("cost_per_install_low", "Per install at least", .money),
                FigureColumn("cost_per_install", "Per install", .money),
                FigureColumn("cost_per_install_high", "At most", .money),
                FigureColumn("installs_complete", "Installs are", .complete),
                FigureColumn("roas_0_middle", "Return, first window", .share),
                FigureColumn("roas_low", "Return so far, at least", .share),
                FigureColumn("roas_middle", "Middle", .share),
                FigureColumn("roas_high", "At most", .share),
                FigureColumn("revenue_complete", "Revenue is", .complete),
            ], sort: sort,
            advice: filters.advice
                + " Cost comes from “PostbackServer spend load”, names from “PostbackServer mapping load”.")
    }

    /// Modelled revenue beside the measured one, by app, or by network if one is chosen.
    static func modelled(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> FigurePlan {
        let subject = filters.network == nil ? "advertised_app_id" : "ad_network_id"
        let counts = ["postbacks", "mapped", "withheld", "modelled_withheld", "modelled_missing"]
        let money =
            ["revenue_low", "revenue_middle", "revenue_high"].flatMap { [$0, "modelled_" + $0] } + [
                "modelled_interval_low", "modelled_interval_high",
            ]
        let sort = reports.request["sort"] ?? "sequence_index"
        // A row of the report is one of these groups, and an interval can't be summed.
        let summary = try reports.summary(
            "modelled_revenue_by_" + (filters.network == nil ? "app" : "network"), [("currency", filters.currency)],
            by: [subject, "sequence_index"], (counts + money).map { .init($0, .greatest($0)) }, sort: sort,
            limit: limit(reports))
        return FigurePlan(
            id: "modelled", heading: "Modelled revenue by window, \(filters.currency)",
            remark:
                "What the revenue would be if withheld values were worth as much as mapped ones. It is an estimate, "
                + "and never part of measured figures. The lines are its 95 % interval; where the mapped values say "
                + "nothing there is none (docs/money.md). Days that are not complete yet are in it.",
            question: FigureQuestion(summary),
            columns: [
                FigureColumn(subject, filters.network == nil ? "App" : "Network", isHeader: true),
                FigureColumn("sequence_index", "Window", isHeader: true),
                FigureColumn("postbacks", "Postbacks", .integer),
                FigureColumn("mapped", "Mapped values", .integer),
                FigureColumn("withheld", "Withheld values", .integer),
                FigureColumn("revenue_low", "Measured at least", .money),
                FigureColumn("revenue_middle", "Measured, middle", .money),
                FigureColumn("revenue_high", "Measured at most", .money),
                FigureColumn("modelled_revenue_low", "Modelled, low", .money),
                FigureColumn("modelled_revenue_middle", "Modelled, middle", .money),
                FigureColumn("modelled_revenue_high", "Modelled, high", .money),
                FigureColumn("modelled_interval_low", "Interval from", .money),
                FigureColumn("modelled_interval_high", "Interval to", .money),
                FigureColumn("modelled_missing", "Withheld without a model", .integer),
            ],
            chart: { rows in
                ChartData(
                    places: zip(rows.labels(subject), rows.labels("sequence_index")).map { "\($0) · \($1)" },
                    series: [.init("Modelled revenue, middle", rows.numbers("modelled_revenue_middle"))],
                    ranges: rows.ranges("modelled_interval_low", "modelled_interval_high"))
            }, sort: sort, advice: filters.advice)
    }
}
