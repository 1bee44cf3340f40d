import AdAttribution
import AuditTrail
import CampaignData
import PageFigures
import PageForms
import PageRequests
import PageViews
import PostbackStore
import PostgresClient
import TabularFiles

/// The form of *Mapping* that gives one identifier as received a name.
enum MappingNaming {
    static let path = "/mapping"
    static let formID = "name"
    /// The value of its button.
    static let action = "name"

    /// The fields that an address fills in, and its parameters for them: none is a filter, so that filters stay.
    private static let parameters = [
        (field: "network", name: "name-network"), (field: "app", name: "name-app"),
        (field: "campaign-type", name: "name-type"), (field: "identifier", name: "name-identifier"),
    ]

    /// The address of the form with some fields filled in, and with the filters of a screen.
    static func address(_ filters: PageFilters, filling fields: [String: String]) -> String {
        let ofScreen: [(name: String, value: String?)] = ["by", "sort", "within"].map { (name: $0, value: nil) }
        return filters.address(path, ofScreen + parameters.map { (name: $0.name, value: fields[$0.field]) }) + "#"
            + formID
    }

    /// The form, with what was sent, or else with what the address says.
    ///
    /// - Parameter networks: Those to choose from; any other may be typed.
    static func form(_ request: PageRequest, _ form: OperatorForm, networks: [String]) -> FormView {
        let isSent = form.action == action
        func content(_ name: String) -> String {
            isSent ? form.field(name) : parameters.first { $0.field == name }.flatMap { request[$0.name] } ?? ""
        }
        func field(
            _ name: String, _ label: String, isRequired: Bool = false, isDay: Bool = false, suggestions: [String] = []
        ) -> TextField {
            TextField(
                id: name, label: label, isDay: isDay, content: content(name), isRequired: isRequired,
                suggestions: suggestions)
        }
        let type = content("campaign-type")
        return FormView(
            id: formID, heading: "Give an identifier a name",
            hint:
                "Adds one row. It names postbacks from its first day on, also those that have come. It ends when "
                + "another row with the same network, identifier and app begins. If a stored row would change, end "
                + "earlier or lose postbacks, that is shown first.",
            target: request.address(keeping: path), csrf: request.session.formToken,
            choices: [
                SelectField(
                    id: "campaign-type", label: "Type",
                    options: [("source-identifier", "source identifier"), ("campaign-id", "campaign id")],
                    chosen: type.isEmpty ? CampaignType.sourceIdentifier.rawValue : type)
            ],
            texts: [
                field("network", "Network", isRequired: true, suggestions: networks),
                field("app", "App (empty: all apps)"),
                field("identifier", "Identifier, or its last digits", isRequired: true),
                field("campaign-id", "Campaign id at yours, as in spend", isRequired: true),
                field("campaign-name", "Campaign name"),
                field("first-day", "First day (empty: always)", isDay: true),
            ], buttons: [FormButton("Give the name", action)])
    }

    /// Stores the row of the form, or asks first if it would change one, or take postbacks from another campaign.
    ///
    /// The page that asks carries it as a file.
    ///
    /// - Parameter keyRing: The networks of the key ring, without suffix; others may be misspelled.
    /// - Returns: What was done; nothing if it was refused.
    static func submit(
        _ form: inout OperatorForm, _ store: PostbackStore, keyRing: Set<String>, by actor: TrailActor
    ) async throws -> LoadAnswer {
        let network = form.required("network", AdNetworkID.rule) { AdNetworkID($0) }
        let app = form.optional("app", AppID.rule) { FieldText.integer($0).flatMap(AppID.init) }
        let type = form.required("campaign-type", CampaignType.rule) { CampaignType(rawValue: $0) }
        let campaign = type.flatMap { type in
            form.required("identifier", type.identifierRule) { type.campaign($0) }
        }
        let id = form.required("campaign-id", FieldText.nameRule, FieldText.name)
        let name = form.optional("campaign-name", FieldText.nameRule, FieldText.name)
        let from = form.optional("first-day", PostgresDate.rule) { PostgresDate($0) } ?? CampaignMapping.always
        guard form.errors.isEmpty, let network, let campaign, let id else { return .done([]) }
        let mapping = CampaignMapping(
            conditions: MappingConditions(network: network, campaign: campaign, advertisedAppID: app), validFrom: from,
            names: CampaignNames(campaignID: id, campaignName: name))
        let text = CSVText.row(CampaignMapping.Column.allCases.map(\.name)) + CSVText.row(mapping.fields)
        let file = SentFile(Array(text.utf8))
        let source = LoadSource(
            actor, [LoadedFile(name: "one row on the page", sha256: file.sha256)])
        var question: LoadQuestion?
        let done: [String] = try await form.refusing("identifier") {
            let rows = try CampaignMappingFile([.init(mapping, line: 1)])
            let notices = try await store.networkNotices([network.matchingForm], keyRing: keyRing)
            let trial = try await store.load(rows, from: source, ending: .rollback)
            // A row that is stored already takes nothing.
            let losing = try await trial.changes.isEmpty ? [] : store.losingRows(to: mapping)
            guard !trial.changes.losesRows, losing.isEmpty, let plan = trial.plan else {
                question = LoadQuestion(trial, file, remarks: notices, losing: losing)
                return []
            }
            let which = trial.changes.isEmpty ? "unchanged" : "added"
            if !trial.changes.isEmpty {
                _ = try await store.load(rows, from: source, ending: .commitIf(plan.confirmation))
            }
            let row = "\(name ?? id): the row of \(campaign.type) \(campaign.text) of \(network.text) is \(which)."
            let ofDays = try await days(of: mapping, store)
            return [row + ofDays] + notices
        }
        return question.map(LoadAnswer.asks) ?? .done(done)
    }

    /// On which days a stored row names postbacks, and whether any has come; begins with a blank.
    private static func days(of mapping: CampaignMapping, _ store: PostbackStore) async throws -> String {
        guard let days = try await store.namedDays(of: mapping) else { return "" }
        let effect =
            days.hasPostbacks
            ? "" : " No postback with this identifier was received on these days, so no report changes now."
        return " \(days.text)\(effect)"
    }

    /// The type that an identifier as received can only have; nil if it may have both.
    static func type(of identifier: String) -> String? {
        CampaignType.campaignID.campaign(identifier) == nil ? CampaignType.sourceIdentifier.rawValue : nil
    }
}
