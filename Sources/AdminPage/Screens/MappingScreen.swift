import Access
import AdAttribution
import AdminAPI
import AuditTrail
import CampaignData
import Hummingbird
import Observability
import PageForms
import PageRequests
import PageViews
import PostbackIngest
import PostbackStore
import PostgresClient
import TabularFiles

/// *Mapping*: what campaigns are called; load a file, give an identifier out, retire one.
struct MappingScreen: PageScreen {
    let place = ScreenPlace(path: MappingNaming.path, name: "Mapping", hasForms: true, changing: .load)
    let store: PostbackStore
    let keyRing: KeyRingInForce
    let clock: ReportClock
    let responses: PageResponses

    private var today: PostgresDate { clock.today }

    func show(_ request: PageRequest) async throws -> Response {
        return try await page(request, OperatorForm(request.draft), done: [])
    }

    func submit(_ request: PageRequest, _ form: PageForm) async throws -> Response {
        var form = OperatorForm(form)
        form.labels = MappingTables.labels
        let networks = keyRing.current.networkNames
        let done: [String]
        switch form.action {
        case "check":
            done = try await form.reading("mapping") { file in
                try await check(try CampaignMappingFile(reading: file), .checked(by: request.actor), keyRing: networks)
            }
        case "load", "replace":
            let isReplacing = form.action == "replace"
            let answer = try await form.loading(
                "mapping", .mapping, replacing: isReplacing, into: store, keyRing: networks, by: request.actor)
            switch answer {
            case .done(let said): done = said
            case .asks(let question):
                return responses.html(
                    question.view(
                        request, place, "Load the mapping?", field: "mapping", action: form.action,
                        errors: form.errors,
                        form: MappingTables.loadForm(
                            request.address(keeping: place.path), request.session.formToken,
                            text: form.text("mapping"))))
            }
        case MappingNaming.action:
            switch try await MappingNaming.submit(&form, store, keyRing: networks, by: request.actor) {
            case .done(let said): done = said
            case .asks(let question):
                return responses.html(
                    question.view(
                        request, place, "Load the mapping?", field: "mapping", action: "load", errors: form.errors,
                        form: MappingNaming.form(request, form, networks: try await knownNetworks())))
            }
        case "take-back":
            done = try await form.takingBack([.mapping, .appNames], of: store, by: request.actor)
        case "check-names":
            done = try await form.reading("app-names") { file in
                let load = try await store.load(
                    try AppNameFile(reading: file), from: .checked(by: request.actor), ending: .rollback
                ).changes
                return [
                    "Nothing is wrong. “Load names” would add \(load.added), change \(load.changed) and leave "
                        + "\(load.unchanged) as they are."
                ]
            }
        case "load-names":
            switch try await form.loading("app-names", .appNames, into: store, by: request.actor) {
            case .done(let said): done = said
            case .asks(let question):
                return responses.html(
                    question.view(
                        request, place, "Load the names?", field: "app-names", action: form.action,
                        errors: form.errors,
                        form: AppNameTables.form(
                            request.address(keeping: place.path), request.session.formToken,
                            text: form.text("app-names"))))
            }
        case "allocate": done = try await allocate(&form, by: request.actor)
        case "retire": done = try await retire(&form, by: request.actor)
        default:
            throw Problem(
                .invalidBody, field: "do",
                rule: "must be one of check, load, replace, take-back, check-names, load-names, allocate, retire, name")
        }
        return try await page(request, form, done: done)
    }

    /// The most networks that the forms offer.
    private static let offeredNetworks: Int32 = 300
    /// The most rows that a check lists.
    private static let listedRows = 20

    /// The networks that the forms offer: those of the key ring, of postbacks and of the mapping.
    private func knownNetworks() async throws -> [String] {
        let ofKeyRing = keyRing.current.keyRing.networks.map(\.adNetworkID.lowercased)
        return Set(try await store.networkNames(limit: Self.offeredNetworks) + ofKeyRing).sorted()
    }

    /// Does what the two buttons that load would do, and rolls it back.
    private func check(
        _ file: CampaignMappingFile, _ source: LoadSource, keyRing: Set<String>
    ) async throws -> [String] {
        let outcome = try await store.load(file, from: source, ending: .rollback)
        let load = outcome.changes
        let replacement = try await store.load(file, from: source, replacing: true, ending: .rollback).changes
        let notices = try await store.networkNotices(file.networks, keyRing: keyRing)
        let lost = (outcome.plan?.rows ?? []).filter(\.isLost).prefix(Self.listedRows).map(\.text)
        let hidden = load.changed + load.removed - Int64(lost.count)
        let count = file.entries.count
        var said = [
            "\(count) \(count == 1 ? "row" : "rows"), nothing is wrong. “Load” would add \(load.added), change "
                + "\(load.changed) and leave \(load.unchanged) as they are. The other button would also remove "
                + "\(replacement.removed)."
        ]
        said += lost
        if hidden > 0 { said.append("\(hidden) more rows would be changed. “Load” lists them before it does so.") }
        return said + notices
    }

