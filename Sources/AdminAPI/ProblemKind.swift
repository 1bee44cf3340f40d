package import HTTPTypes

/// The kinds of errors of the admin listener: one row each of the table in docs/http-api.md.
///
/// The raw value is the last part of the member `type`.
package enum ProblemKind: String, CaseIterable, Sendable {
    case invalidParameter = "invalid_parameter"
    case invalidBody = "invalid_body"
    case malformedRequest = "malformed_request"
    case unauthorized = "unauthorized"
    case forbidden = "forbidden"
    case notFound = "not_found"
    case methodNotAllowed = "method_not_allowed"
    case notAcceptable = "not_acceptable"
    case requestTooSlow = "request_too_slow"
    case conflict = "conflict"
    case cursorExpired = "cursor_expired"
    case bodyTooLarge = "body_too_large"
    case misdirected = "misdirected"
    case reportTooLarge = "report_too_large"
    case notReloaded = "not_reloaded"
    case headTooLarge = "head_too_large"
    case serverFailed = "server_failed"
    case unavailable = "unavailable"

    /// The status of the answer.
    package var status: HTTPResponse.Status { row.status }

    /// What happened, the same for every error of the kind.
    var title: String { row.title }

    /// What the client can do.
    package var advice: String { row.advice }

    /// The link to what it means: a path of the admin listener.
    var link: String { "\(Self.path)/\(rawValue)" }

    /// Where the kinds are explained.
    static let path = "/errors"

    private var row: (status: HTTPResponse.Status, title: String, advice: String) {
        switch self {
        case .invalidParameter:
            (.badRequest, "A parameter is wrong", "Change the parameter that `field` names as `rule` says.")
        case .invalidBody:
            (.badRequest, "The body is wrong", "Change the member of the body that `field` names as `rule` says.")
        case .malformedRequest:
            (
                .badRequest, "The request is not HTTP/1.1",
                "The connection is closed. Mend the client, or a proxy before it."
            )
        case .unauthorized:
            (
                .unauthorized, "The token is missing or wrong",
                "Send `Authorization: Bearer` with a token of the server: ADMIN_TOKEN, or one of tokens.json."
            )
        case .forbidden:
            (
                .forbidden, "This is not allowed",
                "Use a token with the scope that `rule` names. Send a form from the page of this server."
            )
        case .notFound:
            (.notFound, "Nothing is here", "Look the path up in docs/http-api.md.")
        case .methodNotAllowed:
            (.methodNotAllowed, "The path has other methods", "Use a method that the header `Allow` names.")
        case .notAcceptable:
            (
                .notAcceptable, "There is no such format",
                "Name another format, in `Accept` or as the parameter `format`."
            )
        case .requestTooSlow:
            (.requestTimeout, "The request came too slowly", "The connection is closed. Send the request again.")
        case .conflict:
            (.conflict, "It contradicts what is stored", "Change the value that `field` names.")
        case .cursorExpired:
            (
                .gone, "The cursor is too old",
                "Events behind it were dropped. Begin anew without a cursor; docs/events.md."
            )
        case .bodyTooLarge:
            (.contentTooLarge, "The body is too large", "Send less at once.")
        case .misdirected:
            (
                .misdirectedRequest, "The server does not know this name",
                "Ask by its address or by localhost, or add the name to ADMIN_NAMES of the server."
            )
        case .reportTooLarge:
            (
                .unprocessableContent, "The report is too large",
                "Ask for less: fewer days, one app, or a report without the day. `rule` names the parameters."
            )
        case .notReloaded:
            (
                .unprocessableContent, "Changed files can't be used",
                "What the server read before stays in force. Mend the file that `rule` names, and reload again."
            )
        case .headTooLarge:
            (
                .requestHeaderFieldsTooLarge, "The headers are too large",
                "Send fewer or shorter headers, or a shorter path."
            )
        case .serverFailed:
            (.internalServerError, "The server failed", "This is a fault of ours. The log of the server says more.")
        case .unavailable:
            (.serviceUnavailable, "It is not available now", "Try again, after as many seconds as `Retry-After` says.")
        }
    }
}
