import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// A response with a text that is already JSON.
    static func json(_ status: HTTPResponse.Status, _ text: some Sequence<UInt8>) -> Response {
        var buffer = ByteBuffer(bytes: text)
        buffer.writeInteger(UInt8(ascii: "\n"))
        return Response(
            status: status, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: buffer))
    }

    /// The framework's response with an answer.
    init(_ answer: JSONAnswer) {
        self.init(
            status: answer.status, headers: HTTPFields([HTTPField(name: .contentType, value: "application/json")]),
            body: ResponseBody(byteBuffer: ByteBuffer(string: answer.json)))
        headers.append(contentsOf: answer.headers)
    }

    /// See `JSONAnswer.unavailable`.
    static var unavailable: Response { Response(.unavailable) }

    /// See `JSONAnswer.error`.
    static func error(_ status: HTTPResponse.Status, field: String, rule: String) -> Response {
        Response(.error(status, field: field, rule: rule))
    }
}
