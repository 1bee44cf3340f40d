import AdAttribution
import HTTPListener
import HTTPTypes
package import Observability
import PostbackStore
import StrictJSON
import Synchronization

/// Answers of the public listener as HTTP responses: the one place in which outcomes become statuses.
///
/// Nearly every request gets one of six answers. Their responses are made once a second, as the date is a part of them.
package final class PublicResponses: Sendable {
    private enum Frequent: Hashable {
        case stored(DeliveryOutcome)
        case notFound
        case methodNotAllowed

        var answer: JSONAnswer {
            switch self {
            case .stored(let outcome): PublicResponses.json(.stored(outcome))
            case .notFound: .notFound
            case .methodNotAllowed: .methodNotAllowed("POST")
            }
        }
    }

    private struct Ready {
        var second: Int64
        var responses: [Frequent: EncodedResponse]
    }

    private let clock: WallClock
    private let ready = Mutex(Ready(second: .min, responses: [:]))

    package init(clock: WallClock) {
        self.clock = clock
    }

    /// `{"outcome":…,"detail":…}` with the status of the outcome.
    func response(to answer: PostbackAnswer) -> EncodedResponse {
        switch answer {
        case .stored(let outcome): response(.stored(outcome))
        case .refused, .unavailable:
            Self.encoded(Self.json(answer), at: second, closes: answer.outcome == .tooLarge)
        }
    }

    /// An answer about something else than a postback.
    func response(with answer: JSONAnswer) -> EncodedResponse { Self.encoded(answer, at: second) }

    /// 404.
    var notFound: EncodedResponse { response(.notFound) }

    /// 405.
    var methodNotAllowed: EncodedResponse { response(.methodNotAllowed) }

    private var second: Int64 { clock.milliseconds() / 1_000 }

    private func response(_ frequent: Frequent) -> EncodedResponse {
        let second = second
        return ready.withLock { ready in
            if ready.second != second { ready = Ready(second: second, responses: [:]) }
            if let response = ready.responses[frequent] { return response }
            let response = Self.encoded(frequent.answer, at: second)
            ready.responses[frequent] = response
            return response
        }
    }

    private static func encoded(_ answer: JSONAnswer, at second: Int64, closes: Bool = false) -> EncodedResponse {
        let date = HTTPField(name: .date, value: HTTPDate.text(second))
        return EncodedResponse(answer.status, json: answer.json, headers: [date] + answer.headers, closes: closes)
    }

    private static func json(_ answer: PostbackAnswer) -> JSONAnswer {
        let text = "{\"outcome\":\"\(answer.outcome.rawValue)\",\"detail\":\(JSONText.quoted(answer.detail))}"
        let isUnavailable = if case .unavailable = answer { true } else { false }
        return JSONAnswer(
            status(of: answer), text, headers: isUnavailable ? [HTTPField(name: .retryAfter, value: "30")] : [])
    }

    /// Devices stop at 200 and retry SKAdNetwork's postbacks after everything else.
    ///
    /// For AdAttributionKit Apple promises a retry after 500 only, so our own failures are a 500 there.
    private static func status(of answer: PostbackAnswer) -> HTTPResponse.Status {
        switch answer {
        case .stored: .ok
        case .refused(let rejection):
            switch rejection.reason {
            case .malformed: .badRequest
            case .unknownNetwork, .invalidSignature: .forbidden
            case .unsupportedVersion: .unprocessableContent
            case .tooLarge: .contentTooLarge
            }
        case .unavailable(_, .adAttributionKit): .internalServerError
        case .unavailable: .serviceUnavailable
        }
    }
}
