/// The limits of a connection.
package struct RequestLimits: Sendable {
    /// The greatest number of bytes of a body.
    package var maximumBodyBytes: Int
    /// The requests whose bodies may be larger; nil if there are none.
    package var largeBodies: LargeBodies?
    /// The most bytes of a request as they come from the socket, framing included, if its body is not a large one.
    package var maximumRequestBytes: Int { Self.requestBytes(ofBody: maximumBodyBytes) }
    /// The most bytes of all headers of a request.
    package var maximumHeaderBytes: Int
    /// The greatest number of headers of a request.
    package var maximumHeaders: Int
    /// The greatest time from the first byte of a request's head to the last byte of its body.
    package var requestDeadline: Duration
    /// The greatest time without a byte, after the connection was made and after each response.
    package var keepAliveTimeout: Duration
    /// The greatest time in which a client reads nothing of the answers that wait for it.
    package var unreadDeadline: Duration
    /// The bytes that a client must read within `unreadDeadline`.
    package var minimumReadBytes: Int { 1_024 }
    /// The most bytes that are held undecoded, because earlier requests are not answered or answers are not read.
    ///
    /// The socket is not read while bytes are held. But if the client closes its side, all that the system holds comes
    /// at once.
    package var maximumHeldBytes: Int { 128 * 1024 }
    /// The most bytes of one read of the socket.
    package var maximumReadBytes: Int { 16 * 1024 }
    /// If more bytes wait to be sent, no further request is taken.
    package var maximumUnsentBytes: Int { 8 * 1024 }
    /// After this time a connection closes behind the answer to its next request.
    package var lifetime: Duration
    /// The greatest number of requests of a connection.
    package var maximumRequests: Int
    /// The greatest number of requests of a connection that has not delivered a verified postback.
    package var maximumUnverifiedRequests: Int
    /// How long the connection stays open after a refusal, so that the client can read the answer.
    package var linger: Duration
    /// The number of bytes after a refusal that are still read, and discarded.
    package var discardedBytes: Int

    /// 64 KiB for the head, and 8 for each byte of the body: a chunk of one byte takes 6.
    static func requestBytes(ofBody maximumBodyBytes: Int) -> Int { 64 * 1024 + 8 * maximumBodyBytes }

    /// Takes the limits.
    /// - Parameters:
    ///   - maximumBodyBytes: By default 16 KiB.
    ///   - largeBodies: By default none.
    ///   - maximumHeaderBytes: By default 16 KiB. One header may have half of it.
    ///   - maximumHeaders: By default 100.
    ///   - requestDeadline: By default ten seconds.
    ///   - keepAliveTimeout: By default a minute.
    ///   - unreadDeadline: By default ten seconds.
    ///   - lifetime: By default an hour.
    ///   - maximumRequests: By default 10,000.
    ///   - maximumUnverifiedRequests: By default 10,000.
    ///   - linger: By default two seconds.
    ///   - discardedBytes: By default 64 KiB.
    package init(
        maximumBodyBytes: Int = 16 * 1024,
        largeBodies: LargeBodies? = nil,
        maximumHeaderBytes: Int = 16 * 1024,
        maximumHeaders: Int = 100,
        requestDeadline: Duration = .seconds(10),
        keepAliveTimeout: Duration = .seconds(60),
        unreadDeadline: Duration = .seconds(10),
        lifetime: Duration = .seconds(3_600),
        maximumRequests: Int = 10_000,
        maximumUnverifiedRequests: Int = 10_000,
        linger: Duration = .seconds(2),
        discardedBytes: Int = 64 * 1024
    ) {
        self.maximumBodyBytes = maximumBodyBytes
        self.largeBodies = largeBodies
        self.maximumHeaderBytes = maximumHeaderBytes
        self.maximumHeaders = maximumHeaders
        self.requestDeadline = requestDeadline
        self.keepAliveTimeout = keepAliveTimeout
        self.unreadDeadline = unreadDeadline
        self.lifetime = lifetime
        self.maximumRequests = maximumRequests
        self.maximumUnverifiedRequests = maximumUnverifiedRequests
        self.linger = linger
        self.discardedBytes = discardedBytes
    }
}
