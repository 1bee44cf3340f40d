import Access
import AdAttribution
import EventLog
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Observability
import PostbackStore
import PostgresClient
import Reports

/// `GET /v1/events`: every event of the log, by cursor; docs/events.md describes it.
struct EventFeed: Sendable {
    static let formats = [ReportFormat.json, .ndjson]
    private static let limits = 1...10_000
    private static let usualLimit = 1_000
    private static let nextHeader = "Events-Next"
    private static let moreHeader = "Events-More"

    let store: PostbackStore
    let logger: Logger
    let failed = RepeatedLine(.error, "events not read")

    /// The route.
    var route: AdminRoute {
        AdminRoute(
            method: .get, path: "/v1/events", summary: "Every event of the log, by cursor",
            needs: .scope(.read),
            query: .parameters([
                Self.after,
                .init(
                    name: "from", meaning: "instead of after: events written on this UTC day or later",
                    rule: Self.dayRule),
                Self.limit, Self.format,
            ]), contentTypes: Self.formats.map(\.contentType), answer: .events,
            problems: [.cursorExpired, .unavailable], handler: respond)
    }

    // What readers of notifications give, too.
    static let after = AdminRoute.Parameter(
        name: "after", meaning: "the cursor of an earlier answer; by default the oldest event is the first",
        rule: cursorRule)
    static let limit = AdminRoute.Parameter(
        name: "limit", meaning: "the greatest number of events; \(usualLimit) by default", rule: limitRule)
    static let format = AdminRoute.Parameter(
        name: "format", meaning: "json by default; ndjson has one event a line", rule: "must be json or ndjson",
        choices: formats.map(\.rawValue))

    /// What a cursor must be.
    static let cursorRule = "must be a cursor as an answer gave it"
    private static let dayRule = "must be \(PostgresDate.rule), and without after"
    private static let limitRule = "must be an integer from \(limits.lowerBound) to \(limits.upperBound)"

    private func respond(to request: AdminRequest) async throws -> Response {
        let limit = try Self.limit(of: request)
        let page: EventPage
        do {
            page = try await store.eventPage(after: try await cursor(request), limit: limit)
        } catch let error as LogError {
            throw Problem(error, field: "after")
        } catch let error as PostgresError {
            failed.log(to: logger, ["error": "\(error)"])
            throw Problem.unavailable()
        }
        return Self.answer(page, to: request)
    }

    /// The answer with a page, in the format that is asked for.
    static func answer(_ page: some EventLines, to request: AdminRequest) -> Response {
        let (newline, next, hasMore) = (UInt8(ascii: "\n"), page.next.description, !page.isAtEnd)
        if request["format"] == ReportFormat.ndjson.rawValue {
            let headers = [(nextHeader, next), (moreHeader, "\(hasMore)")].compactMap { name, value in
                HTTPField.Name(name).map { HTTPField(name: $0, value: value) }
            }
            return .stream(ReportFormat.ndjson.contentType, headers: headers) { writer in
                try await page.write(separator: newline, end: [newline]) {
                    try await writer.write(ByteBuffer(bytes: $0))
                }
            }
        }
        return .stream(ReportFormat.json.contentType) { writer in
            let head = "{\"next\":\"\(next)\",\"has_more\":\(hasMore),\"events\":["
            try await writer.write(ByteBuffer(string: head))
            try await page.write(separator: UInt8(ascii: ","), end: []) {
                try await writer.write(ByteBuffer(bytes: $0))
            }
            try await writer.write(ByteBuffer(string: "]}\n"))
        }
    }

    private func cursor(_ request: AdminRequest) async throws -> LogCursor {
        if let day = request["from"] {
            guard let day = PostgresDate(day), request["after"] == nil else {
                throw Problem(.invalidParameter, field: "from", rule: Self.dayRule)
            }
            return try await store.cursor(at: day)
        }
        guard let text = request["after"] else { return .start }
        return try Self.cursor(text, field: "after")
    }

    /// Reads a cursor.
    static func cursor(_ text: String, field: String) throws(Problem) -> LogCursor {
        guard let cursor = LogCursor(text) else { throw Problem(.invalidParameter, field: field, rule: cursorRule) }
        return cursor
    }

    /// The greatest number of events that a request asks for.
    static func limit(of request: AdminRequest) throws(Problem) -> Int {
        guard let text = request[limit.name] else { return usualLimit }
        guard let number = Int(text), limits.contains(number) else {
            throw Problem(.invalidParameter, field: limit.name, rule: limitRule)
        }
        return number
    }
}

extension Problem {
    /// The log can't be read from a cursor.
    init(_ error: LogError, field: String) {
        switch error {
        case .cursorExpired: self.init(.cursorExpired, field: field, rule: "must not be before a day that was dropped")
        case .cursorUnknown: self.init(.invalidParameter, field: field, rule: "must be a cursor of this log")
        case .unknownValue: self.init(.serverFailed, field: "server", rule: "failed; the log has an unknown value")
        }
    }
}
