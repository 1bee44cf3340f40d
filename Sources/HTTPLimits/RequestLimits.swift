/// What a client may take of a connection.
package struct RequestLimits: Sendable {
    /// The most bytes of a body.
    package var maximumBodyBytes: Int
    /// The most bytes of a request as they come from the socket, framing included.
    ///
    /// 64 KiB for the head, and 8 for each byte of the body: a chunk of one byte takes 6.
    package var maximumRequestBytes: Int { 64 * 1024 + 8 * maximumBodyBytes }
    /// From the first byte of a request's head to the last of its body.
    package var requestDeadline: Duration
    /// How long a connection may wait for the first byte of a request, after it was made and after each response.
    package var keepAliveTimeout: Duration
    /// How long a connection is kept after a refusal, for the client to read the answer.
    package var linger: Duration
    /// How much of what follows a refusal is still read, and thrown away.
    package var discardedBytes: Int

    /// Limits for the public listener.
    /// - Parameters:
    ///   - maximumBodyBytes: 16 KiB unless told.
    ///   - requestDeadline: Ten seconds unless told.
    ///   - keepAliveTimeout: A minute unless told.
    ///   - linger: Two seconds unless told.
    ///   - discardedBytes: 64 KiB unless told.
    package init(
        maximumBodyBytes: Int = 16 * 1024,
        requestDeadline: Duration = .seconds(10),
        keepAliveTimeout: Duration = .seconds(60),
        linger: Duration = .seconds(2),
        discardedBytes: Int = 64 * 1024
    ) {
        self.maximumBodyBytes = maximumBodyBytes
        self.requestDeadline = requestDeadline
        self.keepAliveTimeout = keepAliveTimeout
        self.linger = linger
        self.discardedBytes = discardedBytes
    }
}
