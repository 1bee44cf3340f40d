import AdAttribution
import PageFigures
import PageRequests
import Reports

extension CampaignScreen {
    static func networks(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> FigurePlan {
        let network = FigureColumn(
            "ad_network_id", "Network", isHeader: true,
            link: { row in
                filters.network(of: row).map {
                    filters.address(place.path, [("network", $0), ("by", "campaign"), ("sort", nil)])
                }
            })
        return try plan(
            "networks", "Networks", reports.withMoney(reports.installs(orByCampaign: "install_campaign")),
            ["ad_network_id"], [network],
            filters, reports,
            remark:
                "A network that uses the ids of both protocols has a row for each. The filter, and so each link, takes "
                + "them together.")
    }

    static func campaigns(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> FigurePlan {
        @Sendable func next(_ row: [String: String], _ changes: [(name: String, value: String?)]) -> String {
            filters.address(
                place.path, [("app", row["advertised_app_id"]), ("sort", nil), ("within", nil)] + changes)
        }
        return try plan(
            "campaigns", "Campaigns", reports.withMoney("install_mapping"), campaign,
            names(filters) + [
                FigureColumn("network_name", "Network"),
                .app(filters) { next($0, [("by", "identifier")]) },
            ], filters, reports)
    }

    /// The columns of its names; each leads to its page, and a missing name to the form that gives one.
    private static func names(_ filters: PageFilters) -> [FigureColumn] {
        [
            FigureColumn(
                "campaign_name", "Campaign", isHeader: true, absent: "not mapped, name it",
                link: { row in
                    row["campaign_id"] == nil
                        ? OneCampaignScreen.naming(filters, row) : OneCampaignScreen.address(filters, row)
                }),
            FigureColumn(
                "campaign_id", "Campaign id",
                link: { $0["campaign_id"] == nil ? nil : OneCampaignScreen.address(filters, $0) }),
            FigureColumn(
                "campaign", "As received, if not mapped", isOptional: true,
                link: { $0["campaign"] == nil ? nil : OneCampaignScreen.address(filters, $0) }),
        ]
    }

    /// The columns that tell a campaign from others: its names, or what was received if no mapping row names it.
    private static let campaign = [
        "campaign_name", "campaign_id", "campaign_type", "campaign", "network_name", "advertised_app_id",
    ]

    /// The campaigns with most installs; each leads to its page.
    static func most(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> FigurePlan {
        let summary = try reports.summary(
            reports.withMoney("install_mapping"), [("did_win", "true")], by: campaign, figures(filters),
            sort: "-installs", limit: 10)
        let isReceived = !OverviewScreen.hasSpend(filters)
        return FigurePlan(
            id: "top", heading: "Campaigns with most installs",
            remark:
                "The first ten, of all chosen days. Choose one to see its page; Campaigns has all.",
            question: FigureQuestion(summary),
            columns: names(filters).filter { $0.name != "campaign_id" } + [
                FigureColumn("network_name", "Network"),
                .app(filters),
                FigureColumn("installs", "Installs", .integer),
                FigureColumn("missing_share", "Without a value (null rate)", .share),
                FigureColumn(
                    "revenue_middle", "Revenue of all windows so far, middle, \(filters.currency)", .money),
            ], advice: isReceived ? receivedNotice + " There are none." : filters.advice)
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
        } else if case .received(let identifier, _) = filters.campaign {
            digits = max(1, identifier.count)
        } else if let campaign = filters.campaign {
            // All of the campaign: the two last digits are in each level.
            let groups = Set(campaign.identifiers.filter { $0.count > 1 }.map { String($0.suffix(2)) })
            more += groups.isEmpty ? [("source_identifier", "")] : groups.sorted().map { ("source_identifier", $0) }
        }
        more.append(("digits", "\(digits)"))
        let sort = reports.request["sort"] ?? "-installs"
        let summary = try summary(
            reports.withMoney("install_source_identifier"), more,
            by: ["source_identifier", "digits", "ad_network_id", "advertised_app_id"], figures(filters), sort: sort,
            reports)
        let question = FigureQuestion(["names", "campaign_id"] + summary.names) { values in
            named(filters, &values) { summary.text(&$0) }
        }
        let cut = FigureQuestion(["names", "campaign_id"] + summary.cutNames) { values in
            named(filters, &values) { summary.cutText(&$0, after: FigurePlan.shownRows) }
        }
        let next = digits < 4
        return FigurePlan(
            id: "identifiers", heading: "Source identifiers by their last \(digits) digits",
            remark:
                "Apple cuts an identifier to its last digits if the crowd is small. A postback counts in each level "
                + "that it has digits for.",
            question: question, cut: cut,
            columns: [
                FigureColumn(
                    "source_identifier", "Last digits", isHeader: true,
                    link: { row in
                        guard next, let digits = row["source_identifier"] else { return nil }
                        return filters.address(
                            place.path,
                            [
                                ("by", "identifier"), ("within", digits), ("campaign", nil), ("sort", nil),
                                ("network", filters.network(of: row)), ("app", row["advertised_app_id"]),
                            ])
                    }),
                FigureColumn(
                    "names", "Mapped names",
                    link: { row in row["campaign_id"] == nil ? nil : OneCampaignScreen.address(filters, row) }),
                FigureColumn("ad_network_id", "Network"),
                .app(filters) { row in
                    filters.address(
                        place.path,
                        [
                            ("by", "source"), ("within", nil), ("sort", nil), ("network", filters.network(of: row)),
                            ("app", row["advertised_app_id"]),
                        ])
                },
            ] + columns(filters), sort: sort, choices: reports.choices, advice: filters.advice)
    }

    /// The rows of a statement about identifiers, with the names that the mapping gives each.
    private static func named(
        _ filters: PageFilters, _ values: inout StatementValues, _ text: (inout StatementValues) -> String
    ) -> String {
        let (first, last) = (values.bind(.date(filters.days.lowerBound)), values.bind(.date(filters.days.upperBound)))
        return """
            SELECT names, campaign_id, summary.*
              FROM (
            \(text(&values))
            ) AS summary
             CROSS JOIN LATERAL (
                   SELECT string_agg(DISTINCT coalesce(named.campaign_name, named.campaign_id), ', ') AS names,
                          CASE WHEN min(named.campaign_id) = max(named.campaign_id) THEN min(named.campaign_id) END
                          AS campaign_id
                     FROM attribution.campaign_mapping AS named
                    WHERE named.network_name = attribution.network_name(summary.ad_network_id)
                      AND named.campaign_type = 'source-identifier'
                      AND named.identifier = summary.source_identifier
                      AND coalesce(named.advertised_app_id = summary.advertised_app_id, true)
                      AND named.valid_from <= \(last) AND named.last_named_day >= \(first)) AS named
            """
    }

    static func sources(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> FigurePlan {
        let sort = reports.request["sort"] ?? "-installs"
        let summary = try summary(
            reports.withMoney(reports.installs("install_app_source", orByCampaign: "install_source")),
            [("did_win", "true")], by: ["source_app_id", "source_domain"], figures(filters), sort: sort, reports)
        let question = FigureQuestion(["source_app_name"] + summary.names) { values in
            withAppNames(summary.text(&values))
        }
        let cut = FigureQuestion(["source_app_name"] + summary.cutNames) { values in
            withAppNames(summary.cutText(&values, after: FigurePlan.shownRows))
        }
        return FigurePlan(
            id: "sources", heading: "Source apps and sites",
            remark: "Apple names the source in tier 3 only. The row without one has all others.",
            question: question, cut: cut,
            columns: [
                FigureColumn(
                    "source_app_id", "Source app", isHeader: true,
                    text: { row in
                        row["source_app_name"].flatMap { name in row["source_app_id"].map { "\(name) (\($0))" } }
                    }),
                FigureColumn("source_domain", "Source domain"),
            ] + columns(filters), sort: sort, choices: reports.choices, advice: filters.advice)
    }

    /// The rows of a statement about source apps, with what the operator calls each.
    private static func withAppNames(_ text: String) -> String {
        """
        SELECT (SELECT app_name FROM attribution.app_name WHERE app_id = summary.source_app_id) AS source_app_name,
               summary.*
          FROM (
        \(text)
        ) AS summary
        """
    }

    private static func plan(
        _ id: String, _ heading: String, _ report: String, _ groups: [String], _ keys: [FigureColumn],
        _ filters: PageFilters, _ reports: ScreenReports, remark: String? = nil
    ) throws(FieldError) -> FigurePlan {
        let sort = reports.request["sort"] ?? "-installs"
        let summary = try summary(
            report, [("did_win", "true")], by: groups, figures(filters), sort: sort, reports)
        return FigurePlan(
            id: id, heading: heading, remark: remark, question: FigureQuestion(summary),
            cut: FigureQuestion(summary, cutAfter: FigurePlan.shownRows), columns: keys + columns(filters), sort: sort,
            choices: reports.choices, advice: filters.advice)
    }
}
