import AdAttribution
import PageFigures
import PageRequests
import PageViews
import Reports

extension CampaignScreen {
    static func cost(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> FigurePlan {
        let values = [
            "cost_per_install_low", "cost_per_install", "cost_per_install_high", "roas_0_low", "roas_0_middle",
            "roas_0_high", "roas_low", "roas_middle", "roas_high",
        ]
        let sort = reports.request["sort"] ?? "-cost"
        let summary = try summary(
            "cost", [("in_currency", filters.currency)],
            by: ["campaign_name", "campaign_id", "network_name", "advertised_app_id"],
            [.init("installs", .sum(["installs"])), .init("cost", .priced("cost", without: "cost_without_rate"))]
                + values.map { .init($0, .greatest($0)) }
                + ["installs_complete", "revenue_complete"].map { .init($0, .every($0)) }, sort: sort, reports)
        return FigurePlan(
            id: "cost", heading: "Cost and return by mapped campaign, \(filters.currency)",
            remark:
                "Revenue is what mapped values say, so returns are too low where many values are missing, and not known "
                + "(–) where no value is mapped. Nor are they, or cost, if a currency rate is missing. Installs are complete "
                + "when no more postbacks of the first window can arrive, in about five days, and revenue with the last "
                + "window, in about 42. The day of an install has bounds: so has the cost per install.",
            question: FigureQuestion(summary), cut: FigureQuestion(summary, cutAfter: FigurePlan.shownRows),
            columns: [
                FigureColumn(
                    "campaign_name", "Campaign", isHeader: true, absent: "without a name",
                    link: { OneCampaignScreen.address(filters, $0) }),
                // What the table is for stands first: it is wider than most windows.
                FigureColumn("installs", "Installs", .integer),
                FigureColumn("cost", "Cost", .money),
                FigureColumn("cost_per_install", "Per install (CPI)", .money, hasTotal: false),
                FigureColumn("roas_0_middle", "Return (ROAS), first window", .share, hasTotal: false),
                FigureColumn("roas_low", "Return so far, at least", .share, hasTotal: false),
                FigureColumn("roas_middle", "Middle", .share, hasTotal: false),
                FigureColumn("roas_high", "At most", .share, hasTotal: false),
                FigureColumn("installs_complete", "Installs are", .complete),
                FigureColumn("revenue_complete", "Revenue is", .complete),
                FigureColumn("network_name", "Network"),
                .app(filters),
                FigureColumn("cost_per_install_low", "CPI at least", .money, hasTotal: false),
                FigureColumn("cost_per_install_high", "CPI at most", .money, hasTotal: false),
                FigureColumn(
                    "campaign_id", "Campaign id",
                    link: { $0["campaign_id"] == nil ? nil : OneCampaignScreen.address(filters, $0) }),
            ], sort: sort, choices: reports.choices,
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
        let summary = try summary(
            "modelled_revenue_by_" + (filters.network == nil ? "app" : "network"), [("currency", filters.currency)],
            by: [subject, "sequence_index"], (counts + money).map { .init($0, .greatest($0)) }, sort: sort, reports)
        return FigurePlan(
            id: "modelled", heading: "Modelled revenue by window, \(filters.currency)",
            remark:
                "What the revenue would be if withheld values were worth as much as mapped ones. It is an estimate, "
                + "and never part of measured figures. The lines are its 95 % interval; where the mapped values say "
                + "nothing there is none (docs/money.md). Days that are not complete yet are in it.",
            question: FigureQuestion(summary), cut: FigureQuestion(summary, cutAfter: FigurePlan.shownRows),
            hasTotals: false,
            columns: [
                FigureColumn(
                    subject, filters.network == nil ? "App" : "Network", isHeader: true,
                    text: { $0["advertised_app_id"].map(filters.appText) }),
                .window(isHeader: true),
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
                    places: zip(rows.labels(subject), rows.labels("sequence_index")).map {
                        "\(filters.appText($0)) · \(WindowName.text($1))"
                    },
                    series: [.init("Modelled revenue, middle", rows.numbers("modelled_revenue_middle"))],
                    ranges: rows.ranges("modelled_interval_low", "modelled_interval_high"),
                    // Ids of one network lead to no other figures.
                    links: filters.network == nil
                        ? rows.labels(subject).map { filters.address(place.path, [("app", $0)]) } : [])
            }, sort: sort, choices: reports.choices, advice: filters.advice)
    }
}
