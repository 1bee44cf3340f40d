import AdAttribution
import Money
import PostgresClient
import Reports

/// The filters of a screen of reports, as the address has them.
struct PageFilters: Sendable {
    /// The names of the parameters.
    static let names = ["network", "app", "campaign", "from", "to", "environment", "currency"]
    /// The number of days if none are given.
    private static let usualDays: Int32 = 30

    let network: String?
    private(set) var app: String?
    /// The campaign, as the mapping has it.
    private(set) var campaign: CampaignFilter?
    /// The names of campaigns to choose from.
    private var campaignNames: [String] = []
    /// What the field of the campaign shows, if it is not the text of the address.
    private var shownCampaign: String?
    var days: ClosedRange<PostgresDate>
    let environment: String
    /// The currency of all money.
    let currency: String
    /// What is wrong; then nothing is shown but this.
    private(set) var errors: [PageError]
    private let choices: ReportChoices
    private let today: PostgresDate
    private var wrong: Set<String>
    private let given: [String: String]

    /// Reads the parameters of an address.
    ///
    /// - Parameters:
    ///   - others: The names of parameters that the screen has beside the filters.
    ///   - choices: What there is in the environment.
    init(
        _ query: [(name: String, value: String)], others: [String], choices: ReportChoices, today: PostgresDate
    ) {
        var errors: [PageError] = []
        var wrong: Set<String> = []
        func refuse(_ name: String, _ text: String, id: String? = nil) {
            errors.append(PageError(text, field: id ?? name))
            wrong.insert(name)
        }
        var given: [String: String] = [:]
        for (name, value) in query {
            if !Self.names.contains(name), !others.contains(name) {
                errors.append(PageError("“\(name.prefix(60))” is no filter of this screen.", field: "main"))
            } else if given.updateValue(value, forKey: name) != nil {
                refuse(name, "The filter “\(name)” is there twice.")
            }
        }
        network = given["network"]
        app = given["app"]
        environment = given["environment"] ?? AttributionEnvironment.production.rawValue
        currency = given["currency"] ?? choices.currencies.first ?? "USD"
        if AttributionEnvironment(rawValue: environment) == nil {
            refuse("environment", "Environment must be production, development or test.")
        } else {
            if let network, !choices.networks.contains(network) {
                refuse("network", "There are no postbacks of the network “\(network.prefix(80))” in \(environment).")
            }
            if let app, !choices.apps.contains(app) {
                refuse("app", "There are no postbacks for the app “\(app.prefix(80))” in \(environment).")
            }
        }
        if CurrencyCode(currency) == nil {
            refuse("currency", "Currency must be three capital letters such as USD.")
        }
        func day(_ name: String, _ label: String) -> PostgresDate? {
            guard let text = given[name] else { return nil }
            if let day = PostgresDate(text) { return day }
            refuse(name, "\(label) must be \(PostgresDate.rule), not “\(text.prefix(40))”.")
            return nil
        }
        let last = day("to", "Last day") ?? today
        let first = day("from", "First day") ?? PostgresDate(daysSince2000: last.daysSince2000 - Self.usualDays + 1)
        if first > last { refuse("from", "First day must not be after the last day, \(last).") }
        days = min(first, last)...last
        self.errors = errors
        self.wrong = wrong
        self.given = given
        self.choices = choices
        self.today = today
    }

    /// The currencies of schemes other than the one of all money.
    var otherCurrencies: [String] { choices.schemeCurrencies.filter { $0 != currency } }

    /// What is said of money in other currencies; none if there is none.
    var currencyNotices: [String] {
        guard !otherCurrencies.isEmpty else { return [] }
        return [
            "Revenue of schemes in \(otherCurrencies.joined(separator: ", ")) is converted to \(currency) at the rate of "
                + "the day of the install. Without a rate it is not known (–); Spend takes rates."
        ]
    }

    /// The apps and the networks that have postbacks in the environment.
    var apps: [String] { choices.apps }
    var networks: [String] { choices.networks }

    /// The same for the only app there is; nil if there are several and none is chosen.
    var ofOneApp: Self? {
        guard app == nil, let first = apps.first else { return self }
        guard apps.count == 1 else { return nil }
        var chosen = self
        chosen.app = first
        return chosen
    }

    /// As many days before these; nil if the calendar has none.
    var daysBefore: ClosedRange<PostgresDate>? {
        let (first, last) = (days.lowerBound.daysSince2000, days.upperBound.daysSince2000)
        let before = PostgresDate(daysSince2000: first - (last - first + 1))
        // The calendar begins with the year 1.
        guard PostgresDate("\(before)") != nil else { return nil }
        return before...PostgresDate(daysSince2000: first - 1)
    }

