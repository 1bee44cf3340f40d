package import HTTPTypes
import StrictJSON

/// An answer with a JSON body, as the public listener gives it.
package struct JSONAnswer: Sendable {
    /// The status.
    package let status: HTTPResponse.Status
    /// The body, with a line end.
    package let json: String
    /// Headers beside those that say what the body is.
    let headers: [HTTPField]

    /// An answer with a text that is already JSON.
    package init(_ status: HTTPResponse.Status, _ json: String, headers: [HTTPField] = []) {
        self.status = status
        self.json = json + "\n"
        self.headers = headers
    }

    /// `{"error":{"field":…,"rule":…}}`, the form of its errors but those of postbacks.
    static func error(
        _ status: HTTPResponse.Status, field: String, rule: String, headers: [HTTPField] = []
    ) -> JSONAnswer {
        JSONAnswer(status, "{\(JSONText.error(field: field, rule: rule))}", headers: headers)
    }

    /// 404: the path is not known.
    package static let notFound = error(.notFound, field: "path", rule: "nothing is here")

    /// 405: the path is known with other methods.
    static func methodNotAllowed(_ allowed: String) -> JSONAnswer {
        error(
            .methodNotAllowed, field: "method", rule: "must be \(allowed)",
            headers: [HTTPField(name: .allow, value: allowed)])
    }

    /// 503: the database did not answer in time, or too many requests ask it.
    static let unavailable = error(
        .serviceUnavailable, field: "database", rule: "did not answer",
        headers: [HTTPField(name: .retryAfter, value: "30")])
}
