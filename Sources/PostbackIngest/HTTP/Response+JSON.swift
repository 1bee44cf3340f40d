import AdAttribution
import HTTPTypes
import Hummingbird
import NIOCore
import StrictJSON

extension Response {
    /// A JSON body that is written already.
    static func json(_ status: HTTPResponse.Status, _ text: some Sequence<UInt8>) -> Response {
        var buffer = ByteBuffer(bytes: text)
        buffer.writeInteger(UInt8(ascii: "\n"))
        return Response(
            status: status, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: buffer))
    }

    /// The database did not answer in time, or too many are asking it.
    static var unavailable: Response {
        var response = error(.serviceUnavailable, field: "database", rule: "did not answer")
        response.headers[.retryAfter] = "30"
        return response
    }

    /// `{"error":{"field":…,"rule":…}}`, the form of every refusal but a postback's.
    static func error(_ status: HTTPResponse.Status, field: String, rule: String) -> Response {
        .json(status, JSONErrorBody.text(field: field, rule: rule).utf8)
    }
}

/// The text of a refusal: which field broke which rule.
enum JSONErrorBody {
    static func text(field: String, rule: String) -> String {
        "{\"error\":{\"field\":\(JSONText.quoted(field)),\"rule\":\(JSONText.quoted(rule))}}"
    }
}
