import Access
import EventLog
import Hummingbird
import Logging
import Observability
import PostbackStore
import PostgresClient
import Reports

/// `GET /v1/app-store/events`: every notification of the App Store, by cursor; docs/events.md describes it.
///
/// `GET /v1/events` has none of these. The path is not that at which the public listener takes them.
struct NotificationFeed: Sendable {
    /// Bodies have ids of customers.
    private static let bodyScope = Scope.operate
    private static let bodies = AdminRoute.Parameter(
        name: "bodies", meaning: "true: each event has its body, which takes the scope \(bodyScope.rawValue) too",
        rule: "must be true or false", choices: ["true", "false"])

    let store: PostbackStore
    let logger: Logger
    let failed = RepeatedLine(.error, "notifications not read")

    /// The route.
    var route: AdminRoute {
        AdminRoute(
            method: .get, path: "/v1/app-store/events", summary: "Every notification of the App Store, by cursor",
            needs: .scope(.read),
            query: .parameters([EventFeed.after, EventFeed.limit, EventFeed.format, Self.bodies]),
            contentTypes: EventFeed.formats.map(\.contentType), answer: .storeEvents, problems: [.unavailable],
            handler: respond)
    }

    private func respond(to request: AdminRequest) async throws -> Response {
        let hasBodies = request[Self.bodies.name] == "true"
        if hasBodies, request.caller?.may(Self.bodyScope) != true {
            throw Problem(
                .forbidden, field: Self.bodies.name, rule: "takes the scope \(Self.bodyScope.rawValue) too")
        }
        let limit = try EventFeed.limit(of: request)
        let cursor: LogCursor =
            if let text = request[EventFeed.after.name] {
                try EventFeed.cursor(text, field: EventFeed.after.name)
            } else {
                .start
            }
        do {
            let page = try await store.notificationPage(after: cursor, limit: limit, hasBodies: hasBodies)
            return EventFeed.answer(page, to: request)
        } catch let error as LogError {
            throw Problem(error, field: EventFeed.after.name)
        } catch let error as PostgresError {
            failed.log(to: logger, ["error": "\(error)"])
            throw Problem.unavailable()
        }
    }
}
