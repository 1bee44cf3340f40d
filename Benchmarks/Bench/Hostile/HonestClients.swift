import NIOCore
import NIOPosix
import Synchronization

/// Clients that deliver postbacks, each on a connection of its own.
final class HonestClients: Sendable {
    /// What became of the requests of a run.
    struct Outcome: Sendable {
        var failed = 0
        /// From the time at which each request was due to its answer.
        var microseconds: [Int64] = []
    }

    private let target: SocketAddress
    private let sources: SourceAddresses
    private let requests: [ByteBuffer]
    private let next = Atomic(0)
    private let group = MultiThreadedEventLoopGroup.singleton

    /// - Parameter bodies: Bodies of postbacks, which are delivered again and again.
    init(target: SocketAddress, sources: SourceAddresses, bodies: [[UInt8]]) {
        self.target = target
        self.sources = sources
        requests = bodies.map { PostbackRequest.bytes($0, closes: true) }
    }

    /// As many requests a second as a number of clients gets answered, each client one after the other.
    func peak(clients: Int, seconds: Int) async -> Double {
        let end = NIODeadline.now() + .seconds(Int64(seconds))
        let answered = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<clients {
                group.addTask {
                    var answered = 0
                    while NIODeadline.now() < end {
                        if await self.send() { answered += 1 }
                    }
                    return answered
                }
            }
            return await group.reduce(0, +)
        }
        return Double(answered) / Double(seconds)
    }

    /// So many requests a second, whether the earlier ones are answered or not.
    func run(rate: Double, seconds: Int) async -> Outcome {
        let start = NIODeadline.now()
        let count = Int(rate * Double(seconds))
        return await withTaskGroup(of: Int64?.self) { group in
            for number in 0..<count {
                let due = start + .nanoseconds(Int64(Double(number) / rate * 1e9))
                let wait = due - .now()
                if wait > .zero { try? await Task.sleep(for: .nanoseconds(wait.nanoseconds)) }
                group.addTask {
                    let isGood = await self.send()
                    return isGood ? (NIODeadline.now() - due).nanoseconds / 1_000 : nil
                }
            }
            return await group.reduce(into: Outcome()) { outcome, time in
                if let time { outcome.microseconds.append(time) } else { outcome.failed += 1 }
            }
        }
    }

    /// Sends one request; returns whether it was answered with 200.
    private func send() async -> Bool {
        let request = requests[next.wrappingAdd(1, ordering: .relaxed).oldValue % requests.count]
        let loop = group.next()
        let answer = loop.makePromise(of: Bool.self)
        ClientBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(OneRequest(request, answer))
                }
            }
            .bind(to: sources.take())
            .connect(to: target)
            .whenFailure { _ in answer.succeed(false) }
        return (try? await answer.futureResult.get()) ?? false
    }
}

/// Sends a request and reads the status of its answer.
private final class OneRequest: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let request: ByteBuffer
    private let answer: EventLoopPromise<Bool>
    private var received = ByteBuffer()
    private var timeout: Scheduled<Void>?

    init(_ request: ByteBuffer, _ answer: EventLoopPromise<Bool>) {
        self.request = request
        self.answer = answer
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        timeout = context.eventLoop.scheduleTask(in: .seconds(15)) { channel.close(promise: nil) }
        context.writeAndFlush(Self.wrapOutboundOut(request), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = Self.unwrapInboundIn(data)
        received.writeBuffer(&bytes)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timeout?.cancel()
        answer.succeed(String(buffer: received).hasPrefix("HTTP/1.1 200 "))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
