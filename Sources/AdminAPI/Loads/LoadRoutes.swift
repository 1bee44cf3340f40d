import Access
import AuditTrail
import CampaignData
import ConversionSchemes
import HTTPTypes
import Hummingbird
import Logging
import Observability
import PostbackIngest
import PostbackStore
import PostgresClient
import StrictJSON
import TabularFiles

/// `POST /v1/schemes`, `mapping`, `app-names`, `spend` and `rates`: files of the operator, which are loaded or shown first.
///
/// A file that would change or remove rows is loaded only with the confirmation of a dry run, as on the page.
struct LoadRoutes: Sendable {
    /// The greatest size of a file, in bytes.
    static let maximumBodySize = SchemeFile.maximumSize

    private static let dryRun = AdminRoute.Parameter(
        name: "dry_run", meaning: "whether nothing is stored, and it is only said what would be; false by default",
        rule: "must be true or false", choices: ["true", "false"])
    private static let replace = AdminRoute.Parameter(
        name: "replace", meaning: "whether stored rows are removed that the file does not have; false by default",
        rule: "must be true or false", choices: ["true", "false"])
    private static let confirmation = AdminRoute.Parameter(
        name: "confirmation", meaning: "that of a dry run; needed if rows would be changed or removed",
        rule: "must be the confirmation of a dry run of this file")
    private static let fileName = AdminRoute.Parameter(
        name: "name", meaning: "the name of the file, for the list of loads; sent by HTTP by default",
        rule: "must be \(FieldText.nameRule)", example: "spend-2026-11-25.csv")

    let store: PostbackStore
    let keyRing: KeyRingInForce
    let logger: Logger
    let failed = RepeatedLine(.error, "file not loaded")

    /// The routes.
    var routes: [AdminRoute] {
        [
            route(.scheme, "/v1/schemes", "Loads a conversion-value scheme"),
            route(.mapping, "/v1/mapping", "Loads names of campaigns, CSV or NDJSON", canReplace: true),
            route(.appNames, "/v1/app-names", "Loads names of apps, CSV or NDJSON", canReplace: true),
            route(.spend, "/v1/spend", "Loads cost, CSV or NDJSON, in place of that of its days, networks and apps"),
            route(.rates, "/v1/rates", "Loads currency rates, CSV or NDJSON"),
        ]
    }

    private func route(
        _ kind: LoadKind, _ path: String, _ summary: String, canReplace: Bool = false
    ) -> AdminRoute {
        AdminRoute(
            method: .post, path: path, summary: summary, needs: .scope(.load),
            query: .parameters([Self.dryRun, Self.confirmation, Self.fileName] + (canReplace ? [Self.replace] : [])),
            body: kind == .scheme ? .scheme : .table, contentTypes: ["application/json"], answer: .load,
            problems: [.invalidBody, .conflict, .unavailable]
        ) { try await load(kind, $0) }
    }

    private func load(_ kind: LoadKind, _ request: AdminRequest) async throws -> Response {
        let isDryRun = request["dry_run"] == "true"
        let shown = try Self.shown(request, isDryRun: isDryRun)
        let name = try Self.name(of: request)
        let bytes = try await request.body(upTo: Self.maximumBodySize)
        guard !bytes.isEmpty else {
            throw Problem(.invalidBody, field: "body", rule: "must be a file that is not empty")
        }
        let source = LoadSource(request.actor, [LoadedFile(name: name, bytes)])
        do {
            let networks = keyRing.current.networkNames
            let file = try OperatorFile(kind, bytes, replacing: request["replace"] == "true")
            guard !isDryRun else {
                let load = try await store.load(file, from: source, ending: .rollback, keyRing: networks)
                return .json(.ok, load.json("dry_run"))
            }
            switch try await store.loadOrAsk(file, from: source, shown: shown, keyRing: networks) {
            case .unchanged(let load): return .json(.ok, load.json("unchanged"))
            case .stored(let load): return .json(.ok, load.json("stored"))
            case .asks(let load):
                let changes = load.outcome.changes
                throw Problem(
                    .conflict, field: "confirmation",
                    rule: "must be there, since \(changes.changed) stored rows would be changed and \(changes.removed) "
                        + "removed; a request with dry_run=true lists them, and its answer has the confirmation")
            }
        } catch let error as PostgresError {
            failed.log(to: logger, ["error": "\(error)"])
            throw Problem.unavailable()
        } catch {
            throw Problem.refusal(error)
        }
    }

    /// What was shown before; nil if nothing was.
    private static func shown(_ request: AdminRequest, isDryRun: Bool) throws(Problem) -> LoadConfirmation? {
        guard let text = request[confirmation.name] else { return nil }
        guard !isDryRun else {
            throw Problem(.invalidParameter, field: confirmation.name, rule: "must not be there with dry_run=true")
        }
        guard let shown = LoadConfirmation(text) else {
            throw Problem(.invalidParameter, field: confirmation.name, rule: confirmation.rule)
        }
        return shown
    }

    private static func name(of request: AdminRequest) throws(Problem) -> String {
        guard let text = request[fileName.name] else { return "sent by HTTP" }
        guard let name = FieldText.name(text) else {
            throw Problem(.invalidParameter, field: fileName.name, rule: fileName.rule)
        }
        return name
    }
}

extension FileLoad {
    /// The answer of a route.
    fileprivate func json(_ result: String) -> [UInt8] {
        let isStored = result == "stored"
        var object = JSONObjectText()
        object.append("result", result)
        object.append("load", orNull: isStored ? outcome.load : nil)
        object.append(outcome.changes)
        object.append("remarks", list: remarks.map { Array(JSONText.quoted($0).utf8) })
        object.append("confirmation", orNull: isStored ? nil : outcome.plan?.confirmation.text)
        object.append("rows", list: outcome.plan?.rows.map(\.json) ?? [])
        object.append("lost_cost_count", outcome.plan?.lostCostCount ?? 0)
        object.append("lost_costs", list: outcome.plan?.lostCosts.map(\.json) ?? [])
        return object.finished()
    }
}

extension PlannedRow {
    fileprivate var json: [UInt8] {
        let (name, before, after): (String, String?, String?) =
            switch change {
            case .added(let values): ("added", nil, values)
            case .changed(let old, let new): ("changed", old, new)
            case .removed(let values): ("removed", values, nil)
            }
        var object = JSONObjectText()
        object.append("row", title)
        object.append("change", name)
        object.append("before", orNull: before)
        object.append("after", orNull: after)
        return object.finished()
    }
}

extension LostCost {
    fileprivate var json: [UInt8] {
        var object = JSONObjectText()
        object.append("day", day.description)
        object.append("ad_network_id", network)
        object.append("advertised_app_id", advertisedAppID)
        object.append("campaign_id", campaignID)
        object.append("currency", currency)
        object.append("spend", spend)
        return object.finished()
    }
}

extension JSONObjectText {
    /// Adds the numbers of rows.
    mutating func append(_ changes: RowChanges) {
        append("added", changes.added)
        append("changed", changes.changed)
        append("unchanged", changes.unchanged)
        append("removed", changes.removed)
    }
}
