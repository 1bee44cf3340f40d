package import AdAttribution
import Encodings
package import HTTPListener
package import HTTPTypes
import StrictJSON

/// An error of the admin listener, as `application/problem+json` (RFC 9457) says it.
///
/// Handlers throw it, and the router answers with it.
package struct Problem: Error, Sendable, Equatable {
    static let contentType = "application/problem+json"

    /// What kind of error it is.
    package let kind: ProblemKind
    /// The part of the request, or of the server, that is wrong.
    package let field: String
    /// The rule that it breaks, without a value of the request.
    package let rule: String
    /// Headers of the answer beside those that say what the body is.
    package var headers: [HTTPField] = []

    /// A part breaks a rule.
    package init(_ kind: ProblemKind, field: String, rule: String, headers: [HTTPField] = []) {
        self.kind = kind
        self.field = field
        self.rule = rule
        self.headers = headers
    }

    /// A parameter breaks a rule.
    package init(_ error: FieldError) {
        self.init(.invalidParameter, field: error.field, rule: error.rule)
    }

    /// The body breaks a rule.
    package init(_ error: ImpressionError) {
        self.init(.invalidBody, field: error.field, rule: error.rule)
    }

    /// The guard of the connection refused the request.
    package init(_ rejection: RequestError) {
        let kind: ProblemKind =
            switch rejection.status {
            case .contentTooLarge: .bodyTooLarge
            case .requestHeaderFieldsTooLarge: .headTooLarge
            case .requestTimeout: .requestTooSlow
            default: .malformedRequest
            }
        self.init(kind, field: rejection.field, rule: rejection.rule)
    }

    /// Refuses a text that PostgreSQL can't hold: one with a zero byte.
    ///
    /// Every text of a request that can reach the database is checked where it is decoded.
    ///
    /// - Throws: `invalidParameter`, which names the parameter.
    package static func check(_ text: String, of name: String) throws(Problem) {
        guard !text.utf8.contains(0) else {
            throw Problem(.invalidParameter, field: name.prefix(bytes: 60), rule: "must not have a zero byte")
        }
    }

    /// 404: the path is not known.
    package static let notFound = Problem(.notFound, field: "path", rule: "nothing is here")

    /// 413: the body has more than this number of bytes.
    package static func bodyTooLarge(limit: Int) -> Problem {
        Problem(.bodyTooLarge, field: "body", rule: "must have at most \(limit) bytes")
    }

    /// 503: a database did not answer in time, or too many requests ask it.
    package static func unavailable(_ database: String = "database", rule: String = "did not answer") -> Problem {
        Problem(.unavailable, field: database, rule: rule, headers: [HTTPField(name: .retryAfter, value: "30")])
    }

    /// The answer of a connection that is closed after it.
    package var encoded: EncodedResponse {
        EncodedResponse(kind.status, json: json, contentType: Self.contentType, headers: headers, closes: true)
    }

    /// The body of the answer, with a line end.
    var json: String {
        var object = JSONObjectText()
        object.append("type", kind.link)
        object.append("title", kind.title)
        object.append("status", kind.status.code)
        object.append("detail", "\(field): \(rule)")
        object.append("field", field)
        object.append("rule", rule)
        return String(decoding: object.finished(), as: UTF8.self) + "\n"
    }
}
