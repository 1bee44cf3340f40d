/// The state of one connection.
///
/// It gets events and returns what to do.
///
/// It has no input or output and no clock, so each rule can be tested by itself.
///
/// A request may have to be refused while earlier responses are not complete. Answers have the order of the requests,
/// so the refusal waits for the earlier responses. If the application has already begun to answer the refused request,
/// the refusal is not sent.
struct ConnectionState {
    /// The limit of time that runs.
    enum Clock: Equatable {
        /// None: the application works on a request.
        case none
        /// A request is arriving.
        case request
        /// The connection is idle.
        case keepAlive
        /// The client does not read what was sent.
        case unread
        /// Everything was sent; the client may still read.
        case linger
    }

    /// What the handler must do.
    enum Action: Equatable {
        case none
        /// Sends the refusal, then closes the output. With `isAwaited` the application waits for the rest of this
        /// request and must be told.
        case answer(RequestError, isAwaited: Bool)
        /// Closes the output after what was written.
        case finishOutput
    }

    private enum Reading: Equatable {
        case nothing
        case head
        /// `due` is what is missing of a declared length.
        case body(received: Int, due: Int)

        var isBody: Bool {
            guard case .body = self else { return false }
            return true
        }
    }

    private enum Phase: Equatable {
        case open
        /// The request is refused, but this many responses come first.
        case deferred(RequestError, earlier: Int)
        /// Responses that have begun may finish; nothing more is read.
        case finishing
        /// Nothing more is sent.
        case closing
    }

    /// The most bytes of a body, and of a request as it comes from the socket.
    private struct Limits {
        var body: Int
        var request: Int
        var isOfLargeBody = false

        var bodyTooLarge: RequestError { .bodyTooLarge(limit: body, isOfLargeBody: isOfLargeBody) }
        var requestTooLarge: RequestError { .requestTooLarge(limit: request, isOfLargeBody: isOfLargeBody) }
    }

    private let usualLimits: Limits
    /// Those of the request that is being read.
    private var limits: Limits
    /// The bytes of the request that is being read, as they came from the socket.
    private var requestBytes = 0
    private var reading = Reading.nothing
    private var phase = Phase.open
    /// The number of requests that the application got and whose responses have not ended.
    private var responsesDue = 0
    private var hasResponseBegun = false
    /// Whether the request that is being read, or was read last, is the last one of this connection.
    private var isLastRequest = false
    /// Whether the client reads what is sent.
    private var isWritable = true

    /// A new connection.
    init(maximumBodyBytes: Int, maximumRequestBytes: Int = .max) {
        usualLimits = Limits(body: maximumBodyBytes, request: maximumRequestBytes)
        limits = usualLimits
    }

    /// The limit of time that runs now.
    ///
    /// The limit of a request runs only while the client is waited for, and not while an earlier response delays
    /// reading.
    var clock: Clock {
        guard isWritable else { return .unread }
        return switch phase {
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

    /// Whether the application gets parts of requests.
    var isOpen: Bool { phase == .open }

    /// Whether everything was sent.
    ///
    /// What the application still writes is dropped then.
    var isClosing: Bool { phase == .closing }

    /// Whether bytes must be decoded.
    ///
    /// Bytes after the last request are not decoded. After an upgrade the decoder would collect them without a bound.
    var wantsBytes: Bool { phase == .open && !(isLastRequest && reading == .nothing) }

    /// Whether the client waits for the answer to a complete request, and reads what it gets.
    var owesAnswer: Bool {
        isWritable && phase != .closing && responsesDue > (reading.isBody ? 1 : 0)
    }

    /// The bytes that are missing of the body that is being read, if its length was declared.
    var bodyBytesDue: Int {
        guard case .body(_, let due) = reading else { return 0 }
        return due
    }

    /// Whether no request is being read.
    var isBetweenRequests: Bool { reading == .nothing }

    /// Whether the next response is the last one of the connection, and should say so.
    var isLastResponse: Bool { isLastRequest && responsesDue == 1 }

    /// Whether the next response answers a request whose body is not complete.
    var isEarlyResponse: Bool { reading.isBody && responsesDue == 1 }

    /// Whether `100 Continue` may be sent for the last head.
    ///
    /// It must not come between the parts of another response.
    var mayContinue: Bool { phase == .open && responsesDue == 1 && !hasResponseBegun }

    /// The client reads what is sent, or does not.
    mutating func writabilityChanged(_ isWritable: Bool) {
        self.isWritable = isWritable
    }

    /// Bytes arrived that are not only blank lines.
    mutating func bytesArrived(_ count: Int = 0) {
        guard phase == .open else { return }
        requestBytes += count
        if reading == .nothing { reading = .head }
    }

    /// The bytes that arrived last are decoded.
    ///
    /// A chunk may have an extension without end, of which the decoder tells nothing. If a request ended in these
    /// bytes, those behind its end are not counted.
    mutating func bytesDecoded() -> Action {
        guard phase == .open, requestBytes > limits.request else { return .none }
        return reject(limits.requestTooLarge)
    }

    /// A head is complete.
    /// - Parameters:
    ///   - declaredLength: The body's length, if the head has it.
    ///   - isLast: Whether no further request can follow.
    ///   - largeBody: The most bytes of the body, if it may be a large one.
    mutating func headArrived(declaredLength: Int?, isLast: Bool, largeBody: Int? = nil) -> Action {
        guard phase == .open else { return .none }
        // The response before has announced the end of the connection.
        guard !isLastRequest else { return endWithoutAnswer() }
        reading = .head
        if let largeBody {
            limits = Limits(
                body: largeBody, request: RequestLimits.requestBytes(ofBody: largeBody), isOfLargeBody: true)
        }
        if let declaredLength, declaredLength > limits.body { return reject(limits.bodyTooLarge) }
        reading = .body(received: 0, due: declaredLength ?? 0)
        responsesDue += 1
        isLastRequest = isLast
        return .none
    }

    /// A part of a body arrived.
    mutating func bodyArrived(bytes: Int) -> Action {
        guard phase == .open, case .body(let received, let due) = reading else { return .none }
        guard bytes <= limits.body - received else { return reject(limits.bodyTooLarge) }
        reading = .body(received: received + bytes, due: max(0, due - bytes))
        return .none
    }

    /// A request is complete.
    mutating func requestEnded() {
        guard phase == .open else { return }
        reading = .nothing
        requestBytes = 0
        limits = usualLimits
    }

    /// The application begins a response.
    /// - Parameter closes: Whether its head says that the connection closes after it.
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
    mutating func reject(_ rejection: RequestError) -> Action {
        guard phase == .open else { return .none }
        let earlier = responsesDue - (reading.isBody ? 1 : 0)
        // The request was answered before its body came, or these are bytes after the last request.
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

    /// Reads nothing more, and closes when the outstanding responses have ended.
    private mutating func endWithoutAnswer() -> Action {
        guard responsesDue == 0 else {
            phase = .finishing
            return .none
        }
        phase = .closing
        return .finishOutput
    }
}