    /// The parameters with which a report is asked.
    func parameters(_ report: Report) -> [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        if report.column("environment") != nil { parameters.append(("environment", environment)) }
        if report.takesDays {
            parameters += [("from", "\(days.lowerBound)"), ("to", "\(days.upperBound)")]
        }
        if let app { parameters.append(("advertised_app_id", app)) }
        if let network {
            if report.column("ad_network_id") != nil {
                parameters.append(("ad_network_id", network))
            } else if report.column("network_name") != nil {
                parameters.append(("network_name", Self.networkName(network)))
            }
        }
        return parameters + (campaign?.parameters(report) ?? [])
    }

    /// The filters as conditions on a daily table that is joined with `attribution.line`.
    func conditions(_ values: inout StatementValues) -> String {
        let (first, last) = (values.bind(.date(days.lowerBound)), values.bind(.date(days.upperBound)))
        var conditions = [
            "day BETWEEN \(first) AND \(last)", "environment = \(values.bind(.text(environment)))",
            "NOT developer_copy",
        ]
        if let network {
            let id = values.bind(.text(network))
            // The mapping names a network in both protocols.
            conditions.append(
                campaign?.ids == nil
                    ? "ad_network_id = \(id)"
                    : "attribution.network_name(ad_network_id) = attribution.network_name(\(id))")
        }
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
        wrong.insert("campaign")
    }

    /// What `attribution.network_name` makes of an id in lower case.
    static func networkName(_ network: String) -> String {
        for suffix in [".skadnetwork", ".adattributionkit"] where network.hasSuffix(suffix) && network != suffix {
            return String(network.dropLast(suffix.count))
        }
        return network
    }

    /// The id of a network by its name; nil if there is none.
    func network(named name: String) -> String? { choices.networks.first { Self.networkName($0) == name } }

    /// The form that changes the filters.
    ///
    /// - Parameter kept: Parameters that stay as they are.
    func form(_ path: String, kept: [String] = []) -> FilterForm {
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
                    id: "network", label: "Network", options: options(named(choices.networks, network), "All networks"),
                    chosen: network ?? ""),
                SelectField(
                    id: "app", label: "App", options: options(named(choices.apps, app), "All apps"), chosen: app ?? ""),
                SelectField(
                    id: "environment", label: "Environment", options: options(named(environments, environment), nil),
                    chosen: environment),
                SelectField(
                    id: "currency", label: "Currency", options: options(named(choices.currencies, currency), nil),
                    chosen: currency),
            ],
            inputs: [
                input("campaign", "Campaign", isDay: false, shownCampaign ?? campaignText ?? "", campaignNames),
                input("from", "First day (UTC)", isDay: true, given["from"] ?? "\(days.lowerBound)"),
                input("to", "Last day (UTC)", isDay: true, given["to"] ?? "\(days.upperBound)"),
            ],
            hidden: kept.compactMap { name in given[name].map { Fact(name, $0) } }, ranges: ranges(path))
    }

    /// Links to the last days, with the other filters.
    private func ranges(_ path: String) -> [PageLink] {
        guard errors.isEmpty else { return [] }
        return [7, 30, 90].map { (count: Int32) in
            let first = PostgresDate(daysSince2000: today.daysSince2000 - count + 1)
            return PageLink(
                "Last \(count) days", address(path, [("from", "\(first)"), ("to", "\(today)")]),
                isCurrent: days == first...today)
        }
    }

    private func input(
        _ id: String, _ label: String, isDay: Bool, _ content: String, _ suggestions: [String] = []
    ) -> TextField {
        // A field for days would not show what is no day.
        let isWrong = wrong.contains(id)
        return TextField(
            id: id, label: label, isDay: isDay && !isWrong, content: content, isWrong: isWrong,
            suggestions: suggestions)
    }

    /// The address of a path with these filters, as far as they are given, and other parameters.
    ///
    /// - Parameter changes: Parameters that are added or replaced; nil removes one.
    func address(_ path: String, _ changes: [(name: String, value: String?)]) -> String {
        let changed = Set(changes.map(\.name))
        let kept = given.filter { !changed.contains($0.key) }.sorted { $0.key < $1.key }
        return PageRequest.address(path, kept.map { ($0.key, $0.value) } + changes)
    }

    /// What to do if there are no rows.
    var advice: String {
        if choices.networks.isEmpty {
            let others = choices.environments.filter { $0 != environment }
            return others.isEmpty
                ? "No postback was counted yet. Let Apple's devices send them to this server, or run “adsign simulate”."
                : "No postback was counted in \(environment). Choose the environment \(others.joined(separator: " or "))."
        }
        return
            "No rows fit these filters from \(days.lowerBound) to \(days.upperBound). Choose more days, or clear the filters."
    }
}
