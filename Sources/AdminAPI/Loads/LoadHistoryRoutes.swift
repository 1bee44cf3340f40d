import Access
import AuditTrail
import CampaignData
import Hummingbird
import Logging
import Observability
import PostbackStore
import PostgresClient
import StrictJSON

/// `GET /v1/loads` and `DELETE /v1/loads/{kind}/{load}`: what was loaded, and the last load of a kind taken back.
struct LoadHistoryRoutes: Sendable {
    private static let limits: ClosedRange<Int32> = 1...1_000
    private static let usualLimit: Int32 = 50
    private static let limitRule = "must be an integer from \(limits.lowerBound) to \(limits.upperBound)"
    /// The kinds as they may be written; files of schemes are sent to `/v1/schemes`.
    private static let kinds = LoadKind.allCases.flatMap { $0 == .scheme ? [$0.rawValue, "schemes"] : [$0.rawValue] }
    private static let kindRule = "must be one of \(kinds.joined(separator: ", "))"
    private static let numberRule = "must be the number of a load"

    let store: PostbackStore
    let logger: Logger
    let failed = RepeatedLine(.error, "loads not read or taken back")

    /// The routes.
    var routes: [AdminRoute] {
        let kind = AdminRoute.Parameter(
            name: "kind", meaning: "what the load is of", rule: Self.kindRule, choices: Self.kinds)
        return [
            AdminRoute(
                method: .get, path: "/v1/loads",
                summary: "Loads of schemes, names, cost and rates, the newest first", needs: .scope(.read),
                query: .parameters([
                    .init(
                        name: "kind", meaning: "only loads of this kind; all by default", rule: Self.kindRule,
                        choices: Self.kinds),
                    .init(
                        name: "limit", meaning: "the most loads; \(Self.usualLimit) by default", rule: Self.limitRule),
                ]), contentTypes: ["application/json"], answer: .loads, problems: [.unavailable], handler: list),
            AdminRoute(
                method: .delete, path: "/v1/loads/{kind}/{load}",
                summary: "Takes the last load of a kind back: its rows become as they were before",
                segments: [
                    kind, .init(name: "load", meaning: "the number of the load", rule: Self.numberRule, example: "12"),
                ], needs: .scope(.load), contentTypes: ["application/json"], answer: .takenBack,
                problems: [.notFound, .conflict, .unavailable], handler: takeBack),
        ]
    }

    private static func kind(_ text: String) -> LoadKind? { LoadKind(rawValue: text == "schemes" ? "scheme" : text) }

    private func list(_ request: AdminRequest) async throws -> Response {
        let kinds = request["kind"].flatMap(Self.kind).map { [$0] } ?? LoadKind.allCases
        var limit = Self.usualLimit
        if let text = request["limit"] {
            guard let number = Int32(text), Self.limits.contains(number) else {
                throw Problem(.invalidParameter, field: "limit", rule: Self.limitRule)
            }
            limit = number
        }
        do {
            var answer = JSONObjectText()
            answer.append("loads", list: try await store.loads(of: kinds, limit: limit).map(\.json))
            return .json(.ok, answer.finished())
        } catch let error as PostgresError {
            failed.log(to: logger, ["error": "\(error)"])
            throw Problem.unavailable()
        }
    }

    private func takeBack(_ request: AdminRequest) async throws -> Response {
        guard let kind = request.path["kind"].flatMap(Self.kind) else {
            throw Problem(.invalidParameter, field: "kind", rule: Self.kindRule)
        }
        guard let number = request.path["load"].flatMap({ Int64($0) }), number > 0 else {
            throw Problem(.invalidParameter, field: "load", rule: Self.numberRule)
        }
        do {
            let load = try await store.takeBack(kind, number, by: request.actor)
            var answer = JSONObjectText()
            answer.append("load", load.load)
            answer.append("kind", load.kind.rawValue)
            answer.append(load.changes)
            return .json(.ok, answer.finished())
        } catch let error as PostgresError {
            failed.log(to: logger, ["error": "\(error)"])
            throw Problem.unavailable()
        } catch {
            throw Problem.refusal(error)
        }
    }
}

extension StoredLoad {
    fileprivate var json: [UInt8] {
        var object = JSONObjectText()
        object.append("load", load)
        object.append("kind", kind.rawValue)
        object.append("loaded_at", loadedAt.rfc3339)
        object.append("loaded_by", author)
        object.append("files", files)
        object.append("sha256", digests)
        object.append(changes)
        object.append("can_be_taken_back", canBeTakenBack)
        object.append("taken_back_at", orNull: takenBack?.time.rfc3339)
        object.append("taken_back_by", orNull: takenBack?.author)
        return object.finished()
    }
}
