package import HTTPTypes
import NIOCore

/// A whole response as bytes.
///
/// A response that is sent again and again is encoded once.
package struct EncodedResponse: Sendable {
    /// For a connection that stays open.
    private let bytes: ByteBuffer
    /// With `Connection: close`.
    private let lastBytes: ByteBuffer
    private let bodyLength: Int
    /// The length of the first line, with its end.
    private let statusLineLength: Int
    /// Whether the connection must close after it.
    let closes: Bool

    /// Encodes a response with a JSON body.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - json: The body.
    ///   - contentType: What kind of JSON it is.
    ///   - headers: More headers; `Content-Type`, `X-Content-Type-Options`, `Content-Length` and `Connection` are added.
    ///   - closes: Whether the connection must close after it.
    package init(
        _ status: HTTPResponse.Status, json: String, contentType: String = "application/json",
        headers: [HTTPField] = [],
        closes: Bool = false
    ) {
        bodyLength = json.utf8.count
        var head = "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n"
        statusLineLength = head.utf8.count
        head += "Content-Type: \(contentType)\r\nX-Content-Type-Options: nosniff\r\n"
        head += "Content-Length: \(bodyLength)\r\n"
        for header in headers { head += "\(header.name): \(header.value)\r\n" }
        bytes = ByteBuffer(string: head + "\r\n" + json)
        lastBytes = ByteBuffer(string: head + "Connection: close\r\n\r\n" + json)
        self.closes = closes
    }

    /// The bytes to send.
    ///
    /// - Parameters:
    ///   - isLast: Whether the connection closes after it.
    ///   - hasBody: False for the response to a HEAD request.
    ///   - headerLine: A header of this one response, as a line with its end; or nothing.
    func bytes(isLast: Bool, hasBody: Bool = true, headerLine: [UInt8] = []) -> ByteBuffer {
        var bytes = isLast ? lastBytes : bytes
        if !hasBody { bytes.moveWriterIndex(to: bytes.writerIndex - bodyLength) }
        guard !headerLine.isEmpty else { return bytes }
        let view = bytes.readableBytesView
        var response = ByteBufferAllocator().buffer(capacity: view.count + headerLine.count)
        response.writeBytes(view.prefix(statusLineLength))
        response.writeBytes(headerLine)
        response.writeBytes(view.dropFirst(statusLineLength))
        return response
    }
}
