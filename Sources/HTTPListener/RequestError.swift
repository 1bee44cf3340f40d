package import HTTPTypes
import NIOHTTP1
import StrictJSON

/// Why a request was refused before it was complete.
///
/// It is the answer to the client, and the error for the code that waits for the rest of the body.
package struct RequestError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What became of the request: the word in the answer.
    package enum Outcome: String, Sendable, CaseIterable {
        case malformed
        case tooLarge = "too_large"
        case tooSlow = "too_slow"
        case overloaded
    }

    /// The status of the answer.
    package let status: HTTPResponse.Status
    /// The outcome in the answer's body.
    package let outcome: Outcome
    /// What was wrong: the part of the request.
    package let field: String
    /// The rule that the part breaks.
    ///
    /// It contains no byte of the request.
    package let rule: String
    /// Whether the request was one of those of `LargeBodies`.
    package var isOfLargeBody = false
    /// After how many seconds the client may try again; nil if that is not said.
    package var retryAfter: Int?

    /// Part and rule in one text.
    package var detail: String { "\(field): \(rule)" }

    /// The same.
    package var description: String { detail }

    /// A body larger than the limit.
    static func bodyTooLarge(limit: Int, isOfLargeBody: Bool = false) -> RequestError {
        RequestError(
            status: .contentTooLarge, outcome: .tooLarge, field: "body", rule: "must have at most \(limit) bytes",
            isOfLargeBody: isOfLargeBody)
    }

    /// A large body for which there is no memory now.
    static let noRoomForBody = RequestError(
        status: .serviceUnavailable, outcome: .overloaded, field: "body",
        rule: "too many large bodies are in memory; nothing was stored", isOfLargeBody: true, retryAfter: 30)

    /// A request with more bytes than its head and its body can account for.
    static func requestTooLarge(limit: Int, isOfLargeBody: Bool = false) -> RequestError {
        RequestError(
            status: .contentTooLarge, outcome: .tooLarge, field: "request", rule: "must have at most \(limit) bytes",
            isOfLargeBody: isOfLargeBody)
    }

    /// A head larger than the decoder's limits.
    static let headTooLarge = RequestError(
        status: .requestHeaderFieldsTooLarge, outcome: .tooLarge, field: "head", rule: "too large")

    /// A request that did not arrive in time.
    static func tooSlow(after limit: Duration) -> RequestError {
        let (seconds, fraction) = limit.components
        let shown = fraction == 0 ? "\(seconds)" : "\(Double(seconds) + Double(fraction) / 1e18)"
        return RequestError(
            status: .requestTimeout, outcome: .tooSlow, field: "request", rule: "not complete after \(shown) seconds")
    }

    /// Bytes that are not HTTP.
    static func malformed(_ error: HTTPParserError) -> RequestError { malformed("HTTP", error.debugDescription) }

    /// A request that breaks a rule of HTTP.
    static func malformed(_ field: String, _ rule: String) -> RequestError {
        RequestError(status: .badRequest, outcome: .malformed, field: field, rule: rule)
    }

    /// The answer's body, if the listener has no form of its own.
    private var json: String {
        var writer = JSONWriter()
        writer.object { body in
            body.member("outcome") { $0.string(outcome.rawValue) }
            body.member("detail") { $0.string(detail) }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The answer, if the listener has no form of its own.
    package var response: EncodedResponse {
        let headers = retryAfter.map { [HTTPField(name: .retryAfter, value: String($0))] } ?? []
        return EncodedResponse(status, json: json, headers: headers, closes: true)
    }
}
