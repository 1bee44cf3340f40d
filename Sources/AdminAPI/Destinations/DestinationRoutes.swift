import Access
import AuditTrail
import Destinations
import Forwarding
import HTTPTypes
import Hummingbird
import Logging
import Observability
import PostbackStore
import PostgresClient
import StrictJSON

/// `/v1/destinations`: to whom postbacks are forwarded, how that goes, and pausing, resuming and retrying.
///
/// Destinations are loaded and removed by commands and on the page only.
struct DestinationRoutes: Sendable {
    private static let path = "/v1/destinations"
    private static let longestReason = 200
    private static let name = AdminRoute.Parameter(
        name: "name", meaning: "a destination", rule: "must be \(DestinationName.rule)", example: "branch")
    private static let reason = AdminRoute.Parameter(
        name: "reason", meaning: "why, for whoever looks; by whom by default",
        rule: "must be 1 to \(longestReason) characters without control characters")
    private static let event = AdminRoute.Parameter(
        name: "event", meaning: "only the delivery of this event; all dead letters by default",
        rule: "must be an event as a dead letter has it", example: "0-42185168781313-2")

    let store: PostbackStore
    let trail: Trail
    let logger: Logger
    let failed = RepeatedLine(.error, "destinations not read or changed")

    /// The routes.
    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: Self.path, summary: "The destinations of postbacks, and how each is doing",
                needs: .scope(.read), contentTypes: ["application/json"], answer: .destinations,
                problems: [.unavailable], handler: list),
            AdminRoute(
                method: .get, path: Self.path + "/{name}", summary: "A destination: how it is doing, and its file",
                segments: [Self.name], needs: .scope(.read), contentTypes: ["application/json"], answer: .destination,
                problems: [.notFound, .unavailable], handler: show),
            DeadLetterList(store: store).route(
                Self.path + "/{name}/dead-letters", Self.name
            ) { request, answer in
                try await answering(request) { name in
                    _ = try await status(of: name)
                    return try await answer(name)
                }
            },
            change(
                "pause", "Stops sending to a destination; events wait in the log", [Self.reason]
            ) { request, name in
                let reason = try Self.reason(of: request)
                guard try await store.pauseDestination(name, reason: reason) else { return }
                await trail.note(.destinationPause, of: "\(name)", by: request.actor)
            },
            change("resume", "Goes on with a destination that is paused or off, where it stopped") { request, name in
                try await store.resumeDestination(name)
                await trail.note(.destinationResumption, of: "\(name)", by: request.actor)
            },
            change(
                "retry", "Tries dead letters of a destination again", [Self.event]
            ) { request, name in
                let count: Int
                if let event = try request.delivery(Self.event) {
                    count = try await store.retryDead(name, .keys([event]))
                } else {
                    count = try await store.retryDead(name, .all)
                }
                await trail.note(.deliveryRetry, of: "\(name)", by: request.actor, [("deliveries", Int64(count))])
            },
        ]
    }

    /// A route that changes something, and answers how the destination is doing then.
    private func change(
        _ verb: String, _ summary: String, _ query: [AdminRoute.Parameter] = [],
        _ body: @escaping @Sendable (AdminRequest, DestinationName) async throws -> Void
    ) -> AdminRoute {
        AdminRoute(
            method: .post, path: "\(Self.path)/{name}/\(verb)", summary: summary, segments: [Self.name],
            needs: .scope(.operate), query: .parameters(query), contentTypes: ["application/json"],
            answer: .destinationStatus, problems: [.notFound, .unavailable]
        ) { request in
            try await answering(request) { name in
                _ = try await status(of: name)
                try await body(request, name)
                return try await status(of: name).object.finished()
            }
        }
    }

    private func list(_ request: AdminRequest) async throws -> Response {
        do {
            var answer = JSONObjectText()
            answer.append("destinations", list: try await store.destinationStatuses().map { $0.object.finished() })
            return .json(.ok, answer.finished())
        } catch let error as PostgresError {
            throw unavailable(error)
        }
    }

    private func show(_ request: AdminRequest) async throws -> Response {
        try await answering(request) { name in
            let status = try await status(of: name)
            guard let stored = try await store.destinations().first(where: { $0.destination.name == name }) else {
                throw Self.unknown
            }
            var object = status.object
            object.append("loaded_at", stored.loadedAt.rfc3339)
            object.append("loaded_by", stored.loadedBy)
            object.append("failing_since", orNull: stored.failingSince?.rfc3339)
            object.append("file", json: Array(stored.document.utf8))
            return object.finished()
        }
    }

    /// Answers about the destination that the path names.
    private func answering(
        _ request: AdminRequest, _ body: (DestinationName) async throws -> [UInt8]
    ) async throws -> Response {
        guard let name = request.path["name"].flatMap(DestinationName.init) else { throw Self.unknown }
        do {
            return .json(.ok, try await body(name))
        } catch let error as PostgresError {
            throw unavailable(error)
        }
    }

    private func status(of name: DestinationName) async throws -> DestinationStatus {
        guard let status = try await store.destinationStatuses().first(where: { $0.name == name }) else {
            throw Self.unknown
        }
        return status
    }

    private func unavailable(_ error: PostgresError) -> Problem {
        failed.log(to: logger, ["error": "\(error)"])
        return .unavailable()
    }

    private static let unknown = Problem(.notFound, field: "name", rule: "must be the name of a destination")

    private static func reason(of request: AdminRequest) throws(Problem) -> String {
        guard let text = request[reason.name] else { return "paused by \(request.actor.description)" }
        guard (1...longestReason).contains(text.unicodeScalars.count),
            text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw Problem(.invalidParameter, field: reason.name, rule: reason.rule) }
        return text
    }
}

extension DestinationStatus {
    /// How it is doing, for an answer, open for more members.
    var object: JSONObjectText {
        var object = JSONObjectText()
        object.append("name", "\(name)")
        object.append("state", state.rawValue)
        object.append("state_reason", orNull: stateReason)
        object.append("breaker_open", isBreakerOpen)
        object.append("problem", orNull: problem)
        object.append("lag_seconds", Int64(lagSeconds))
        object.append("waiting", waiting)
        object.append("dead", dead)
        object.append("sent_24h", sentDay)
        object.append("failed_24h", failedDay)
        object.append("dead_24h", deadDay)
        object.append("replay", orNull: replay?.text)
        return object
    }
}
