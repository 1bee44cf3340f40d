import AdAttribution
import PageFigures
import PageRequests
import PageViews
import PostgresClient
import Reports

/// *Campaign*: one campaign, of the mapping or as received, with all that is known of it.
enum OneCampaignScreen {
    static let place = ScreenPlace(
        path: "/campaign", name: "Campaign", parent: CampaignScreen.place.path)

    static func content(_ all: PageFilters, _ reports: ScreenReports) throws(FieldError) -> ScreenContent {
        guard let campaign = all.campaign else {
            return ScreenContent(
                introduction: "What one campaign brought and cost, and all that is known of it.",
                tabs: [PageLink("All campaigns", all.address(CampaignScreen.place.path, [("by", "campaign")]))],
                notices: ["Type the name of a campaign into the filter, or choose one of all campaigns."], plans: [])
        }
        // The same digits are another campaign in each network and app.
        guard campaign.ids != nil || all.network != nil && all.app != nil else {
            return ScreenContent(
                title: "Campaign \(campaign.name) as received",
                introduction: "An identifier as received is another campaign in each network and app.",
                tabs: places(all), notices: ["Choose a network and an app."], plans: [])
        }
        let figures = CampaignFigures(campaign, all, today: reports.today)
        var plans = [figures.totals, figures.windows]
        plans += figures.trend
        plans += [figures.causes, identifiers(campaign, all), sources(campaign, all)]
        plans += values(all)
        plans += [refused(campaign, all), copies(campaign, all)]
        return ScreenContent(
            title: campaign.ids == nil ? "Campaign \(campaign.name) as received" : campaign.name,
            introduction: introduction(campaign, all), tabs: tabs(campaign, all), notices: notices(campaign, all),
            plans: plans, isPaired: true, isCompared: true)
    }

    /// Its conversion values, which mean something else in each app; none if there are several apps.
    private static func values(_ filters: PageFilters) -> [FigurePlan] {
        filters.ofOneApp.map { ValueScreen.plans($0, isTableOpen: false) } ?? []
    }

    /// The address of the page of the campaign that a row is of; nil if the row names none.
    static func address(_ filters: PageFilters, _ row: [String: String]) -> String? {
        guard let campaign = row["campaign_id"].map(CampaignFilter.text(id:)) ?? row["campaign"] else { return nil }
        return filters.address(
            place.path,
            [
                ("campaign", campaign), ("network", filters.network(of: row)),
                ("app", row["advertised_app_id"].flatMap { filters.apps.contains($0) ? $0 : nil }), ("by", nil),
                ("sort", nil), ("within", nil),
            ])
    }

    private static func introduction(_ campaign: CampaignFilter, _ filters: PageFilters) -> String {
        let network = filters.network.map { "of \($0)" } ?? "of all networks"
        let app = filters.app.map { "for app \($0)" } ?? "for all apps"
        guard let ids = campaign.ids else {
            return "An identifier \(network) \(app). Figures are of its postbacks that no row of the mapping names."
        }
        return
            "Campaign id \(ids.joined(separator: ", ")) \(network), \(app). Figures are by the day of the install."
    }

    private static func tabs(_ campaign: CampaignFilter, _ filters: PageFilters) -> [PageLink] {
        func page(_ name: String, _ place: ScreenPlace, _ changes: [(name: String, value: String?)] = []) -> PageLink {
            PageLink(name, filters.address(place.path, changes))
        }
        var tabs: [PageLink] = []
        if case .received(let identifier, let owners) = campaign {
            tabs += owners.map(\.campaign).map {
                page("Named \($0.name)", place, [("campaign", CampaignFilter.text(id: $0.id))])
            }
            // It has one on these days.
            if owners.isEmpty {
                tabs += naming(filters, ["campaign": identifier]).map { [PageLink("Give it a name", $0)] } ?? []
            }
        }
        return tabs + [
            page("On Overview", OverviewScreen.place), page("Versions and windows", WindowScreen.place),
            page("Modelled revenue", CampaignScreen.place, [("by", "modelled")]),
            page("All campaigns", CampaignScreen.place, [("by", "campaign"), ("campaign", nil)]),
        ]
    }

    /// The address of the form that gives an identifier as received a name, filled in; nil if the row has none, or
    /// if this person may not give one.
    static func naming(_ filters: PageFilters, _ row: [String: String]) -> String? {
        guard filters.offersNaming, let identifier = row["campaign"] else { return nil }
        var fields = ["identifier": identifier]
        fields["network"] =
            row["ad_network_id"] ?? (row["network_name"] ?? filters.network).flatMap(filters.networkID(named:))
        fields["app"] = row["advertised_app_id"] ?? filters.app
        fields["campaign-type"] = row["campaign_type"] ?? MappingNaming.type(of: identifier)
        return MappingNaming.address(filters, filling: fields)
    }

    private static func notices(_ campaign: CampaignFilter, _ filters: PageFilters) -> [String] {
        guard campaign.ids == nil else { return filters.currencyNotices }
        guard !campaign.owners.isEmpty else {
            return filters.currencyNotices + [
                "No row of the mapping names it on these days, so it has no cost and no return. Give it a name to see them."
            ]
        }
        let owners = campaign.owners.map { owner in
            let days =
                owner.days == filters.days
                ? "on these days" : "from \(owner.days.lowerBound) to \(owner.days.upperBound)"
            return "The mapping gives it to “\(owner.campaign.name)” \(days)."
        }
        return filters.currencyNotices + [
            (owners + ["Its postbacks that have a name are on the page of that campaign, with cost and return."])
                .joined(separator: " ")
        ]
    }

    /// Links to the networks and apps that there are.
    private static func places(_ filters: PageFilters) -> [PageLink] {
        let networks = filters.network.map { [$0] } ?? filters.networks
        let apps = filters.app.map { [$0] } ?? filters.apps
        return networks.prefix(10).flatMap { network in
            apps.prefix(5).map { app in
                PageLink("\(network), app \(app)", filters.address(place.path, [("network", network), ("app", app)]))
            }
        }
    }
}
