import DequeModule
package import NIOCore
package import NIOHTTP1

/// Applies the limits of one connection: the size of a body, the time for a request, the time between requests, the
/// time for reading an answer.
///
/// It also answers bytes that are not HTTP.
///
/// Each connection has one, between the HTTP decoder and the application. After it has answered, nothing from the
/// application is sent any more. Without it a framework reads a refused body to its end, however long that is.
/// It also waits without a bound for a body that arrives slowly. If the application answers before it has got a whole
/// body, it does not want the rest: then the connection closes after the answer.
///
/// After an answer only the output is closed, not the connection. If a socket with unread bytes is closed, it is reset,
/// and the client may not get the answer. So the connection stays open until the client closes it or a short time has
/// passed. Bytes that arrive meanwhile are discarded up to a bound, and then not read.
///
/// Neither the framework nor NIO answers `Expect: 100-continue`. So the guard does, for bodies that it accepts.
package final class RequestGuard: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias InboundOut = HTTPServerRequestPart
    package typealias OutboundIn = HTTPServerResponsePart
    package typealias OutboundOut = HTTPServerResponsePart

    private static let continueResponse = ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")

    private let limits: RequestLimits
    private let table: ConnectionTable
    private let encode: (RequestError) -> EncodedResponse
    private let onRejection: (RequestError) -> Void
    private var ticket: ConnectionTable.Ticket?
    private var isAnswerDue = false
    private var isVerified = false
    private var isEnding = false
    private var opened = NIODeadline.uptimeNanoseconds(0)
    private var requests = 0
    private var state: ConnectionState
    private var clock = ConnectionState.Clock.none
    private var deadline: LazyDeadline?
    private var context: ChannelHandlerContext?
    private var discarded = 0
    /// How long the connection took to open.
    ///
    /// It counts towards the time of its first request.
    private var openingTime = Duration.zero
    /// The bytes that waited to be sent when the deadline for reading answers was set.
    private var unsentBytes = 0
    /// Whether the request that is being read is a HEAD request.
    private var isHeadRequest = false
    /// Whether the client waits for `100 Continue` before it sends the body of the request that is being read.
    private var isContinueDue = false
    private var isInputClosed = false
    private var isOutputClosed = false
    /// A request whose response is due.
    private struct Due {
        /// Whether it is a HEAD request, whose response has no body.
        let isHeadRequest: Bool
        /// The memory of what has come of its body, if that may be a large one.
        let reservation: BodyReservation?
    }

    private var due = Deque<Due>()
    /// The handler that stands before the decoder and the encoder of HTTP.
    private(set) lazy var tap = RawBytesTap(owner: self, maximumHeldBytes: limits.maximumHeldBytes)

    /// Makes a guard for one connection.
    /// - Parameters:
    ///   - limits: The limits of the connection.
    ///   - table: The connections of the listener.
    ///   - encode: The answer to a refused request.
    ///   - onRejection: Called on the event loop for each refusal that is answered.
    package init(
        limits: RequestLimits = RequestLimits(), table: ConnectionTable = ConnectionTable(),
        encode: @escaping @Sendable (RequestError) -> EncodedResponse = \.response,
        onRejection: @escaping @Sendable (RequestError) -> Void = { _ in }
    ) {
        self.limits = limits
        self.table = table
        self.encode = encode
        self.onRejection = onRejection
        self.state = ConnectionState(
            maximumBodyBytes: limits.maximumBodyBytes, maximumRequestBytes: limits.maximumRequestBytes)
    }
}

// MARK: The connection

