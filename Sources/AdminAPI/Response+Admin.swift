package import HTTPTypes
package import Hummingbird
import Instrumentation
import NIOCore

extension Response {
    /// A response with a text that is already JSON.
    package static func json(_ status: HTTPResponse.Status, _ text: some Sequence<UInt8>) -> Response {
        var buffer = ByteBuffer(bytes: text)
        buffer.writeInteger(UInt8(ascii: "\n"))
        return Response(
            status: status, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: buffer))
    }

    /// A response with a plain text.
    package static func text(_ text: String, contentType: String = "text/plain; charset=utf-8") -> Response {
        Response(
            status: .ok, headers: [.contentType: contentType],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// The response with an error.
    package init(_ problem: Problem) {
        self.init(
            status: problem.kind.status, headers: [.contentType: Problem.contentType],
            body: ResponseBody(byteBuffer: ByteBuffer(string: problem.json)))
        headers.append(contentsOf: problem.headers)
    }

    /// A response whose body is made while the client reads it.
    ///
    /// Each write waits until the client has read what was written before, so a body takes the memory of its largest
    /// write only. If `write` throws, the connection is closed without the last chunk. So a client never takes a part
    /// of an answer for the whole.
    ///
    /// - Parameters:
    ///   - contentType: What the body is.
    ///   - headers: More headers.
    ///   - write: Writes the body in parts of about 64 KiB. It must not call `finish`.
    package static func stream(
        _ contentType: String, headers: [HTTPField] = [],
        _ write: @escaping @Sendable (inout any ResponseBodyWriter) async throws -> Void
    ) -> Response {
        // The body is written when the request has its answer; lines of the log have the request's ids all the same.
        let context = InstrumentationContext.current
        var response = Response(
            status: .ok, headers: [.contentType: contentType],
            body: ResponseBody { writer in
                try await InstrumentationContext.withValue(context) { try await write(&writer) }
                try await writer.finish(nil)
            })
        response.headers.append(contentsOf: headers)
        return response
    }
}
