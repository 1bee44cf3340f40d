/// What one connection is at: events go in, what to do comes out.
///
/// There is no I/O and no clock in it, so that each rule can be tested by itself.
///
/// The hard part is what to do with a request that must be refused while responses are outstanding. Answers go out in
/// the order of requests, so a refusal waits for earlier responses; it is not sent at all where the application has
/// already begun to answer the request in question.
struct ConnectionState {
    /// Which limit of time runs.
    enum Clock: Equatable {
        /// None: the application is at work.
        case none
        /// A request is arriving.
        case request
        /// Nothing is going on.
        case keepAlive
        /// All is said; the client may still read.
        case linger
    }

    /// What the handler has to do.
    enum Action: Equatable {
        case none
        /// Sends the refusal, then closes the output. With `isAwaited` the application waits for the rest of this
        /// request and must be told.
        case answer(RequestRejection, isAwaited: Bool)
        /// Closes the output behind what was written.
        case finishOutput
    }

    private enum Reading: Equatable {
        case nothing
        case head
        case body(received: Int)

        var isBody: Bool {
            guard case .body = self else { return false }
            return true
        }
    }

    private enum Phase: Equatable {
        case open
        /// Refused, but this many responses go first.
        case deferred(RequestRejection, earlier: Int)
        /// Responses that have begun may finish; nothing more is read.
        case finishing
        /// Nothing more is sent.
        case closing
    }

    private let maximumBodyBytes: Int
    private let maximumRequestBytes: Int
    /// The bytes of the request that is being read, as they came from the socket.
    private var requestBytes = 0
    private var reading = Reading.nothing
    private var phase = Phase.open
    /// Requests handed on whose responses have not ended.
    private var responsesDue = 0
    private var hasResponseBegun = false
    /// The request being read, or the last one read, is the last of this connection.
    private var isLastRequest = false

    /// A new connection.
    init(maximumBodyBytes: Int, maximumRequestBytes: Int = .max) {
        self.maximumBodyBytes = maximumBodyBytes
        self.maximumRequestBytes = maximumRequestBytes
    }

    /// The limit of time that runs now.
    ///
    /// A request's runs only while it is the client that is waited for, not while an earlier response holds up reading.
    var clock: Clock {
        switch phase {
        case .open:
            switch reading {
            case .nothing: responsesDue == 0 ? .keepAlive : .none
            case .head: responsesDue == 0 ? .request : .none
            case .body: responsesDue <= 1 ? .request : .none
            }
        case .deferred: .none
        case .finishing: reading.isBody ? .linger : .none
        case .closing: .linger
        }
    }

    /// Whether parts of requests go on to the application.
    var isOpen: Bool { phase == .open }

    /// Whether everything has been said, so that what the application still writes is dropped.
    var isClosing: Bool { phase == .closing }

    /// Whether bytes are worth decoding.
    ///
    /// Behind the last request they are not; behind an upgrade the decoder would even
    /// collect them without end.
    var wantsBytes: Bool { phase == .open && !(isLastRequest && reading == .nothing) }

    /// Whether no request is being read.
    var isBetweenRequests: Bool { reading == .nothing }

    /// Whether a head is being read.
    var isReadingHead: Bool { phase == .open && reading == .head }

    /// Whether the response about to begin is the last of the connection, and should say so.
    var isLastResponse: Bool { isLastRequest && responsesDue == 1 }

    /// Whether `100 Continue` may be sent for the head just read: not between the parts of another response.
    var mayContinue: Bool { phase == .open && responsesDue == 1 && !hasResponseBegun }

    /// Bytes came in that are more than blank lines.
    mutating func bytesArrived(_ count: Int = 0) {
        guard phase == .open else { return }
        requestBytes += count
        if reading == .nothing { reading = .head }
    }

    /// The bytes that arrived last are decoded.
    ///
    /// A chunk may have an extension without end, of which the decoder tells nothing. If a request ended in these bytes,
    /// those behind its end are not counted.
    mutating func bytesDecoded() -> Action {
        guard phase == .open, requestBytes > maximumRequestBytes else { return .none }
        return reject(.requestTooLarge(limit: maximumRequestBytes))
    }

    /// A head is complete.
    /// - Parameters:
    ///   - declaredLength: The body's length, where the head tells it.
    ///   - isLast: Whether no further request can follow.
    mutating func headArrived(declaredLength: Int?, isLast: Bool) -> Action {
        guard phase == .open else { return .none }
        // The last response has been announced while this head was on its way.
        guard !isLastRequest else { return endWithoutAnswer() }
        reading = .head
        if let declaredLength, declaredLength > maximumBodyBytes {
            return reject(.bodyTooLarge(limit: maximumBodyBytes))
        }
        reading = .body(received: 0)
        responsesDue += 1
        isLastRequest = isLast
        return .none
    }

    /// A piece of a body came in.
    mutating func bodyArrived(bytes: Int) -> Action {
        guard phase == .open, case .body(let received) = reading else { return .none }
        guard bytes <= maximumBodyBytes - received else { return reject(.bodyTooLarge(limit: maximumBodyBytes)) }
        reading = .body(received: received + bytes)
        return .none
    }

    /// A request is complete.
    mutating func requestEnded() {
        guard phase == .open else { return }
        reading = .nothing
        requestBytes = 0
    }

    /// The application begins a response.
    /// - Parameter closes: Whether its head says that the connection closes behind it.
    mutating func responseBegan(closes: Bool) {
        hasResponseBegun = true
        if closes, responsesDue == 1 { isLastRequest = true }
    }

    /// The application has written a whole response.
    mutating func responseEnded() -> Action {
        responsesDue = max(0, responsesDue - 1)
        hasResponseBegun = false
        switch phase {
        case .open where isLastRequest && responsesDue == 0, .finishing where responsesDue == 0:
            phase = .closing
            return .finishOutput
        case .deferred(let rejection, let earlier) where earlier <= 1:
            phase = .closing
            return .answer(rejection, isAwaited: reading.isBody)
        case .deferred(let rejection, let earlier):
            phase = .deferred(rejection, earlier: earlier - 1)
            return .none
        case .open, .finishing, .closing:
            return .none
        }
    }

    /// The application closed the output.
    mutating func outputClosed() {
        phase = .closing
    }

    /// The request that is being read must be refused.
    mutating func reject(_ rejection: RequestRejection) -> Action {
        guard phase == .open else { return .none }
        let earlier = responsesDue - (reading.isBody ? 1 : 0)
        // Answered already, before its body had come; or no request, but bytes behind the last one.
        if earlier < 0 || isLastRequest && !reading.isBody { return endWithoutAnswer() }
        if earlier > 0 {
            phase = .deferred(rejection, earlier: earlier)
            return .none
        }
        if hasResponseBegun {
            phase = .finishing
            return .none
        }
        phase = .closing
        return .answer(rejection, isAwaited: reading.isBody)
    }

    /// Reads nothing more, and closes once the responses that are due have ended.
    private mutating func endWithoutAnswer() -> Action {
        guard responsesDue == 0 else {
            phase = .finishing
            return .none
        }
        phase = .closing
        return .finishOutput
    }
}
