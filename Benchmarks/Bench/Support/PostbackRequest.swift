import NIOCore

/// A request that delivers a postback.
enum PostbackRequest {
    /// The bytes of the request with this body; with `closes` it is the only one of its connection.
    static func bytes(_ body: [UInt8], closes: Bool) -> ByteBuffer {
        let head =
            "POST /.well-known/skadnetwork/report-attribution HTTP/1.1\r\nHost: bench\r\n"
            + (closes ? "Connection: close\r\n" : "")
            + "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n"
        return ByteBuffer(bytes: Array(head.utf8) + body)
    }
}
