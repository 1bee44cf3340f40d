import Access
import Destinations
import Encodings
import Forwarding
import Hummingbird
import PostbackStore
import StrictJSON

/// `GET /v1/destinations/{name}/dead-letters`: deliveries that are not tried again, each with its request and the answer.
struct DeadLetterList: Sendable {
    private static let limits = 1...1_000
    private static let usualLimit = 100
    private static let limit = AdminRoute.Parameter(
        name: "limit", meaning: "the most dead letters; \(usualLimit) by default",
        rule: "must be an integer from \(limits.lowerBound) to \(limits.upperBound)")
    private static let before = AdminRoute.Parameter(
        name: "before", meaning: "only those before this event: next of an answer",
        rule: "must be an event as a dead letter has it")

    let store: PostbackStore

    /// The route.
    ///
    /// - Parameter answering: Answers about the destination that the path names.
    func route(
        _ path: String, _ name: AdminRoute.Parameter,
        _ answering:
            @escaping @Sendable (AdminRequest, (DestinationName) async throws -> [UInt8]) async throws -> Response
    ) -> AdminRoute {
        AdminRoute(
            method: .get, path: path, summary: "Deliveries to a destination that are not tried again, the newest first",
            segments: [name], needs: .scope(.read), query: .parameters([Self.before, Self.limit]),
            contentTypes: ["application/json"], answer: .deadLetters, problems: [.notFound, .unavailable]
        ) { request in
            let limit = try Self.limit(of: request)
            let before = try request.delivery(Self.before)
            return try await answering(request) { name in
                // One more, to see whether there are more.
                let rows = try await store.deliveries(of: name, state: .dead, limit: limit + 1, before: before)
                let shown = rows.prefix(limit)
                var answer = JSONObjectText()
                answer.append("next", orNull: rows.count > limit ? shown.last?.eventID : nil)
                answer.append("dead_letters", list: shown.map(\.json))
                return answer.finished()
            }
        }
    }

    private static func limit(of request: AdminRequest) throws(Problem) -> Int {
        guard let text = request[limit.name] else { return usualLimit }
        guard let number = Int(text), limits.contains(number) else {
            throw Problem(.invalidParameter, field: limit.name, rule: limit.rule)
        }
        return number
    }
}

extension AdminRequest {
    /// The event whose delivery a parameter names; nil without the parameter.
    func delivery(_ parameter: AdminRoute.Parameter) throws(Problem) -> DeliveryKey? {
        guard let text = self[parameter.name] else { return nil }
        guard let key = DeliveryKey(text) else {
            throw Problem(.invalidParameter, field: parameter.name, rule: parameter.rule)
        }
        return key
    }
}

extension DeliveryRow {
    fileprivate var json: [UInt8] {
        var object = JSONObjectText()
        object.append("event", eventID)
        object.append("transaction_id", "\(transactionID)".lowercased())
        object.append("kind", kind)
        object.append("attempts", Int64(attempt))
        object.append("first_failed_at", firstFailedAt.rfc3339)
        object.append("status", orNull: lastStatus.map { Int64($0) })
        object.append("error", orNull: lastError)
        object.append("answer", orNull: answer.map { String(decoding: $0, as: UTF8.self) })
        object.append("can_be_tried_again", isSendable)
        object.append("request", json: request.json)
        return object.finished()
    }
}

extension PreparedRequest {
    /// The request as it was made, with the names of secrets in their places.
    fileprivate var json: [UInt8] {
        var object = JSONObjectText()
        object.append("method", method.rawValue)
        object.append("url", url)
        object.append(
            "headers",
            list: headers.map { header in
                var object = JSONObjectText()
                object.append("name", header.name)
                object.append("value", header.value)
                return object.finished()
            })
        object.append("body_base64", orNull: body.map { Base64.encode($0) })
        return object.finished()
    }
}
