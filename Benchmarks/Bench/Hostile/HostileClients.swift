import NIOCore
import NIOPosix
import Synchronization

/// What a hostile client does with its connection.
enum Hostility: Int, CaseIterable, Sendable {
    /// It sends nothing.
    case silent
    /// It sends a byte of a head each second.
    case drippingHead
    /// It sends a byte of a body each second.
    case drippingBody
    /// It sends 20,000 requests at once and reads no answer.
    case neverReading
    /// It sends one request and begins again.
    case reconnecting
}

/// Hostile clients, which connect again about a second after their connection was closed.
///
/// They act independently of each other. Each begins at a random time of the first ten seconds, and waits half a second
/// to one and a half before it connects again.
final class HostileClients: Sendable {
    private let target: SocketAddress
    private let sources: SourceAddresses
    private let isOver = Atomic(false)
    private let connected = Atomic(0)
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    init(target: SocketAddress, sources: SourceAddresses) {
        self.target = target
        self.sources = sources
    }

    /// The time in which all of them begin.
    static let startMilliseconds: Int64 = 10_000

    /// How many connections were made.
    var connections: Int { connected.load(ordering: .relaxed) }

    /// How many connections are open now.
    var open: Int { channels.withLock { $0.count } }

    /// Begins with so many connections, as many of each kind.
    func start(_ count: Int) {
        for number in 0..<count {
            let hostility = Hostility.allCases[number % Hostility.allCases.count]
            group.next().scheduleTask(in: .milliseconds(.random(in: 0..<Self.startMilliseconds))) {
                self.connect(hostility)
            }
        }
    }

    /// Closes all connections.
    func stop() async throws {
        isOver.store(true, ordering: .relaxed)
        for channel in channels.withLock({ Array($0.values) }) { channel.close(promise: nil) }
        try await Task.sleep(for: .seconds(2))
        try await group.shutdownGracefully()
    }

    private func connect(_ hostility: Hostility) {
        guard !isOver.load(ordering: .relaxed) else { return }
        ClientBootstrap(group: group)
            .channelOption(.autoRead, value: hostility != .neverReading)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(HostileHandler(hostility))
                }
            }
            .bind(to: sources.take())
            .connect(to: target)
            .whenComplete { result in
                guard case .success(let channel) = result else { return self.connectLater(hostility) }
                self.connected.add(1, ordering: .relaxed)
                self.channels.withLock { $0[ObjectIdentifier(channel)] = channel }
                channel.closeFuture.whenComplete { _ in
                    self.channels.withLock { $0[ObjectIdentifier(channel)] = nil }
                    self.connectLater(hostility)
                }
            }
    }

    private func connectLater(_ hostility: Hostility) {
        group.next().scheduleTask(in: .milliseconds(.random(in: 500...1_500))) { self.connect(hostility) }
    }
}

/// Does on one connection what its hostility says.
private final class HostileHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let get = "GET /nothing HTTP/1.1\r\nHost: bench\r\n\r\n"
    private static let manyGets = ByteBuffer(string: String(repeating: get, count: 20_000))

    private let hostility: Hostility
    private var dripping: RepeatedTask?

    init(_ hostility: Hostility) {
        self.hostility = hostility
    }

    func channelActive(context: ChannelHandlerContext) {
        switch hostility {
        case .silent:
            break
        case .drippingHead:
            send("GET / HTTP/1.1\r\nHost: bench\r\nX: ", context)
            drip(context)
        case .drippingBody:
            send(
                "POST /.well-known/skadnetwork/report-attribution HTTP/1.1\r\nHost: bench\r\n"
                    + "Content-Length: 1000\r\n\r\n", context)
            drip(context)
        case .neverReading:
            context.writeAndFlush(Self.wrapOutboundOut(Self.manyGets), promise: nil)
        case .reconnecting:
            send(Self.get, context)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if hostility == .reconnecting { context.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        dripping?.cancel()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func send(_ text: String, _ context: ChannelHandlerContext) {
        context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    }

    private func drip(_ context: ChannelHandlerContext) {
        let channel = context.channel
        dripping = context.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
            channel.writeAndFlush(ByteBuffer(string: "x"), promise: nil)
        }
    }
}
