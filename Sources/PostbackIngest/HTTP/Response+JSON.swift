import AdAttribution
import HTTPTypes
import Hummingbird
import NIOCore
import StrictJSON

extension Response {
    /// A response with a text that is already JSON.
    static func json(_ status: HTTPResponse.Status, _ text: some Sequence<UInt8>) -> Response {
        var buffer = ByteBuffer(bytes: text)
        buffer.writeInteger(UInt8(ascii: "\n"))
        return Response(
            status: status, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: buffer))
    }

    /// 503: the database did not answer in time, or too many requests ask it.
    static var unavailable: Response {
        var response = error(.serviceUnavailable, field: "database", rule: "did not answer")
        response.headers[.retryAfter] = "30"
        return response
    }

    /// `{"error":{"field":…,"rule":…}}`, the form of all errors but those of postbacks.
    static func error(_ status: HTTPResponse.Status, field: String, rule: String) -> Response {
        .json(status, JSONErrorBody.text(field: field, rule: rule).utf8)
    }
}

/// Writes the text of an error: which field broke which rule.
enum JSONErrorBody {
    static func text(field: String, rule: String) -> String {
        "{\"error\":{\"field\":\(JSONText.quoted(field)),\"rule\":\(JSONText.quoted(rule))}}"
    }
}
