import Access
import AdAttribution
import AuditTrail
import EventLog
import Hummingbird
import Logging
import Observability
import PostbackStore
import PostgresClient
import StrictJSON

/// `/v1/readers/{name}`: named readers, which keep the days of the log that they have not read.
struct EventReaders: Sendable {
    private static let path = "/v1/readers/{name}"
    private static let name = AdminRoute.Parameter(
        name: "name", meaning: "a reader", rule: "must be \(LogReaderName.rule)", example: "warehouse")

    let store: PostbackStore
    let trail: Trail
    let logger: Logger
    let failed = RepeatedLine(.error, "reader not changed")

    /// The routes.
    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: Self.path, summary: "How far a named reader of the log is", segments: [Self.name],
                needs: .scope(.read), contentTypes: ["application/json"], answer: .reader,
                problems: [.notFound, .unavailable]
            ) { try await respond(to: $0) { reader, _ in try await reader.cursor() } },
            AdminRoute(
                method: .put, path: Self.path, summary: "Moves a named reader of the log forward, or makes it",
                segments: [Self.name], needs: .scope(.operate),
                query: .parameters([
                    .init(
                        name: "cursor", meaning: "everything before it was read and stored", rule: EventFeed.cursorRule)
                ]), contentTypes: ["application/json"], answer: .reader,
                problems: [.notFound, .conflict, .cursorExpired, .unavailable]
            ) { request in
                guard let text = request["cursor"] else {
                    throw Problem(.invalidParameter, field: "cursor", rule: EventFeed.cursorRule)
                }
                try Self.refuseDestinations(request)
                let cursor = try EventFeed.cursor(text, field: "cursor")
                return try await respond(to: request) { reader, store in
                    // A reader before a day that was dropped would keep nothing.
                    _ = try await store.events(after: cursor, limit: 1)
                    try await reader.move(to: cursor)
                    await trail.note(.readerMove, of: "reader \(reader.name)", by: request.actor)
                    return cursor
                }
            },
            AdminRoute(
                method: .delete, path: Self.path, summary: "Removes a named reader of the log", segments: [Self.name],
                needs: .scope(.operate), contentTypes: ["application/json"], answer: .reader,
                problems: [.notFound, .unavailable]
            ) { request in
                try Self.refuseDestinations(request)
                return try await respond(to: request) { reader, _ in
                    let last = try await reader.cursor()
                    try await reader.remove()
                    await trail.note(.readerRemoval, of: "reader \(reader.name)", by: request.actor)
                    return last
                }
            },
        ]
    }

    /// Refuses to move or to remove a reader of a destination: it would miss events, or get them twice.
    private static func refuseDestinations(_ request: AdminRequest) throws(Problem) {
        guard let reader = request.path[name.name].flatMap(LogReaderName.init), reader.isOfDestination else { return }
        throw Problem(
            .invalidParameter, field: name.name,
            rule: "must not be a reader of a destination; \(LogReaderName.destinationRule)")
    }

    /// Answers with the name and the cursor of a reader.
    private func respond(
        to request: AdminRequest, _ body: (LogReader, PostbackStore) async throws -> LogCursor
    ) async throws -> Response {
        guard let name = request.path["name"].flatMap(LogReaderName.init) else { throw Problem.notFound }
        do {
            let cursor = try await body(store.logReader(named: name), store)
            var answer = JSONObjectText()
            answer.append("name", name.description)
            answer.append("cursor", cursor.description)
            return .json(.ok, answer.finished())
        } catch LogReaderError.unknown {
            throw Problem(.notFound, field: "name", rule: "must be the name of a reader")
        } catch let error as LogReaderError {
            throw Problem(.conflict, field: "cursor", rule: "\(error)")
        } catch let error as LogError {
            throw Problem(error, field: "cursor")
        } catch let error as PostgresError {
            failed.log(to: logger, ["error": "\(error)"])
            throw Problem.unavailable()
        }
    }
}
