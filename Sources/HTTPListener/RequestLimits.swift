import Synchronization

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

/// The requests of a listener whose bodies may be larger than all others, and how much memory such bodies may take.
///
/// All connections of the listener share it. A body takes memory for the bytes of it that have come, so whoever sends
/// slowly takes little. The memory is free again when nobody holds the body any more. If there is none for the next
/// bytes, the request is refused. One whose declared length does not fit now is refused before its body is read.
package final class LargeBodies: Sendable {
    /// The greatest number of bytes of such a body.
    package let maximumBodyBytes: Int
    private let budget: Int
    private let isOpen: @Sendable () -> Bool
    private let isTarget: @Sendable (String) -> Bool
    private let reserved = Atomic(0)

    /// Takes the limits, and what says of which requests they are.
    ///
    /// - Parameters:
    ///   - maximumBodyBytes: The greatest number of bytes of one body.
    ///   - budget: The greatest number of bytes of all bodies that are in memory, at least that of one.
    ///   - isOpen: Whether such bodies are taken now; if not, these requests are like all others.
    ///   - isTarget: Whether the body of a request with this target may be large. It is asked of every request. A target
    ///     may have a query, or a host before its path.
    package init(
        maximumBodyBytes: Int, budget: Int, isOpen: @escaping @Sendable () -> Bool = { true },
        isTarget: @escaping @Sendable (_ target: String) -> Bool
    ) {
        self.maximumBodyBytes = maximumBodyBytes
        self.budget = max(budget, maximumBodyBytes)
        self.isOpen = isOpen
        self.isTarget = isTarget
    }

    /// The bytes that are reserved now.
    package var reservedBytes: Int { reserved.load(ordering: .relaxed) }

    /// Whether the body of a request with this target may be large.
    func takes(_ target: String) -> Bool { isTarget(target) && isOpen() }

    /// Whether so many bytes fit beside those that are in memory now; this reserves nothing.
    func hasRoom(for count: Int) -> Bool { count <= budget - reservedBytes }

    /// Reserves memory for bytes that have come; false if there is none, and then nothing is reserved.
    fileprivate func reserve(_ count: Int) -> Bool {
        var known = reservedBytes
        while count <= budget - known {
            let (isDone, now) = reserved.weakCompareExchange(
                expected: known, desired: known + count, ordering: .relaxed)
            if isDone { return true }
            known = now
        }
        return false
    }

    fileprivate func release(_ count: Int) {
        reserved.wrappingSubtract(count, ordering: .relaxed)
    }
}

/// Memory that is reserved for what has come of one large body, until nobody holds this any more.
///
/// Whoever keeps the body keeps this beside it.
package final class BodyReservation: Sendable {
    private let bodies: LargeBodies
    private let bytes = Atomic(0)

    /// Reserves nothing yet.
    init(in bodies: LargeBodies) {
        self.bodies = bodies
    }

    /// Reserves memory for more bytes of the body; false if there is none.
    func grow(by count: Int) -> Bool {
        guard bodies.reserve(count) else { return false }
        bytes.wrappingAdd(count, ordering: .relaxed)
        return true
    }

    deinit { bodies.release(bytes.load(ordering: .relaxed)) }
}
