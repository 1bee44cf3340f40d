import DequeModule
import NIOCore
import NIOPosix

/// Clients that send requests at their times, whether earlier ones are answered or not, on connections that stay open.
final class OpenLoop: Sendable {
    /// An answer.
    struct Answer: Sendable {
        /// Nil if there was none.
        let status: Int?
        /// When the request was due, in seconds from the beginning.
        let due: Double
        /// The seconds from then to the answer.
        let seconds: Double
    }

    /// The most connections of an event loop.
    static let maximumConnections = 1_500

    private let target: SocketAddress
    private let requests: [ByteBuffer]
    private let group: MultiThreadedEventLoopGroup

    /// - Parameter requests: They are sent in this order, and again from the beginning.
    init(target: SocketAddress, requests: [ByteBuffer], threads: Int = 2) {
        self.target = target
        self.requests = requests
        group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
    }

    /// As many requests a second as a number of clients gets answered with 200, each client one after the other.
    func peak(clients: Int, seconds: Int) async throws -> Double {
        let answers = try await onEachLoop { sender, count in
            sender.closedLoop(clients: clients / count, seconds: Double(seconds))
        }
        return Double(answers.count { $0.status == 200 }) / Double(seconds)
    }

    /// So many requests a second; returns what became of each.
    ///
    /// - Parameter first: The number of the first request.
    func run(rate: Double, seconds: Int, from first: Int = 0) async throws -> [Answer] {
        try await onEachLoop { sender, count in
            sender.next = first / count
            return sender.openLoop(rate: rate / Double(count), seconds: Double(seconds))
        }
    }

    private func onEachLoop(
        _ body: @escaping @Sendable (_ sender: LoopSender, _ count: Int) -> EventLoopFuture<[Answer]>
    ) async throws -> [Answer] {
        let loops = Array(group.makeIterator())
        var all: [Answer] = []
        try await withThrowingTaskGroup(of: [Answer].self) { tasks in
            for (number, loop) in loops.enumerated() {
                let mine = stride(from: number, to: requests.count, by: loops.count).map { requests[$0] }
                tasks.addTask { [target] in
                    try await loop.flatSubmit {
                        body(LoopSender(loop: loop, target: target, requests: mine), loops.count)
                    }.get()
                }
            }
            for try await answers in tasks { all += answers }
        }
        return all
    }

    /// Closes all that is open.
    func end() async throws { try await group.shutdownGracefully() }
}

/// The part of the clients on one event loop.
private final class LoopSender {
    private let loop: any EventLoop
    private let target: SocketAddress
    private let requests: [ByteBuffer]
    /// The number of the next request.
    var next = 0
    private var idle: [KeptConnection] = []
    private var answers: [OpenLoop.Answer] = []
    private var outstanding = 0
    private var connections = 0
    /// Requests that wait for a connection.
    private var waiting = Deque<(KeptConnection?) -> Void>()
    private var isOver = false
    private let start = NIODeadline.now()
    private let done: EventLoopPromise<[OpenLoop.Answer]>

    init(loop: any EventLoop, target: SocketAddress, requests: [ByteBuffer]) {
        self.loop = loop
        self.target = target
        self.requests = requests
        done = loop.makePromise()
    }

    func openLoop(rate: Double, seconds: Double) -> EventLoopFuture<[OpenLoop.Answer]> {
        sendDue(after: 0, of: Int(rate * seconds), rate: rate)
        return done.futureResult
    }

    /// Sends what is due, and comes again a millisecond later.
    private func sendDue(after sent: Int, of count: Int, rate: Double) {
        var sent = sent
        while sent < count, Double(sent) / rate <= now {
            send(due: Double(sent) / rate) {}
            sent += 1
        }
        guard sent == count else {
            let number = sent
            loop.assumeIsolated().scheduleTask(in: .milliseconds(1)) {
                self.sendDue(after: number, of: count, rate: rate)
            }
            return
        }
        isOver = true
        finishIfDone()
    }

    func closedLoop(clients: Int, seconds: Double) -> EventLoopFuture<[OpenLoop.Answer]> {
        for _ in 0..<clients { sendOn(until: seconds) }
        loop.assumeIsolated().scheduleTask(in: .nanoseconds(Int64(seconds * 1e9))) {
            self.isOver = true
            self.finishIfDone()
        }
        return done.futureResult
    }

    private func sendOn(until end: Double) {
        send(due: now) { if self.now < end { self.sendOn(until: end) } }
    }

    private var now: Double { Double((NIODeadline.now() - start).nanoseconds) / 1e9 }

    private func send(due: Double, then: @escaping () -> Void) {
        outstanding += 1
        let request = requests[next % requests.count]
        next += 1
        connection { connection in
            guard let connection else { return self.end(nil, due, then) }
            connection.send(request) { status in
                self.end(status, due, then)
                self.isFree(connection)
            }
        }
    }

    private func end(_ status: Int?, _ due: Double, _ then: () -> Void) {
        answers.append(OpenLoop.Answer(status: status, due: due, seconds: now - due))
        outstanding -= 1
        then()
        finishIfDone()
    }

    private func finishIfDone() {
        guard isOver, outstanding == 0 else { return }
        for connection in idle { connection.close() }
        done.succeed(answers)
    }

    /// An idle connection, or a new one.
    private func connection(_ body: @escaping (KeptConnection?) -> Void) {
        while let connection = idle.popLast() {
            if connection.isOpen { return body(connection) }
            connections -= 1
        }
        guard connections < OpenLoop.maximumConnections else { return waiting.append(body) }
        connections += 1
        let connection = KeptConnection()
        let bound = NIOLoopBound(connection, eventLoop: loop)
        ClientBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(bound.value)
                }
            }
            .connect(to: target)
            .assumeIsolated()
            .whenComplete { result in
                switch result {
                case .success: body(connection)
                case .failure:
                    self.connections -= 1
                    body(nil)
                }
            }
    }

    private func isFree(_ connection: KeptConnection) {
        if !connection.isOpen {
            connections -= 1
            if let next = waiting.popFirst() { self.connection(next) }
        } else if let next = waiting.popFirst() {
            next(connection)
        } else {
            idle.append(connection)
        }
    }
}
