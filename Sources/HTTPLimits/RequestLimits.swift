/// The limits of a connection.
package struct RequestLimits: Sendable {
    /// The greatest number of bytes of a body.
    package var maximumBodyBytes: Int
    /// The most bytes of a request as they come from the socket, framing included.
    ///
    /// 64 KiB for the head, and 8 for each byte of the body: a chunk of one byte takes 6.
    package var maximumRequestBytes: Int { 64 * 1024 + 8 * maximumBodyBytes }
    /// The most bytes of all headers of a request.
    package var maximumHeaderBytes: Int
    /// The greatest number of headers of a request.
    package var maximumHeaders: Int
    /// The greatest time from the first byte of a request's head to the last byte of its body.
    package var requestDeadline: Duration
    /// The greatest time without a byte, after the connection was made and after each response.
    package var keepAliveTimeout: Duration
    /// How long the connection stays open after a refusal, so that the client can read the answer.
    package var linger: Duration
    /// The number of bytes after a refusal that are still read, and discarded.
    package var discardedBytes: Int

    /// Takes the limits.
    /// - Parameters:
    ///   - maximumBodyBytes: By default 16 KiB.
    ///   - maximumHeaderBytes: By default 16 KiB. One header may have half of it.
    ///   - maximumHeaders: By default 100.
    ///   - requestDeadline: By default ten seconds.
    ///   - keepAliveTimeout: By default a minute.
    ///   - linger: By default two seconds.
    ///   - discardedBytes: By default 64 KiB.
    package init(
        maximumBodyBytes: Int = 16 * 1024,
        maximumHeaderBytes: Int = 16 * 1024,
        maximumHeaders: Int = 100,
        requestDeadline: Duration = .seconds(10),
        keepAliveTimeout: Duration = .seconds(60),
        linger: Duration = .seconds(2),
        discardedBytes: Int = 64 * 1024
    ) {
        self.maximumBodyBytes = maximumBodyBytes
        self.maximumHeaderBytes = maximumHeaderBytes
        self.maximumHeaders = maximumHeaders
        self.requestDeadline = requestDeadline
        self.keepAliveTimeout = keepAliveTimeout
        self.linger = linger
        self.discardedBytes = discardedBytes
    }
}
