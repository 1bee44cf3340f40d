import AdAttribution
import Money
package import PageViews
package import PostgresClient
package import Reports

/// The filters of a screen of reports, as the address has them.
package struct PageFilters: Sendable {
    /// The names of the parameters.
    package static let names = ["network", "app", "campaign"] + ChosenDays.names + ["environment", "currency"]

    /// The network by its name, which has no suffix; nil for all.
    ///
    /// Spend and the mapping know networks by it. So figures of one screen are of the same network.
    package let network: String?
    package private(set) var app: String?
    /// The campaign, as the mapping has it.
    package private(set) var campaign: CampaignFilter?
    /// The names of campaigns to choose from.
    private var campaignNames: [String] = []
    /// What the field of the campaign shows, if it is not the text of the address.
    private var shownCampaign: String?
    package var days: ClosedRange<PostgresDate>
    /// The days as the address has them.
    package let chosen: ChosenDays
    package let environment: String
    /// The currency of all money.
    package let currency: String
    /// Whether links lead to the form that gives an identifier a name.
    package var offersNaming = true
    /// What is wrong; then nothing is shown but this.
    package private(set) var errors: [PageError]
    /// The names of the networks that have postbacks in the environment.
    package let networks: [String]
    private let choices: ReportChoices
    /// The day of the request.
    package let today: PostgresDate
    private var given: [String: String]

    /// Reads the parameters of an address.
    ///
    /// - Parameters:
    ///   - others: The names of parameters that the screen has beside the filters.
    ///   - choices: What there is in the environment.
    package init(
        _ query: [(name: String, value: String)], others: [String], choices: ReportChoices, today: PostgresDate
    ) {
        var errors: [PageError] = []
        var wrong: Set<String> = []
        func refuse(_ name: String, _ text: String) {
            // One mistake, one message.
            guard wrong.insert(name).inserted else { return }
            errors.append(PageError(text, field: name))
        }
        var given: [String: String] = [:]
        for (name, value) in query {
            if !Self.names.contains(name), !others.contains(name) {
                errors.append(PageError("“\(name.prefix(60))” is no filter of this screen."))
            } else if given.updateValue(value, forKey: name) != nil {
                refuse(name, "The filter “\(name)” is there twice.")
            }
        }
        let networks = Set(choices.networks.map(Self.networkName)).sorted()
        // A name may end like an id: that of “a.skadnetwork.adattributionkit” does.
        let network = given["network"].map { networks.contains($0) ? $0 : Self.networkName($0) }
        app = given["app"]
        environment = given["environment"] ?? AttributionEnvironment.production.rawValue
        currency = given["currency"] ?? choices.currencies.first ?? "USD"
        if AttributionEnvironment(rawValue: environment) == nil {
            refuse(
                "environment", "Environment must be production, development or test, not “\(environment.prefix(40))”.")
        } else {
            if let network, !networks.contains(network) {
                let text = (given["network"] ?? network).prefix(80)
                refuse("network", "There are no postbacks of the network “\(text)” in \(environment).")
            }
            if let app, !choices.apps.contains(app) {
                refuse("app", "There are no postbacks for the app “\(app.prefix(80))” in \(environment).")
            }
        }
        if CurrencyCode(currency) == nil {
            refuse("currency", "Currency must be \(CurrencyCode.rule), not “\(currency.prefix(40))”.")
        }
        chosen = ChosenDays(given, today: today) { refuse($0, $1) }
        days = chosen.range
        // A day takes the place of `days`. What is wrong and has no field is not sent again.
        if chosen.last == nil { given["days"] = nil }
        for name in ["days", "compare"] where wrong.contains(name) { given[name] = nil }
        // An old bookmark may have an id. Links and forms have the name.
        if let network { given["network"] = network }
        self.network = network
        self.networks = networks
        self.errors = errors
        self.given = given
        self.choices = choices
        self.today = today
    }

    /// The currencies of schemes other than the one of all money.
    package var otherCurrencies: [String] { choices.schemeCurrencies.filter { $0 != currency } }

    /// What is said of money in other currencies; none if there is none.
    package var currencyNotices: [String] {
        guard !otherCurrencies.isEmpty else { return [] }
        return [
            "Revenue of schemes in \(otherCurrencies.joined(separator: ", ")) is converted to \(currency) at the rate of "
                + "the day of the install. Without a rate it is not known (–); Spend takes rates."
        ]
    }

    /// The apps that have postbacks in the environment.
    package var apps: [String] { choices.apps }

    /// The ids that the network can have in tables and reports; nil for all networks.
    ///
    /// They are stored in lower case. A column is compared with each, since a function of a column would use no index.
    package var networkIDs: [String]? { network.map(AdNetworkID.identifiers(matching:)) }

    /// The same for the only app there is; nil if there are several and none is chosen.
    package var ofOneApp: Self? {
        guard app == nil, let first = apps.first else { return self }
        guard apps.count == 1 else { return nil }
        var chosen = self
        chosen.app = first
        return chosen
    }

    /// The parameters with which a report is asked.
    package func parameters(_ report: Report) -> [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        if report.column("environment") != nil { parameters.append(("environment", environment)) }
        if report.takesDays {
            parameters += [("from", "\(days.lowerBound)"), ("to", "\(days.upperBound)")]
        }
        let names = report.columns.map(\.name) + report.parameters.map(\.name)
        if let app, names.contains("advertised_app_id") { parameters.append(("advertised_app_id", app)) }
        if let network {
            if report.column("ad_network_id") != nil {
                parameters += AdNetworkID.identifiers(matching: network).map { ("ad_network_id", $0) }
            } else if report.column("network_name") != nil {
                parameters.append(("network_name", network))
            }
        }
        return parameters + (campaign?.parameters(report) ?? [])
    }

    /// The filters as conditions on a daily table that is joined with `attribution.line`.
    package func conditions(_ values: inout StatementValues) -> String {
        let (first, last) = (values.bind(.date(days.lowerBound)), values.bind(.date(days.upperBound)))
        var conditions = [
            "day BETWEEN \(first) AND \(last)", "environment = \(values.bind(.text(environment)))",
            "NOT developer_copy",
        ]
        if let networkIDs { conditions.append(values.isOne("ad_network_id", of: networkIDs)) }
        if let app = app.flatMap(Int64.init) { conditions.append("advertised_app_id = \(values.bind(.integer(app)))") }
        if let campaign { conditions.append(campaign.condition((first, last), &values)) }
        return conditions.joined(separator: " AND ")
    }

    /// The text of the filter on the campaign; nil if there is none.
    var campaignText: String? { given["campaign"] }

    /// What the names of campaigns depend on.
    var campaignScope: CampaignScope {
        CampaignScope(environment: environment, network: network, app: app.flatMap(Int64.init), days: days)
    }

    /// Takes the campaign that the filter names, and names to choose from.
    ///
    /// - Parameter shown: What the field shows in place of the text of the address.
    mutating func take(_ campaign: CampaignFilter?, shown: String? = nil, names: [String]) {
        self.campaign = campaign
        shownCampaign = shown
        campaignNames = names
        guard campaign == nil, campaignText != nil else { return }
        errors.append(PageError("Campaign must be \(CampaignFilter.rule).", field: "campaign"))
    }

    /// What `attribution.network_name` makes of an id; the text itself if it is none.
    private static func networkName(_ text: String) -> String { AdNetworkID(text)?.matchingForm ?? text }

    /// The network that a row is of, for a link; nil if the filter does not offer it.
    package func network(of row: [String: String]) -> String? {
        (row["network_name"] ?? row["ad_network_id"].map(Self.networkName)).flatMap {
            networks.contains($0) ? $0 : nil
        }
    }

    /// An id of a network by its name, for a form that takes ids; nil if there is none.
    package func networkID(named name: String) -> String? { choices.networks.first { Self.networkName($0) == name } }

    /// What the operator calls an app, with its id; the id if it has no name.
    package func appText(_ app: String) -> String { choices.appNames[app].map { "\($0) (\(app))" } ?? app }

    /// The same without some parameters of the screen.
    package func without(_ names: [String]) -> Self {
        var others = self
        for name in names { others.given[name] = nil }
        return others
    }

    /// The parameters as they are given, for a form that changes others.
    package func hidden(without names: [String]) -> [Fact] {
        given.filter { !names.contains($0.key) }.sorted { $0.key < $1.key }.map { Fact($0.key, $0.value) }
    }

    /// The form that changes the filters.
    ///
    /// - Parameters:
    ///   - kept: Parameters that stay as they are.
    ///   - isCompared: Whether the screen has figures of the days before.
    package func form(_ path: String, kept: [String] = [], isCompared: Bool = false) -> FilterForm {
        func options(_ values: [String], _ all: String?) -> [(value: String, text: String)] {
            (all.map { [("", $0)] } ?? []) + values.map { ($0, $0) }
        }
        func named(_ values: [String], _ given: String?) -> [String] {
            values + (given.map { values.contains($0) ? [] : [$0] } ?? [])
        }
        let environments = AttributionEnvironment.allCases.map(\.rawValue)
        return FilterForm(
            action: path,
            selects: [
                SelectField(
                    id: "network", label: "Network", options: options(named(networks, network), "All networks"),
                    chosen: network ?? ""),
                SelectField(
                    id: "app", label: "App",
                    options: [("", "All apps")] + named(choices.apps, app).map { ($0, appText($0)) }, chosen: app ?? ""),
                SelectField(
                    id: "environment", label: "Environment", options: options(named(environments, environment), nil),
                    chosen: environment),
                SelectField(
                    id: "currency", label: "Currency", options: options(named(choices.currencies, currency), nil),
                    chosen: currency),
            ],
            inputs: [
                input("campaign", "Campaign", isDay: false, shownCampaign ?? campaignText ?? "", campaignNames),
                input("from", "First day", isDay: true, given["from"] ?? ""),
                input("to", "Last day", isDay: true, given["to"] ?? ""),
            ],
            hidden: hidden(kept + ["days", "compare"]), ranges: ranges(path),
            shown: errors.isEmpty ? shownDays(path) : nil,
            comparison: isCompared && errors.isEmpty ? comparison(path, kept) : nil, offer: offer(path),
            inForce: errors.isEmpty ? inForce(isCompared: isCompared) : [])
    }

    /// The filters that are on, as people read them: the environment and the days always are.
    ///
    /// - Parameter isCompared: Whether the screen has figures of the days before.
    private func inForce(isCompared: Bool) -> [String] {
        var texts = [environment]
        if let network { texts.append(network) }
        if let app { texts.append(appText(app)) }
        if let text = shownCampaign ?? campaign?.name ?? campaignText { texts.append(text) }
        texts.append(DayText.range("\(days.lowerBound)", "\(days.upperBound)"))
        if given["currency"] != nil { texts.append(currency) }
        if isCompared, given["compare"] != nil { texts.append("compared with \(comparedDays)") }
        return texts
    }

    /// Which days stand beside the chosen ones, in words.
    private var comparedDays: String {
        switch chosen.comparison {
        case .before: "the days before"
        case .week: "a week before"
        case .from(let day): "as many days from \(day)"
        }
    }

    /// Parameters that a form sends as they are.
    private func hidden(_ names: [String]) -> [Fact] {
        names.compactMap { name in given[name].map { Fact(name, $0) } }
    }

    /// Which days are shown, and the address that shows them on other days too.
    private func shownDays(_ path: String) -> ShownDays {
        let (first, last) = ("\(days.lowerBound)", "\(days.upperBound)")
        return ShownDays(
            "\(first) to \(last)" + (chosen.last.map { $0 == 1 ? ", today" : ", the last \($0) days" } ?? ""),
            fixed: address(path, [("days", nil), ("from", first), ("to", last), ("currency", currency)]))
    }

    /// The form that chooses what the days are compared with.
    private func comparison(_ path: String, _ kept: [String]) -> ComparisonForm {
        let text = given["compare"]
        let day = text.flatMap { PostgresDate($0) }
        return ComparisonForm(
            chosen: comparedDays, action: path, hidden: hidden(kept + Self.names.filter { $0 != "compare" }),
            choices: [
                PageLink("The days before", address(path, [("compare", nil)]), isCurrent: text == nil),
                PageLink("A week before", address(path, [("compare", "week")]), isCurrent: text == "week"),
            ],
            day: TextField(
                id: "compare", label: "As many days from", isDay: true, content: day.map { "\($0)" } ?? ""))
    }

    /// Leads to the environments that have postbacks; nil if the chosen one has some, or if none has.
    private func offer(_ path: String) -> FilterOffer? {
        let others = choices.environments.filter { $0 != environment }
        guard AttributionEnvironment(rawValue: environment) != nil, choices.networks.isEmpty, !others.isEmpty else {
            return nil
        }
        return FilterOffer(
            "There are no postbacks in \(environment).",
            links: others.map {
                PageLink("Show \($0)", address(path, [("environment", $0), ("network", nil), ("app", nil)]))
            })
    }

    /// Links to the last days, with the other filters.
    private func ranges(_ path: String) -> [PageLink] {
        guard errors.isEmpty else { return [] }
        return [7, 30, 90].map { (count: Int32) in
            // A day to compare with may be among these.
            let isAfter = given["compare"].flatMap { PostgresDate($0) }.map {
                $0 >= ChosenDays.day(today, plus: 1 - count)
            }
            let changes: [(name: String, value: String?)] =
                [("days", "\(count)"), ("from", nil), ("to", nil)] + (isAfter == true ? [("compare", nil)] : [])
            return PageLink("Last \(count) days", address(path, changes), isCurrent: chosen.last == count)
        }
    }

    private func input(
        _ id: String, _ label: String, isDay: Bool, _ content: String, _ suggestions: [String] = []
    ) -> TextField {
        TextField(id: id, label: label, isDay: isDay, content: content, suggestions: suggestions)
    }

    /// The address of a path with these filters, as far as they are given, and other parameters.
    ///
    /// - Parameter changes: Parameters that are added or replaced; nil removes one.
    package func address(_ path: String, _ changes: [(name: String, value: String?)]) -> String {
        let changed = Set(changes.map(\.name))
        let kept = given.filter { !changed.contains($0.key) }.sorted { $0.key < $1.key }
        return PageLink.address(path, kept.map { ($0.key, $0.value) } + changes)
    }

    /// The address of a path with one day; nil if only that day is shown.
    package func address(_ path: String, day: String) -> String? {
        guard days.lowerBound != days.upperBound else { return nil }
        return address(path, [("days", nil), ("from", day), ("to", day)])
    }

    /// What to do if there are no rows.
    package var advice: String {
        if choices.networks.isEmpty {
            let others = choices.environments.filter { $0 != environment }
            return others.isEmpty
                ? "No postback was counted yet. Let Apple's devices send them to this server, or run “adsign simulate”."
                : "No postback was counted in \(environment). Choose the environment \(others.joined(separator: " or "))."
        }
        // More days don't help if the campaign runs for another app.
        if let campaign, campaign.ids != nil, campaign.identifiers.isEmpty, let app {
            return
                "“\(campaign.name)” has no postbacks in the app \(appText(app)) from \(days.lowerBound) to "
                + "\(days.upperBound). Choose all apps, or another campaign."
        }
        return
            "No rows fit these filters from \(days.lowerBound) to \(days.upperBound). Choose more days, or clear the filters."
    }
}
