import AdAttribution
import PageFigures
import PageRequests
import PageViews
import Reports

/// *Campaigns*: from networks to campaigns to the digits of source identifiers to source apps, and what they cost.
enum CampaignScreen {
    static let place = ScreenPlace(path: "/campaigns", name: "Campaigns")
    static let parameters = ["by", "sort", "within"] + TableChoices.names

    /// What a row of the table is.
    enum Level: String, CaseIterable {
        case network
        case campaign
        case identifier
        case source
        case cost
        case modelled

        var name: String {
            switch self {
            case .network: "Networks"
            case .campaign: "Campaigns"
            case .identifier: "Identifiers"
            case .source: "Source apps"
            case .cost: "Cost and return"
            case .modelled: "Modelled revenue"
            }
        }
    }

    static func content(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> ScreenContent {
        let text = reports.request["by"] ?? Level.network.rawValue
        guard let level = Level(rawValue: text) else {
            throw FieldError(
                field: "by", rule: "must be one of \(Level.allCases.map(\.rawValue).joined(separator: ", "))",
                value: text)
        }
        let plan =
            switch level {
            case .network: try networks(filters, reports)
            case .campaign: try campaigns(filters, reports)
            case .identifier: try identifiers(filters, reports)
            case .source: try sources(filters, reports)
            case .cost: try cost(filters, reports)
            case .modelled: try modelled(filters, reports)
            }
        return ScreenContent(
            introduction:
                "Winning postbacks by the day of the install. Revenue is that of all windows so far, as mapped "
                + "values say. Choose a row to see what is in it, and a column to sort by it.",
            tabs: Level.allCases.map { other in
                PageLink(
                    other.name, filters.address(place.path, [("by", other.rawValue), ("sort", nil), ("within", nil)]),
                    isCurrent: other == level)
            },
            notices: notices(level, filters), plans: [plan])
    }

    /// What is said of campaigns if the filter is an identifier as received.
    static let receivedNotice = "A filter on an identifier as received shows only postbacks that no mapping row names."

    private static func notices(_ level: Level, _ filters: PageFilters) -> [String] {
        let hasCampaign = filters.campaign != nil
        let isReceived = hasCampaign && filters.campaign?.ids == nil
        switch level {
        case .network, .identifier, .source: return filters.currencyNotices + filters.identifierNotices
        case .campaign:
            return filters.currencyNotices + (isReceived ? [receivedNotice] : [])
        case .cost:
            return isReceived
                ? ["Cost is known by mapped campaign. The filter on an identifier as received is not used here."] : []
        case .modelled:
            let others = filters.otherCurrencies.joined(separator: " or ")
            let ofCurrency =
                "Only revenue in \(filters.currency) is here: an interval over many days can't be converted. For revenue "
                + "in \(others), choose that currency."
            let ofCampaign = "Revenue is modelled by app and network. The filter on the campaign is not used here."
            return (others.isEmpty ? [] : [ofCurrency]) + (hasCampaign ? [ofCampaign] : [])
        }
    }

    /// The figures of each row.
    static func figures(_ filters: PageFilters) -> [ReportSummary.Figure] {
        let first = ["sequence_index": "0"]
        return ["installs", "redownloads", "reengagements"].map { .init($0, .sum([$0])) } + [
            .init("postbacks", .sum(["postbacks"]), where: first),
            .init("missing_share", .ratio(["withheld", "not_set", "not_applicable"], ["postbacks"]), where: first),
        ]
            + ["revenue_low", "revenue_middle", "revenue_high"].map {
                .init($0, .money($0, of: "mapped", in: filters.currency))
            }
    }

    /// Their columns.
    static func columns(_ filters: PageFilters) -> [FigureColumn] {
        [
            FigureColumn("installs", "Installs", .integer),
            FigureColumn("redownloads", "Redownloads", .integer),
            FigureColumn("reengagements", "Re-engagements", .integer),
            FigureColumn("missing_share", "Without a value (null rate)", .share),
            FigureColumn("revenue_low", "Revenue at least, \(filters.currency)", .money),
            FigureColumn("revenue_middle", "Middle", .money),
            FigureColumn("revenue_high", "At most", .money),
        ]
    }

    /// A report, summed for a table: the rows that the search finds, as many as a CSV has.
    static func summary(
        _ report: String, _ more: [(name: String, value: String)], by groups: [String],
        _ figures: [ReportSummary.Figure], sort: String, _ reports: ScreenReports
    ) throws(FieldError) -> ReportSummary {
        try reports.summary(
            report, more, by: groups, figures, sort: sort, limit: FigurePlan.greatestRows,
            search: reports.choices.search)
    }
}
