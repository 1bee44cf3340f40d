import AdAttribution
import HTTPTypes
import Hummingbird

extension PostbackAnswer {
    /// The one place where outcomes become statuses.
    ///
    /// SKAdNetwork's devices stop at 200 and retry everything else; of AdAttributionKit Apple promises a retry after 500
    /// only, so that is what a failure of ours is there.
    var status: HTTPResponse.Status {
        switch outcome {
        case .accepted, .duplicate, .raised: .ok
        case .malformed: .badRequest
        case .unknownNetwork, .invalidSignature: .forbidden
        case .unsupportedVersion: .unprocessableContent
        case .tooLarge: .contentTooLarge
        case .overloaded, .storageUnavailable:
            attributionProtocol == .adAttributionKit ? .internalServerError : .serviceUnavailable
        }
    }

    /// `{"outcome":…,"detail":…}` with the outcome's status.
    var response: Response {
        let text = "{\"outcome\":\"\(outcome.rawValue)\",\"detail\":\(JSONText.quoted(detail))}"
        var response = Response.json(status, text.utf8)
        if outcome == .overloaded || outcome == .storageUnavailable { response.headers[.retryAfter] = "30" }
        if outcome == .tooLarge { response.headers[.connection] = "close" }
        return response
    }
}
