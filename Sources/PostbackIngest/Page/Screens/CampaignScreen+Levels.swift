import AdAttribution
import AdminPage
import PostbackStore

extension CampaignScreen {
    static func networks(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> FigurePlan {
        let network = FigureColumn(
            name: "ad_network_id", label: "Network", form: .text,
            link: { row in
                row["ad_network_id"].map {
                    filters.address(place.path, [("network", $0), ("by", "campaign"), ("sort", nil)])
                }
            }, isHeader: true)
        return try plan("networks", "Networks", "install_campaign", ["ad_network_id"], [network], filters, reports)
    }

    static func campaigns(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> FigurePlan {
        @Sendable func next(_ row: [String: String], _ changes: [(name: String, value: String?)]) -> String {
            filters.address(
                place.path, [("app", row["advertised_app_id"]), ("sort", nil), ("within", nil)] + changes)
        }
        return try plan(
            "campaigns", "Campaigns", "install_mapping", campaign,
            [
                FigureColumn(
                    name: "campaign_name", label: "Campaign", form: .text, isHeader: true, absent: "not mapped"),
                FigureColumn(name: "campaign_id", label: "Campaign id", form: .text),
                FigureColumn(
                    name: "campaign", label: "As received, if not mapped", form: .text,
                    link: { row in row["campaign"].map { next(row, [("by", "source"), ("campaign", $0)]) } }),
                FigureColumn(name: "network_name", label: "Network", form: .text),
                FigureColumn(
                    name: "advertised_app_id", label: "App", form: .text, link: { next($0, [("by", "identifier")]) }),
            ], filters, reports)
    }

    /// The columns that tell a campaign from others: its names, or what was received if no mapping row names it.
    private static let campaign = [
        "campaign_name", "campaign_id", "campaign_type", "campaign", "network_name", "advertised_app_id",
    ]

    /// The campaigns with most installs; each leads to those of its network and app.
    static func most(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> FigurePlan {
        @Sendable func link(_ row: [String: String]) -> String {
            filters.address(
                place.path,
                [
                    ("by", "campaign"), ("network", row["network_name"].flatMap(filters.network(named:))),
                    ("app", row["advertised_app_id"]), ("campaign", row["campaign"]),
                ])
        }
        let summary = try reports.summary(
            "install_mapping", [("did_win", "true")], by: campaign, figures(filters), sort: "-installs", limit: 10)
        return FigurePlan(
            id: "top", heading: "Campaigns with most installs",
            remark: "The first ten. Choose one to see its network and app in Campaigns.",
            question: FigureQuestion(summary),
            columns: [
                FigureColumn(
                    name: "campaign_name", label: "Campaign", form: .text, link: link, isHeader: true,
                    absent: "not mapped"),
                FigureColumn(name: "campaign", label: "As received, if not mapped", form: .text, link: link),
                FigureColumn(name: "network_name", label: "Network", form: .text),
                FigureColumn(name: "advertised_app_id", label: "App", form: .text),
                FigureColumn(name: "installs", label: "Installs", form: .integer),
                FigureColumn(name: "missing_share", label: "Without a value", form: .share),
                FigureColumn(name: "revenue_middle", label: "Revenue, middle, \(filters.currency)", form: .money),
            ], advice: filters.advice)
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
        func column(_ name: String, _ label: String, _ form: FigureColumn.Form) -> FigureColumn {
            FigureColumn(name: name, label: label, form: form, isHeader: form == .text)
        }
        return FigurePlan(
            id: "modelled", heading: "Modelled revenue by window, \(filters.currency)",
            remark:
                "What the revenue would be if withheld values were worth as much as known ones. It is an estimate, "
                + "and never part of measured figures. The lines are its 95 % interval (docs/money.md). Days that are "
                + "not complete yet are in it.",
            question: FigureQuestion(summary),
            columns: [
                column(subject, filters.network == nil ? "App" : "Network", .text),
                column("sequence_index", "Window", .text), column("postbacks", "Postbacks", .integer),
                column("mapped", "Known values", .integer), column("withheld", "Withheld values", .integer),
                column("revenue_low", "Measured at least", .money),
                column("revenue_middle", "Measured, middle", .money),
                column("revenue_high", "Measured at most", .money),
                column("modelled_revenue_low", "Modelled, low", .money),
                column("modelled_revenue_middle", "Modelled, middle", .money),
                column("modelled_revenue_high", "Modelled, high", .money),
                column("modelled_interval_low", "Interval from", .money),
                column("modelled_interval_high", "Interval to", .money),
                column("modelled_missing", "Withheld without a model", .integer),
            ],
            chart: { rows in
                let (low, high) = (rows.numbers("modelled_interval_low"), rows.numbers("modelled_interval_high"))
                return ChartData(
                    id: "modelled", title: "Modelled revenue by window, \(filters.currency)",
                    places: zip(rows.texts(subject), rows.texts("sequence_index")).map {
                        "\($0 ?? "") · \($1 ?? "")"
                    },
                    series: [.init("Modelled revenue, middle", rows.numbers("modelled_revenue_middle"))],
                    ranges: zip(low, high).map { min($0, $1)...max($0, $1) },
                    isIncomplete: rows.rows.map { _ in false })
            }, sort: sort, advice: filters.advice)
    }

    /// The digits of source identifiers: two at first, then those that end in them.
    static func identifiers(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> FigurePlan {
        var more: [(name: String, value: String)] = [("did_win", "true")]
        var digits = 2
        if let within = reports.request["within"] {
            guard within.wholeMatch(of: /[0-9]{2,3}/) != nil else {
                throw FieldError(field: "within", rule: "must be two or three digits", value: within)
            }
            digits = within.count + 1
            more += (0...9).map { ("source_identifier", "\($0)\(within)") }
        } else if let campaign = filters.campaign {
            digits = max(1, campaign.count)
        }
        more.append(("digits", "\(digits)"))
        let summary = try reports.summary(
            "install_source_identifier", more,
            by: ["source_identifier", "digits", "ad_network_id", "advertised_app_id"],
            figures(filters), sort: reports.request["sort"] ?? "-installs", limit: limit(reports))
        let question = FigureQuestion(["names"] + summary.names) { values in
            let (first, last) = (
                values.bind(.date(filters.days.lowerBound)), values.bind(.date(filters.days.upperBound))
            )
            return """
                SELECT (SELECT string_agg(DISTINCT coalesce(named.campaign_name, named.campaign_id), ', ')
                          FROM attribution.campaign_mapping AS named
                         WHERE named.network_name = attribution.network_name(summary.ad_network_id)
                           AND named.campaign_type = 'source-identifier'
                           AND named.identifier = summary.source_identifier
                           AND coalesce(named.advertised_app_id = summary.advertised_app_id, true)
                           AND named.valid_from <= \(last) AND named.last_named_day >= \(first)) AS names,
                       summary.*
                  FROM (
                \(summary.text(&values))
                ) AS summary
                """
        }
        let next = digits < 4
        return FigurePlan(
            id: "identifiers", heading: "Source identifiers by their last \(digits) digits",
            remark:
                "Apple cuts an identifier to its last digits if the crowd is small. A postback counts in each level "
                + "that it has digits for. \(remark)",
            question: question,
            columns: [
                FigureColumn(
                    name: "source_identifier", label: "Last digits", form: .text,
                    link: { row in
                        guard next, let digits = row["source_identifier"] else { return nil }
                        return filters.address(
                            place.path,
                            [
                                ("by", "identifier"), ("within", digits), ("campaign", nil), ("sort", nil),
                                ("network", row["ad_network_id"]), ("app", row["advertised_app_id"]),
                            ])
                    }, isHeader: true),
                FigureColumn(name: "names", label: "Mapped names", form: .text),
                FigureColumn(name: "ad_network_id", label: "Network", form: .text),
                FigureColumn(
                    name: "advertised_app_id", label: "App", form: .text,
                    link: { row in
                        filters.address(
                            place.path,
                            [
                                ("by", "source"), ("within", nil), ("sort", nil), ("network", row["ad_network_id"]),
                                ("app", row["advertised_app_id"]),
                            ])
                    }),
            ] + columns(filters), sort: reports.request["sort"] ?? "-installs", advice: filters.advice)
    }

    static func sources(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> FigurePlan {
        try plan(
            "sources", "Source apps and sites", "install_source", ["source_app_id", "source_domain"],
            [
                FigureColumn(name: "source_app_id", label: "Source app", form: .text, isHeader: true),
                FigureColumn(name: "source_domain", label: "Source domain", form: .text),
            ], filters, reports,
            remark: "Apple names the source in tier 3 only. The row without one has all others. ")
    }

    static func cost(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> FigurePlan {
        let values = [
            "cost", "cost_per_install", "roas_0_low", "roas_0_middle", "roas_0_high", "roas_low", "roas_middle",
            "roas_high",
        ]
        let sort = reports.request["sort"] ?? "-cost"
        let summary = try reports.summary(
            "cost", [("in_currency", filters.currency)],
            by: ["campaign_name", "campaign_id", "network_name", "advertised_app_id"],
            [.init("installs", .sum(["installs"]))] + values.map { .init($0, .greatest($0)) }
                + [.init("revenue_complete", .every("revenue_complete"))],
            sort: sort, limit: limit(reports))
        return FigurePlan(
            id: "cost", heading: "Cost and return by mapped campaign, \(filters.currency)",
            remark:
                "Revenue is what known values say, so returns are too low where many values are missing. Cost is not "
                + "known (–) if a currency rate is missing. \(remark)",
            question: FigureQuestion(summary),
            columns: [
                FigureColumn(
                    name: "campaign_name", label: "Campaign", form: .text, isHeader: true, absent: "without a name"),
                FigureColumn(name: "campaign_id", label: "Campaign id", form: .text),
                FigureColumn(name: "network_name", label: "Network", form: .text),
                FigureColumn(name: "advertised_app_id", label: "App", form: .text),
                FigureColumn(name: "installs", label: "Installs", form: .integer),
                FigureColumn(name: "cost", label: "Cost", form: .money),
                FigureColumn(name: "cost_per_install", label: "Per install", form: .money),
                FigureColumn(name: "roas_0_middle", label: "Return, first window", form: .share),
                FigureColumn(name: "roas_low", label: "Return so far, at least", form: .share),
                FigureColumn(name: "roas_middle", label: "Middle", form: .share),
                FigureColumn(name: "roas_high", label: "At most", form: .share),
                FigureColumn(name: "revenue_complete", label: "State", form: .complete),
            ], sort: sort,
            advice: filters.advice
                + " Cost comes from “PostbackServer spend load”, names from “PostbackServer mapping load”.")
    }

    private static func plan(
        _ id: String, _ heading: String, _ report: String, _ groups: [String], _ keys: [FigureColumn],
        _ filters: PageFilters, _ reports: ScreenReports, remark more: String = ""
    ) throws(FieldError) -> FigurePlan {
        let sort = reports.request["sort"] ?? "-installs"
        let summary = try reports.summary(
            report, [("did_win", "true")], by: groups, figures(filters), sort: sort, limit: limit(reports))
        return FigurePlan(
            id: id, heading: heading, remark: more + remark, question: FigureQuestion(summary),
            columns: keys + columns(filters), sort: sort, advice: filters.advice)
    }
}
