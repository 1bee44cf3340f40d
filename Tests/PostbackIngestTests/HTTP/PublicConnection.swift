import HTTPTypes
import NIOCore
import NIOEmbedded
import PostbackStore
import Synchronization

@testable import HTTPListener
@testable import Observability
@testable import PostbackIngest

/// A connection of the public listener in virtual time.
///
/// Those who get postbacks and questions only take notes; the test answers.
final class PublicConnection {
    /// A postback that reached the receiver.
    struct Received: Sendable {
        let body: String
        let origin: DeliveryOrigin
        let reply: PostbackReply
    }

    /// A request for a signed payload that waits for its answer.
    struct Asked: Sendable {
        let body: String
        let answer: @Sendable (JSONAnswer) -> Void
    }

    /// Counts reads; a half-close, which the embedded channel does not know, stops here.
    final class Socket: ChannelOutboundHandler {
        typealias OutboundIn = IOData

        var isOutputClosed = false
        var reads = 0

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            guard mode == .output else { return context.close(mode: mode, promise: promise) }
            isOutputClosed = true
            promise?.succeed()
        }

        func read(context: ChannelHandlerContext) {
            reads += 1
            context.read()
        }
    }

    static let path = PublicRoute.postbackPaths[0]

    let channel = EmbeddedChannel()
    let socket = Socket()
    private let all: Box<[Received]>
    private let questions: Box<[Asked]>

    /// - Parameters:
    ///   - answer: What the receiver answers at once; nil if the test answers.
    ///   - trusted: The peers whose ids of requests are taken.
    ///   - notifications: Who takes notifications of the App Store.
    init(
        answer: PostbackAnswer? = nil, trusting trusted: TrustedProxies? = nil,
        notifications: NotificationIntake? = nil
    ) throws {
        let all = Box<[Received]>([])
        self.all = all
        let questions = Box<[Asked]>([])
        self.questions = questions
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(socket)
        let responses = PublicResponses(clock: WallClock { 784_111_777_000 })
        let requestGuard = try GuardedPipeline(
            limits: RequestLimits(largeBodies: notifications?.bodies)
        ).addHTTP(to: pipeline)
        let handler = PublicChannelHandler(
            behind: requestGuard, trusting: trusted, origins: .connection, responses: responses,
            receive: { body, origin, reply in
                all.value.withLock {
                    $0.append(Received(body: String(decoding: body, as: UTF8.self), origin: origin, reply: reply))
                }
                if let answer { reply.now(answer) }
            },
            ask: { body, answer in
                questions.value.withLock {
                    $0.append(Asked(body: String(decoding: body, as: UTF8.self), answer: answer))
                }
            }, notifications: notifications)
        try pipeline.addHandler(handler)
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.7", port: 4_711)).wait()
    }

    private final class Box<Value: Sendable>: Sendable {
        let value: Mutex<Value>

        init(_ value: Value) { self.value = Mutex(value) }
    }

    /// The postbacks that reached the receiver.
    var received: [Received] { all.value.withLock { $0 } }
    /// The requests for signed payloads.
    var asked: [Asked] { questions.value.withLock { $0 } }
    /// The bodies of the postbacks.
    var bodies: [String] { received.map(\.body) }

    func receive(_ text: String) throws {
        try channel.writeInbound(ByteBuffer(string: text))
        // A real channel asks for the next read by itself.
        channel.read()
    }

    /// A request for a postback with this body.
    static func postback(_ body: String, _ lines: String...) -> String {
        (["POST \(path) HTTP/1.1", "Host: h", "Content-Length: \(body.utf8.count)"] + lines + ["", body])
            .joined(separator: "\r\n")
    }

    /// A request for the signed payload of a web ad.
    static func question(_ body: String) -> String {
        "POST \(SignedPayloads.path) HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// A request for nobody.
    static func other(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n" }

    /// What went out since the last call, without the ids of requests.
    func sent() throws -> String {
        try sentWhole().split(separator: "\r\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix(Self.idHeader) }.joined(separator: "\r\n")
    }

    /// The ids of requests in what went out since the last call.
    func sentIDs() throws -> [String] {
        try sentWhole().split(separator: "\r\n").filter { $0.hasPrefix(Self.idHeader) }
            .map { String($0.dropFirst(Self.idHeader.count)) }
    }

    private static let idHeader = "X-Request-ID: "

    private func sentWhole() throws -> String {
        var all = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { all += String(buffer: bytes) }
        return all
    }

    /// Answers the question with this number with a body of one word.
    func answer(_ number: Int, _ word: String) {
        asked[number].answer(JSONAnswer(.ok, word))
        channel.embeddedEventLoop.run()
    }
}
