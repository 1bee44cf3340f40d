import AdAttribution
import HTTPLimits
import HTTPTypes
import PostbackStore
import StrictJSON
import Synchronization

/// Answers as HTTP responses: the one place in which outcomes become statuses.
///
/// Nearly every request gets one of four answers. Their responses are made once a second, as the date is a part of them.
final class PostbackResponses: Sendable {
    private struct Ready {
        var second: Int64
        var responses: [DeliveryOutcome: EncodedResponse]
    }

    private let clock: WallClock
    private let ready = Mutex(Ready(second: .min, responses: [:]))

    init(clock: WallClock) {
        self.clock = clock
    }

    /// `{"outcome":…,"detail":…}` with the status of the outcome.
    func response(to answer: PostbackAnswer) -> EncodedResponse {
        let second = clock.milliseconds() / 1_000
        guard case .stored(let outcome) = answer else { return Self.response(to: answer, at: second) }
        return ready.withLock { ready in
            if ready.second != second { ready = Ready(second: second, responses: [:]) }
            if let response = ready.responses[outcome] { return response }
            let response = Self.response(to: answer, at: second)
            ready.responses[outcome] = response
            return response
        }
    }

    private static func response(to answer: PostbackAnswer, at second: Int64) -> EncodedResponse {
        let outcome = answer.outcome
        let text = "{\"outcome\":\"\(outcome.rawValue)\",\"detail\":\(JSONText.quoted(answer.detail))}\n"
        let date = HTTPDate.text(second)
        let headers: KeyValuePairs =
            if case .unavailable = answer { ["Date": date, "Retry-After": "30"] } else { ["Date": date] }
        return EncodedResponse(status(of: answer), json: text, headers: headers, closes: outcome == .tooLarge)
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
