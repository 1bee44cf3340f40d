import ConnectionTransport
import DequeModule
import HTTPLimits
import NIOCore
import NIOHTTP1
import PostbackStore

/// Takes the postbacks out of one connection's requests and answers them; passes all other requests on to the framework.
///
/// It stands behind the `RequestGuard`, which bounds the size of a body and the time for a request, and sends the answers. So a postback is handled on the event loop, without a task of its own.
///
/// One request of a connection is at work at a time, whoever answers it. What arrives meanwhile is held back, and reading
/// stops as soon as something is held back, or if the client does not read its answers. So answers keep the order of
/// requests, and little is in memory. Two events are held back too: the end of the input and the shutdown of the server.
/// The framework closes the connection at either, and must not do so before a postback is answered.
final class PostbackChannelHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Takes the body of a postback, and answers it once.
    typealias Receive = @Sendable (_ body: [UInt8], _ origin: DeliveryOrigin, _ reply: PostbackReply) -> Void

    /// The request that is at work.
    private enum Work {
        /// There is none.
        case nothing
        /// A postback is being read.
        case reading(ByteBuffer, DeliveryOrigin)
        /// A postback waits for its answer.
        case waiting
        /// The framework has a request.
        case framework(isRead: Bool, isAnswered: Bool)
        /// The guard has refused a request, or the connection is gone. No other request begins.
        case over
    }

    private enum Held {
        case part(HTTPServerRequestPart)
        case event(Any)
    }

    private let requestGuard: RequestGuard
    private let origins: DeliveryOriginReader
    private let responses: PostbackResponses
    private let receive: Receive
    private var work = Work.nothing
    private var held = Deque<Held>()
    private var isReadHeld = false
    private var isReleasing = false
    private var context: ChannelHandlerContext?
    private var peer: ConnectionPeer?
    private let client = ClientPresence()

    /// A handler for one connection.
    ///
    /// - Parameter requestGuard: The guard of the connection, which sends the answers.
    init(
        behind requestGuard: RequestGuard, origins: DeliveryOriginReader, responses: PostbackResponses,
        receive: @escaping Receive
    ) {
        self.requestGuard = requestGuard
        self.origins = origins
        self.responses = responses
        self.receive = receive
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

extension PostbackChannelHandler {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = Self.unwrapInboundIn(data)
        if fits(part), held.isEmpty || !part.isHead {
            take(part, context)
        } else {
            held.append(.part(part))
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let source = (event as? ProxyHeader)?.source { peer = ConnectionPeer(source) }
        if event as? ChannelEvent == .inputClosed { client.closeInput() }
        let isEnd = event is ChannelShouldQuiesceEvent || event as? ChannelEvent == .inputClosed
        if isEnd, owesAnswer || !held.isEmpty {
            held.append(.event(event))
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The framework must know if it waits for the rest of a request.
        if case .framework = work {
            held.removeAll()
        } else {
            end()
            if error is RequestRejection { return }
        }
        context.fireErrorCaught(error)
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
        case .reading, .framework(isRead: false, _): !part.isHead
        case .waiting, .framework(isRead: true, _): false
        case .over: true
        }
    }

    /// True if a postback is to be answered before the framework hears of an end.
    private var owesAnswer: Bool {
        switch work {
        case .reading, .waiting: true
        case .nothing, .framework, .over: false
        }
    }

    private func take(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        switch (work, part) {
        case (.nothing, .head(let request)) where PublicRoutes.isPostback(request):
            work = .reading(ByteBuffer(), origin(of: request, context))
        case (.nothing, .head):
            work = .framework(isRead: false, isAnswered: false)
            context.fireChannelRead(Self.wrapInboundOut(part))
        case (.reading(var body, let origin), .body(var bytes)):
            // The buffer must have one owner, or each piece would copy it.
            work = .nothing
            if body.readableBytes == 0 { body = bytes } else { body.writeBuffer(&bytes) }
            work = .reading(body, origin)
        case (.reading(let body, let origin), .end):
            work = .waiting
            receive(
                Array(body.readableBytesView), origin, PostbackReply(to: self, on: context.eventLoop, client: client))
        case (.framework(_, let isAnswered), .end):
            work = isAnswered ? .nothing : .framework(isRead: true, isAnswered: false)
            context.fireChannelRead(Self.wrapInboundOut(part))
        case (.framework, .body):
            context.fireChannelRead(Self.wrapInboundOut(part))
        default:
            break
        }
    }

    private func origin(of request: HTTPRequestHead, _ context: ChannelHandlerContext) -> DeliveryOrigin {
        let peer = peer ?? ConnectionPeer(context.channel.remoteAddress)
        self.peer = peer
        return origins.origin(of: peer, request.headers)
    }
}

// MARK: Answers

extension PostbackChannelHandler: PostbackAnswering {
    func take(_ answer: PostbackAnswer) {
        guard case .waiting = work else { return }
        work = .nothing
        if case .stored = answer { requestGuard.clientIsVerified() }
        requestGuard.respond(responses.response(to: answer))
        release()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        context.write(data, promise: promise)
        guard case .end = Self.unwrapOutboundIn(data), case .framework(let isRead, _) = work else { return }
        work = isRead ? .nothing : .framework(isRead: false, isAnswered: true)
        release()
    }

    /// Lets what was held back go on, as far as it can.
    private func release() {
        // An answer can come before `receive` returns. The loop below then goes on; it must not become a recursion, which a
        // client could make as deep as it likes.
        guard !isReleasing else { return }
        isReleasing = true
        let isPassedOn = releaseHeld()
        isReleasing = false
        guard let context else { return }
        // The framework looks at what it got when reading is complete.
        if isPassedOn { context.fireChannelReadComplete() }
        // A read can bring the next requests at once, and their answers.
        if isReadHeld, held.isEmpty, context.channel.isWritable {
            isReadHeld = false
            context.read()
        }
    }

    /// Returns true if the framework got something.
    private func releaseHeld() -> Bool {
        var isPassedOn = false
        while let context, let next = held.first {
            switch next {
            case .part(let part):
                guard fits(part) else { return isPassedOn }
                held.removeFirst()
                take(part, context)
                if case .framework = work { isPassedOn = true }
            case .event(let event):
                guard !owesAnswer else { return isPassedOn }
                held.removeFirst()
                context.fireUserInboundEventTriggered(event)
            }
        }
        return isPassedOn
    }
}

extension HTTPServerRequestPart {
    fileprivate var isHead: Bool {
        if case .head = self { true } else { false }
    }
}
