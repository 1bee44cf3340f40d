import AdAttribution
import HTTPTypes
import Hummingbird
import StrictJSON

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
    var response: Response { acknowledgement ?? written }

    /// The answers that nearly every request gets, written once.
    private var acknowledgement: Response? {
        switch self.outcome {
        case .accepted where detail == Self.accepted.detail: Self.acceptedResponse
        case .raised where detail == Self.raised.detail: Self.raisedResponse
        case .duplicate where detail == Self.duplicate.detail: Self.duplicateResponse
        default: nil
        }
    }

    private static let acceptedResponse = accepted.written
    private static let raisedResponse = raised.written
    private static let duplicateResponse = duplicate.written

    private var written: Response {
        let text = "{\"outcome\":\"\(outcome.rawValue)\",\"detail\":\(JSONText.quoted(detail))}"
        var response = Response.json(status, text.utf8)
        if outcome == .overloaded || outcome == .storageUnavailable { response.headers[.retryAfter] = "30" }
        if outcome == .tooLarge { response.headers[.connection] = "close" }
        return response
    }
}
