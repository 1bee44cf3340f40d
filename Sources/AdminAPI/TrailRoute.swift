import Access
import AuditTrail
import Encodings
import Hummingbird
import Logging
import Observability
import PostbackStore
import PostgresClient
import StrictJSON

/// `GET /v1/trail`: who did what with the service, the newest first; docs/access.md describes it.
struct TrailRoute: Sendable {
    private static let limits: ClosedRange<Int32> = 1...1_000
    private static let usualLimit: Int32 = 100
    private static let limitRule = "must be an integer from \(limits.lowerBound) to \(limits.upperBound)"
    private static let beforeRule = "must be the number of an entry"

    let store: PostbackStore
    let logger: Logger
    let failed = RepeatedLine(.error, "trail not read")

    /// The route.
    var route: AdminRoute {
        let actions = TrailAction.allCases.map(\.rawValue)
        return AdminRoute(
            method: .get, path: "/v1/trail", summary: "Who did what with the service, the newest first",
            needs: .scope(.operate),
            query: .parameters([
                .init(
                    name: "before", meaning: "only entries before the one with this number: next of an answer",
                    rule: Self.beforeRule),
                .init(
                    name: "action", meaning: "only entries of this action",
                    rule: "must be one of \(actions.joined(separator: ", "))", choices: actions),
                .init(
                    name: "person", meaning: "only entries of this person",
                    rule: "must be a person as the trail has it, such as token ann"),
                .init(
                    name: "limit", meaning: "the most entries; \(Self.usualLimit) by default", rule: Self.limitRule),
            ]), contentTypes: ["application/json"], answer: .trail, problems: [.unavailable], handler: respond)
    }

    private func respond(to request: AdminRequest) async throws -> Response {
        var question = TrailQuestion()
        question.before = try Self.number(request, "before", Self.beforeRule) { Int64($0) }
        question.action = request["action"]
        question.person = request["person"]
        let limit =
            try Self.number(request, "limit", Self.limitRule) { text in
                Int32(text).flatMap { Self.limits.contains($0) ? $0 : nil }
            } ?? Self.usualLimit
        do {
            // One more, to see whether there are more.
            let entries = try await store.trail(question, limit: limit + 1)
            return .json(.ok, Self.json(entries, limit: Int(limit)))
        } catch let error as PostgresError {
            failed.log(to: logger, ["error": "\(error)"])
            throw Problem.unavailable()
        }
    }

    /// A parameter that is a number; nil if it is not there.
    private static func number<Number>(
        _ request: AdminRequest, _ name: String, _ rule: String, _ read: (String) -> Number?
    ) throws(Problem) -> Number? {
        guard let text = request[name] else { return nil }
        guard let number = read(text) else { throw Problem(.invalidParameter, field: name, rule: rule) }
        return number
    }

    private static func json(_ entries: [StoredTrailEntry], limit: Int) -> [UInt8] {
        let shown = entries.prefix(limit)
        var answer = JSONObjectText()
        answer.append("next", orNull: entries.count > limit ? shown.last?.number : nil)
        answer.append("entries", list: shown.map(json))
        return answer.finished()
    }

    private static func json(_ entry: StoredTrailEntry) -> [UInt8] {
        var object = JSONObjectText()
        object.append("entry", entry.number)
        object.append("happened_at", entry.happenedAt.rfc3339)
        object.append("since", orNull: entry.since?.rfc3339)
        object.append("action", entry.action)
        object.append("person", orNull: entry.person)
        object.append("session", orNull: entry.session)
        object.append("from", entry.origin)
        object.append("subject", orNull: entry.subject)
        object.append("counts", json: Array(entry.counts.utf8))
        return object.finished()
    }
}