extension RequestGuard {
    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        deadline = LazyDeadline(eventLoop: context.eventLoop) { [weak self] in self?.deadlineExpired() }
        if context.channel.isActive { open(context) }
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        closed()
        deadline = nil
        self.context = nil
    }

    package func channelActive(context: ChannelHandlerContext) {
        open(context)
        context.fireChannelActive()
    }

    package func channelInactive(context: ChannelHandlerContext) {
        closed()
        context.fireChannelInactive()
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        state.writabilityChanged(context.channel.isWritable)
        updateClock()
        context.fireChannelWritabilityChanged()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let opened = event as? ConnectionOpened { openingTime = opened.elapsed }
        if event is RoomNeeded { return closeForRoom() }
        if case .some(.inputClosed) = event as? ChannelEvent {
            isInputClosed = true
            // The client has closed its side, so it has read the answer.
            if isOutputClosed { context.close(promise: nil) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard state.isClosing else {
            if mode == .output {
                isOutputClosed = true
                state.outputClosed()
                updateClock()
            }
            return context.close(mode: mode, promise: promise)
        }
        // The application closes the connection, but the client must still be able to read the answer.
        switch mode {
        case .all: context.channel.closeFuture.cascade(to: promise)
        case .input, .output: promise?.succeed()
        }
    }

    private func open(_ context: ChannelHandlerContext) {
        guard ticket == nil else { return }
        opened = context.eventLoop.now
        ticket = table.enter(context.channel)
        updateClock()
        // `RoomNeeded` may have fired before the handler was added.
        closeForRoom()
    }

    private func closed() {
        deadline?.cancel()
        ticket = nil
        // The application may still keep a body, and what reserves its memory.
        due.removeAll()
    }

    /// The client has delivered what only a verified one can deliver, so others make room before it.
    package func clientIsVerified() {
        guard !isVerified, let ticket else { return }
        isVerified = true
        table.verified(ticket)
    }

    /// Closes the connection when all that was written is sent, because no further request is answered.
    package func finish() {
        // Behind a refusal or the last answer it is closed anyway.
        guard let context, !state.isClosing else { return }
        guard bytesToSend > 0 else { return context.close(promise: nil) }
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
        tap.send(ByteBuffer(), promise: sent)
    }

    private func closeForRoom() {
        // A connection that is being opened has its place too.
        guard let context, table.mustClose(table.enter(context.channel)) else { return }
        closeNow(.room)
    }

    /// Closes the connection, whatever the client has still to read.
    private func closeNow(_ end: ConnectionEnd) {
        table.count(end)
        context?.close(promise: nil)
    }

    private func updateClock() {
        if state.owesAnswer != isAnswerDue, let ticket {
            isAnswerDue.toggle()
            if isAnswerDue { table.answerDue(ticket) } else { table.answered(ticket) }
        }
        let current = state.clock
        guard current != clock else { return }
        clock = current
        switch current {
        case .none: deadline?.clear()
        case .request: deadline?.set(after: max(.zero, limits.requestDeadline - openingTime))
        case .keepAlive: deadline?.set(after: limits.keepAliveTimeout)
        case .unread: waitForReader()
        case .linger: deadline?.set(after: waitsForClient ? limits.unreadDeadline : limits.linger)
        }
    }

    private func waitForReader() {
        unsentBytes = bytesToSend
        deadline?.set(after: limits.unreadDeadline)
    }

    /// The bytes that the system did not take yet.
    private var bytesToSend: Int {
        (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    private func deadlineExpired() {
        switch clock {
        case .none: break
        case .request: perform(state.reject(.tooSlow(after: limits.requestDeadline)))
        case .unread:
            guard unsentBytes - bytesToSend < limits.minimumReadBytes else { return waitForReader() }
            closeNow(.unread)
        case .keepAlive: closeNow(.idle)
        case .linger: context?.close(promise: nil)
        }
        updateClock()
    }
}

// MARK: Requests

extension RequestGuard {
    /// Bytes arrived; returns whether they must be decoded.
    func bytesArrived(_ bytes: ByteBuffer) -> Bool {
        guard state.wantsBytes else {
            discarded += bytes.readableBytes
            return false
        }
        // Blank lines between requests are not a request, so the idle time-out keeps running.
        if state.isBetweenRequests, bytes.readableBytesView.allSatisfy({ $0 == 0x0D || $0 == 0x0A }) { return true }
        state.bytesArrived(bytes.readableBytes)
        updateClock()
        return true
    }

    /// Whether bytes must be decoded.
    var wantsBytes: Bool { state.wantsBytes }

    /// The bytes that are missing of the body that is being read.
    var bodyBytesDue: Int { state.bodyBytesDue }

    /// The client has sent more than is held for it.
    func tooManyBytesHeld() {
        closeNow(.flood)
    }

    /// The bytes that came in last are decoded.
    func bytesDecoded() {
        perform(state.bytesDecoded())
        updateClock()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = Self.unwrapInboundIn(data)
        guard state.isOpen else {
            if case .body(let bytes) = part { discarded += bytes.readableBytes }
            return
        }
        var action = ConnectionState.Action.none
        switch part {
        case .head(let request):
            let isLarge = limits.largeBodies?.takes(request.uri) == true
            action = headArrived(RequestHead(request), isLarge: isLarge, context)
        case .body(let bytes):
            action = bodyArrived(bytes.readableBytes)
        case .end:
            isHeadRequest = false
            isContinueDue = false
            openingTime = .zero
            state.requestEnded()
        }
        perform(action)
        updateClock()
        if state.isOpen { context.fireChannelRead(data) }
    }

    private func headArrived(
        _ head: RequestHead, isLarge: Bool, _ context: ChannelHandlerContext
    ) -> ConnectionState.Action {
        isHeadRequest = head.isHeadRequest
        if let refusal = head.refusal { return state.reject(refusal) }
        requests += 1
        let large = isLarge ? limits.largeBodies : nil
        var reservation: BodyReservation?
        // What is too large is refused below.
        if let large, head.declaredBodyLength ?? 0 <= large.maximumBodyBytes {
            let least = head.declaredBodyLength ?? (head.hasBody ? 1 : 0)
            guard large.hasRoom(for: least) else { return state.reject(.noRoomForBody) }
            reservation = BodyReservation(in: large)
        }
        let action = state.headArrived(
            declaredLength: head.declaredBodyLength, isLast: head.isLast || isWorn, largeBody: large?.maximumBodyBytes)
        guard state.isOpen else { return action }
        due.append(Due(isHeadRequest: head.isHeadRequest, reservation: reservation))
        isContinueDue = head.expectsContinue
        sendContinue()
        return action
    }

    /// Tells the client to send the body, if it waits for that and the responses before it are sent.
    private func sendContinue() {
        guard isContinueDue, state.mayContinue else { return }
        isContinueDue = false
        tap.send(Self.continueResponse, promise: nil)
    }

    /// A part of a body arrived; of a large one it takes memory.
    private func bodyArrived(_ count: Int) -> ConnectionState.Action {
        isContinueDue = false
        let action = state.bodyArrived(bytes: count)
        // The request that is being read is the last one that is due.
        guard let reservation = due.last?.reservation, state.isOpen else { return action }
        return reservation.grow(by: count) ? action : state.reject(.noRoomForBody)
    }

    /// Whether the connection ends politely with this request.
    private var isWorn: Bool {
        // Pipelined requests behind the last one get no answer.
        guard !isEnding, let end = wear else { return isEnding }
        isEnding = true
        table.count(end)
        return true
    }

    /// Whether the client is left to close a connection that has announced its end.
    ///
    /// A client that never delivered a postback would only connect again. A connection that is open and idle costs
    /// less.
    private var waitsForClient: Bool { isEnding && !isVerified }

    private var wear: ConnectionEnd? {
        if requests >= min(limits.maximumRequests, isVerified ? .max : limits.maximumUnverifiedRequests) {
            return .requests
        }
        guard let deadline, deadline.lastSet - opened >= TimeAmount(limits.lifetime) else { return nil }
        return .lifetime
    }

    package func read(context: ChannelHandlerContext) {
        // If bytes are not read, the socket's buffers fill up, and the client must stop.
        guard state.wantsBytes || discarded < limits.discardedBytes else { return }
        context.read()
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        // The application reads no more, but the guard must see when the client closes the connection.
        if !state.wantsBytes { read(context: context) }
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard state.isOpen else { return }
        switch error {
        case HTTPParserError.headerOverflow: perform(state.reject(.headTooLarge))
        case let error as HTTPParserError: perform(state.reject(.malformed(error)))
        default: context.fireErrorCaught(error)
        }
        updateClock()
    }
}

// MARK: Responses

extension RequestGuard {
    /// What reserves the memory of the body of the request whose response is due first; nil if it is no large one.
    ///
    /// Whoever keeps the body longer than until the response keeps this, too.
    package var bodyReservation: BodyReservation? { due.first?.reservation }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !state.isClosing else {
            promise?.succeed()
            return
        }
        switch Self.unwrapOutboundIn(data) {
        case .head(var response) where response.status.code >= 200:
            if state.isLastResponse || state.isEarlyResponse {
                response.headers.replaceOrAdd(name: "Connection", value: "close")
            }
            state.responseBegan(closes: response.headers.first(name: "Connection")?.lowercased() == "close")
            context.write(Self.wrapOutboundOut(.head(response)), promise: promise)
        case .body where due.first?.isHeadRequest == true:
            promise?.succeed()
        case .head, .body:
            context.write(data, promise: promise)
        case .end:
            let action = responseEnded()
            guard action != .none else {
                context.write(data, promise: promise)
                sendContinue()
                return updateClock()
            }
            let written = context.eventLoop.makePromise(of: Void.self)
            written.futureResult.cascade(to: promise)
            context.write(data, promise: written)
            perform(action, behind: written.futureResult)
            updateClock()
        }
    }

    /// Answers the request that is due with a response that is encoded already.
    ///
    /// The connection closes after it if the response says so, or if the request is the last one of the connection.
    ///
    /// - Parameter headerLine: A header of this one response, as a line with its end.
    package func respond(_ response: EncodedResponse, headerLine: [UInt8]) {
        guard let context, !state.isClosing else { return }
        let isLast = response.closes || state.isLastResponse
        let bytes = response.bytes(
            isLast: isLast, hasBody: due.first?.isHeadRequest != true, headerLine: headerLine)
        state.responseBegan(closes: isLast)
        let action = responseEnded()
        if action == .none {
            tap.send(bytes, promise: nil)
            sendContinue()
        } else {
            let written = context.eventLoop.makePromise(of: Void.self)
            tap.send(bytes, promise: written)
            perform(action, behind: written.futureResult)
        }
        updateClock()
    }

    private func responseEnded() -> ConnectionState.Action {
        _ = due.popFirst()
        return state.responseEnded()
    }

    private func perform(_ action: ConnectionState.Action, behind written: EventLoopFuture<Void>? = nil) {
        guard let context else { return }
        switch action {
        case .none:
            break
        case .finishOutput:
            context.flush()
            finishOutput(context, behind: written ?? context.eventLoop.makeSucceededVoidFuture())
        case .answer(let rejection, let isAwaited):
            onRejection(rejection)
            finishOutput(context, behind: answer(rejection, context))
            if isAwaited { context.fireErrorCaught(rejection) }
            // Nobody holds what has come of its body any more, and nothing else is due.
            due.removeAll()
        }
    }

    private func answer(_ rejection: RequestError, _ context: ChannelHandlerContext) -> EventLoopFuture<Void> {
        let written = context.eventLoop.makePromise(of: Void.self)
        tap.send(encode(rejection).bytes(isLast: true, hasBody: !isHeadRequest), promise: written)
        return written.futureResult
    }

    /// Closes the output when everything was written, and the connection if the client has closed its side.
    private func finishOutput(_ context: ChannelHandlerContext, behind written: EventLoopFuture<Void>) {
        written.assumeIsolated().whenComplete { _ in
            self.isOutputClosed = true
            if self.waitsForClient, !self.isInputClosed { return }
            context.close(mode: self.isInputClosed ? .all : .output, promise: nil)
        }
        read(context: context)
    }
}
