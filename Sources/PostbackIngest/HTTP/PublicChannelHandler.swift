import DequeModule
package import HTTPListener
import NIOCore
import NIOHTTP1
import Observability
package import PostbackStore

/// Answers the requests of one connection of the public listener, on its event loop.
///
/// It stands behind the `RequestGuard`, which bounds the size of a body and the time for a request, and sends the
/// answers. So a postback needs no task, and a request that is for nobody costs little.
///
/// One request of a connection is at work at a time. What arrives meanwhile is held back. While something is held back,
/// the socket is not read. It is not read either if the client does not read its answers. So answers keep the order of
/// requests, and little is in memory. Two events are held back too: the end of the input and the shutdown of the server.
/// At either the connection is closed when all requests before it are answered.
package final class PublicChannelHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart

    /// Takes the body of a postback, and answers it once.
    package typealias Receive = @Sendable (_ body: [UInt8], _ origin: DeliveryOrigin, _ reply: PostbackReply) -> Void
    /// Takes the body of a request for a web ad's signed payload, and answers it once, from any thread.
    package typealias Ask = @Sendable (_ body: [UInt8], _ answer: @escaping @Sendable (JSONAnswer) -> Void) -> Void

    /// A request whose body is being read.
    private enum Request {
        case postback(DeliveryOrigin)
        case signedPayload
        case notification(DeliveryOrigin, NotificationIntake.Take)
        case refused(EncodedResponse)
    }

    /// The request that is at work.
    private enum Work {
        /// There is none.
        case nothing
        /// It is being read.
        case reading(Request, ByteBuffer)
        /// It waits for its answer.
        case waiting
        /// A request was refused by the guard, or the connection ends. No other request begins.
        case over
    }

    private enum Held {
        case part(HTTPServerRequestPart)
        /// No further request is to be answered.
        case end
    }

    private let requestGuard: RequestGuard
    private let trusted: TrustedProxies?
    private let origins: DeliveryOriginReader
    private let responses: PublicResponses
    private let receive: Receive
    private let ask: Ask
    private let notifications: NotificationIntake?
    private var work = Work.nothing
    private var held = Deque<Held>()
    private var isReadHeld = false
    private var isReleasing = false
    private var context: ChannelHandlerContext?
    private var peer: ConnectionPeer?
    /// Whether the peer's ids of requests are taken; nil if nobody has asked yet.
    private var isTrusted: Bool?
    /// What the request that is at work, or was last, is called.
    private var identity = RequestIdentity()
    private let client = ClientPresence()

    /// A handler for one connection.
    ///
    /// - Parameters:
    ///   - requestGuard: The guard of the connection, which sends the answers.
    ///   - trusted: The peers whose ids of requests and traces are taken; nil if nobody's are.
    ///   - origins: Reads where a postback comes from.
    ///   - responses: Encodes the answers.
    ///   - receive: Gets the postbacks.
    ///   - ask: Gets the requests for signed payloads.
    ///   - notifications: Gets the notifications of the App Store; nil if nobody does.
    package init(
        behind requestGuard: RequestGuard, trusting trusted: TrustedProxies?, origins: DeliveryOriginReader,
        responses: PublicResponses,
        receive: @escaping Receive, ask: @escaping Ask, notifications: NotificationIntake? = nil
    ) {
        self.requestGuard = requestGuard
        self.trusted = trusted
        self.origins = origins
        self.responses = responses
        self.receive = receive
        self.ask = ask
        self.notifications = notifications
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        client.leave()
        end()
        context.fireChannelInactive()
    }

    private func end() {
        work = .over
        held.removeAll()
    }
}

// MARK: Requests