    private func allocate(_ form: inout OperatorForm, by actor: TrailActor) async throws -> [String] {
        let network = form.required("network", AdNetworkID.rule) { AdNetworkID($0) }
        let app = form.optional("app", AppID.rule) { FieldText.integer($0).flatMap(AppID.init) }
        let digits = form.optional("digits", "0, 2, 3 or 4") {
            Int($0).flatMap { [0, 2, 3, 4].contains($0) ? $0 : nil }
        }
        let within = form.optional("within", "the last digits of source identifiers, such as 39") {
            SourceIdentifier($0)
        }
        let campaign = form.optional("campaign-id", FieldText.nameRule, FieldText.name)
        let name = form.optional("campaign-name", FieldText.nameRule, FieldText.name)
        let space: IdentifierSpace? =
            (digits ?? 0) == 0 ? (within == nil ? .campaignIDs : nil) : .groups(digits: digits ?? 0, within: within)
        if space == nil, form.isGood("digits"), form.isGood("within") {
            form.refuse(
                "“\(form.label("within"))” must have fewer digits than “\(form.label("digits"))”, at least 2.",
                field: "within")
        }
        if campaign == nil, within == nil, form.isGood("campaign-id"), form.isGood("within") {
            form.refuse(
                "“\(form.label("campaign-id"))” is missing; it is what you call the campaign.", field: "campaign-id")
        }
        guard form.errors.isEmpty, let network, let space else { return [] }
        let wish = IdentifierAllocation(
            network: network, advertisedAppID: app, space: space,
            names: campaign.map { CampaignNames(campaignID: $0, campaignName: name) })
        return try await form.refusing("digits") {
            let mapping = try await store.allocate(wish, on: today, by: actor)
            return ["Given out: \(mapping.conditions.campaign.type) \(mapping.conditions.campaign.text)."]
        }
    }

    private func retire(_ form: inout OperatorForm, by actor: TrailActor) async throws -> [String] {
        let network = form.required("network", AdNetworkID.rule) { AdNetworkID($0) }
        let app = form.optional("app", AppID.rule) { FieldText.integer($0).flatMap(AppID.init) }
        let type = form.required("campaign-type", CampaignType.rule) { CampaignType(rawValue: $0) }
        let campaign = type.flatMap { type in
            form.required("identifier", type.identifierRule) { type.campaign($0) }
        }
        let lastDay = form.optional("last-day", PostgresDate.rule) { PostgresDate($0) } ?? today
        guard form.errors.isEmpty, let network, let campaign else { return [] }
        return try await form.refusing("identifier") {
            let rows = try await store.retire(campaign, of: network, app: app, lastDay: lastDay, by: actor)
            return rows.map { "\($0.campaign): last day \(lastDay), cools down until \($0.lastNamedDay)." }
        }
    }

    private func page(_ request: PageRequest, _ form: OperatorForm, done: [String]) async throws -> Response {
        let rows = try await store.mappings(on: today)
        let history = try await LoadHistory([.mapping, .appNames], of: store)
        let (target, csrf) = (request.address(keeping: place.path), request.session.formToken)
        let networks = try await knownNetworks()
        let forms =
            [MappingNaming.form(request, form, networks: networks)] + history.forms(target, csrf)
            + MappingTables.forms(target, csrf, text: form.text("mapping"), networks: networks)
            + [AppNameTables.form(target, csrf, text: form.text("app-names"))]
        let view = ReportView(
            request.frame(place.name, errors: form.errors),
            introduction:
                "What you call the campaigns behind campaign ids and source identifiers. The most specific row "
                + "names a postback.",
            tabs: request.may(.load) ? forms.compactMap(\.link) : [], notices: done,
            figures: [
                MappingTables.rows(rows, request),
                // One more, to see whether there are more.
                MappingTables.free(
                    try await store.freeIdentifiers(on: today, limit: Int32(MappingTables.shownFree) + 1)),
                AppNameTables.rows(try await store.appNames(limit: AppNameTables.shown + 1)),
                history.figure,
            ],
            forms: forms, sent: form.sent)
        return responses.html(view)
    }
}
