import AdAttribution
import HTTPTypes
import Hummingbird

extension PostbackOutcome {
    /// The one place where outcomes become statuses.
    ///
    /// Apple's devices stop at 200 and retry everything else.
    var status: HTTPResponse.Status {
        switch self {
        case .accepted, .duplicate, .raised: .ok
        case .malformed: .badRequest
        case .unknownNetwork, .invalidSignature: .forbidden
        case .unsupportedVersion: .unprocessableContent
        case .tooLarge: .contentTooLarge
        case .overloaded, .storageUnavailable: .serviceUnavailable
        }
    }
}

extension PostbackAnswer {
    /// `{"outcome":…,"detail":…}` with the outcome's status.
    var response: Response {
        let text = "{\"outcome\":\"\(outcome.rawValue)\",\"detail\":\(JSONText.quoted(detail))}"
        var response = Response.json(outcome.status, text.utf8)
        if outcome.status == .serviceUnavailable { response.headers[.retryAfter] = "30" }
        if outcome == .tooLarge { response.headers[.connection] = "close" }
        return response
    }
}