extension PublicChannelHandler {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = Self.unwrapInboundIn(data)
        if fits(part), held.isEmpty || !part.isHead {
            take(part, context)
        } else {
            held.append(.part(part))
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let header as ProxyHeader:
            if let source = header.source {
                peer = ConnectionPeer(source)
                isTrusted = nil
            }
        case is ChannelShouldQuiesceEvent:
            endOfRequests()
        case ChannelEvent.inputClosed:
            client.closeInput()
            endOfRequests()
        default:
            break
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func endOfRequests() {
        switch work {
        case .nothing where held.isEmpty: finish()
        case .nothing, .reading, .waiting: held.append(.end)
        case .over: break
        }
    }

    private func finish() {
        end()
        requestGuard.finish()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end()
        // The guard has answered what it refuses.
        if !(error is RequestError) { context.close(promise: nil) }
    }

    func read(context: ChannelHandlerContext) {
        if held.isEmpty, context.channel.isWritable {
            context.read()
        } else {
            isReadHeld = true
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        context.fireChannelWritabilityChanged()
        release()
    }

    /// True if a part can begin the next request, or belongs to the request that is at work.
    private func fits(_ part: HTTPServerRequestPart) -> Bool {
        switch work {
        case .nothing: part.isHead && context?.channel.isWritable == true
        case .reading: !part.isHead
        case .waiting: false
        case .over: true
        }
    }

    private func take(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        switch (work, part) {
        case (.nothing, .head(let head)):
            identity = identify(head, context)
            work = .reading(request(head, context), ByteBuffer())
        case (.reading(let request, var body), .body(var bytes)):
            if case .refused = request { return }
            // The buffer must have one owner, or each piece would copy it.
            work = .nothing
            if body.readableBytes == 0 { body = bytes } else { body.writeBuffer(&bytes) }
            work = .reading(request, body)
        case (.reading(let request, let body), .end):
            handle(request, body, context)
        default:
            break
        }
    }

    private func request(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) -> Request {
        switch PublicRoute(head) {
        case .postback: return .postback(origins.origin(of: readPeer(context), head.headers))
        case .signedPayload: return .signedPayload
        case .notification:
            guard let notifications, notifications.isOpen() else { return .refused(responses.notFound) }
            return .notification(origins.origin(of: readPeer(context), head.headers), notifications.take)
        case .otherMethod: return .refused(responses.methodNotAllowed)
        case .nothing: return .refused(responses.notFound)
        }
    }

    private func identify(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) -> RequestIdentity {
        guard let trusted else { return RequestIdentity() }
        let isTrusted = isTrusted ?? trusted.contains(readPeer(context))
        self.isTrusted = isTrusted
        return RequestIdentity(of: head.headers, isTrusted: isTrusted) { $0[$1] }
    }

    private func readPeer(_ context: ChannelHandlerContext) -> ConnectionPeer {
        let peer = peer ?? ConnectionPeer(context.channel.remoteAddress)
        self.peer = peer
        return peer
    }

    private func handle(_ request: Request, _ body: ByteBuffer, _ context: ChannelHandlerContext) {
        switch request {
        case .postback(let origin):
            work = .waiting
            receive(
                Array(body.readableBytesView), origin,
                PostbackReply(to: self, on: context.eventLoop, client: client, request: identity))
        case .signedPayload:
            work = .waiting
            let waiting = NIOLoopBound(self, eventLoop: context.eventLoop)
            identity.withScope {
                ask(Array(body.readableBytesView)) { answer in
                    waiting.eventLoop.execute { waiting.value.take(answer) }
                }
            }
        case .notification(let origin, let notify):
            work = .waiting
            let waiting = NIOLoopBound(self, eventLoop: context.eventLoop)
            let reply = NotificationReply(
                to: client, request: identity, reservation: requestGuard.bodyReservation
            ) { answer, isVerified in
                waiting.eventLoop.execute { waiting.value.take(answer, isVerified: isVerified) }
            }
            notify(Array(body.readableBytesView), origin, reply)
        case .refused(let response):
            work = .nothing
            requestGuard.respond(response, headerLine: identity.id.headerLine)
        }
    }
}

// MARK: Answers

extension PublicChannelHandler: PostbackAnswering {
    func take(_ answer: PostbackAnswer) {
        guard case .waiting = work else { return }
        if case .stored = answer { requestGuard.clientIsVerified() }
        respond(responses.response(to: answer))
    }

    private func take(_ answer: JSONAnswer, isVerified: Bool = false) {
        guard case .waiting = work else { return }
        if isVerified { requestGuard.clientIsVerified() }
        respond(responses.response(with: answer))
    }

    private func respond(_ response: EncodedResponse) {
        work = .nothing
        requestGuard.respond(response, headerLine: identity.id.headerLine)
        release()
    }

    /// Lets what was held back go on, as far as it can.
    private func release() {
        // An answer can come before `receive` returns. The loop below then goes on; it must not become a recursion, which a
        // client could make as deep as it likes.
        guard !isReleasing else { return }
        isReleasing = true
        releaseHeld()
        isReleasing = false
        // A read can bring the next requests at once, and their answers.
        if let context, isReadHeld, held.isEmpty, context.channel.isWritable {
            isReadHeld = false
            context.read()
        }
    }

    private func releaseHeld() {
        while let context, let next = held.first {
            switch next {
            case .part(let part):
                guard fits(part) else { return }
                held.removeFirst()
                take(part, context)
            case .end:
                guard case .nothing = work else { return }
                finish()
            }
        }
    }
}

extension HTTPServerRequestPart {
    fileprivate var isHead: Bool {
        if case .head = self { true } else { false }
    }
}
