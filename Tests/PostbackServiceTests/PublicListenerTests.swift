import AdAttribution
import InMemoryLogging
import Logging
import NIOCore
import NIOPosix
import Observability
import ServiceLifecycle
import TestSupport
import Testing

@testable import HTTPListener
@testable import PostbackIngest
@testable import PostbackService
@testable import PostbackStore

/// The public listener with real sockets and a real database.
@Suite("The public listener", .enabled(if: TestEnvironment.databaseURL != nil)) struct PublicListenerTests {
    /// A client's connection.
    private typealias Client = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// A listener that is up, and the queues behind it, which the test runs.
    private struct Running {
        let port: Int
        let queues: IngestQueues
        let group: ServiceGroup
        let database: TestDatabase
        let connections: ConnectionTable

        func connect() async throws -> Client {
            try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: port) { channel in
                    channel.eventLoop.makeCompletedFuture { try Client(wrappingChannelSynchronously: channel) }
                }
        }
    }

    private func withListener(
        maximumConnections: Int = 100, _ body: @escaping (Running, TestKeys) async throws -> Void
    ) async throws {
        let keys = try TestKeys()
        try await TestDatabase.with { database in
            try await database.withStore { store in
                var configuration = ServiceConfiguration()
                configuration.http.port = 0
                // A postback waits until its test runs the queues, however slow the machine is.
                configuration.queues.deadline = .seconds(600)
                let connections = ConnectionTable(limit: maximumConnections)
                let log = InMemoryLogHandler()
                let metrics = ServiceMetrics()
                let queues = IngestQueues(
                    store: store, limits: configuration.queues, lanes: try await store.lanes(),
                    metrics: metrics.postbacks, logger: .silent)
                let listener = Listeners.postbacks(
                    configuration,
                    receiver: PostbackReceiver(
                        keyRing: try KeyRingInForce { _ in keys.keyRing }, queues: queues, clock: .system,
                        metrics: metrics.postbacks, logger: .silent),
                    payloads: SignedPayloads(
                        keyRing: try KeyRingInForce { _ in keys.keyRing }, store: store,
                        counter: ImpressionCounter(store: store, logger: .silent),
                        clock: .system, metrics: metrics, gate: AdmissionGate(capacity: 1), logger: .silent),
                    clock: .system, metrics: metrics, connections: connections,
                    logger: Logger(label: "test") { _ in log })
                let group = ServiceGroup(services: [listener], logger: .silent)
                async let running: Void = group.run()
                let port = try await eventually("the listener is up") {
                    log.entries.lazy.compactMap { $0.metadata["port"].flatMap { Int("\($0)") } }.first
                }
                try await body(
                    Running(
                        port: port, queues: queues, group: group, database: database,
                        connections: connections), keys)
                await group.triggerGracefulShutdown()
                try await running
            }
        }
    }

    private func run(_ queues: IngestQueues, _ body: () async throws -> Void) async throws {
        async let running: Void = queues.run()
        try await body()
        queues.drain()
        await running
    }

    private func postback(_ keys: TestKeys, _ lines: String...) throws -> ByteBuffer {
        let body = try TestPostback().body(keys.postbackKey)
        let head = ["POST \(PublicRoute.postbackPaths[0]) HTTP/1.1", "Host: h", "Content-Length: \(body.count)"]
        return ByteBuffer(bytes: Array((head + lines + ["", ""]).joined(separator: "\r\n").utf8) + body)
    }

    /// The statuses of the answers that a client gets until the server closes.
    private func statuses(_ inbound: NIOAsyncChannelInboundStream<ByteBuffer>) async throws -> [String] {
        var text = ""
        for try await bytes in inbound { text += String(buffer: bytes) }
        return text.split(separator: "HTTP/1.1 ").map { String($0.prefix(3)) }
    }

    @Test("Pipelined requests for postbacks and for nobody are answered in their order")
    func order() async throws {
        try await withListener { listener, keys in
            try await run(listener.queues) {
                try await listener.connect().executeThenClose { inbound, outbound in
                    var requests = try postback(keys)
                    requests.writeString("GET /nothing HTTP/1.1\r\nHost: h\r\n\r\n")
                    requests.writeImmutableBuffer(try postback(keys))
                    requests.writeString("POST /nothing HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc")
                    requests.writeImmutableBuffer(try postback(keys, "Connection: close"))
                    try await outbound.write(requests)
                    let statuses = try await statuses(inbound)
                    #expect(statuses == ["200", "404", "200", "404", "200"])
                }
            }
        }
    }

    @Test("If the listener is full, a new client takes the place of one that has delivered no verified postback")
    func room() async throws {
        try await withListener(maximumConnections: 2) { listener, keys in
            try await run(listener.queues) {
                try await listener.connect().executeThenClose { inbound, outbound in
                    var answers = inbound.makeAsyncIterator()
                    try await outbound.write(try postback(keys))
                    let first = try #require(try await answers.next())
                    #expect(String(buffer: first).hasPrefix("HTTP/1.1 200 "))
                    for _ in 1...20 {
                        while listener.connections.counts != (0, 1) { await Task.yield() }
                        let silent = try await listener.connect()
                        let ended = Task {
                            try await silent.executeThenClose { inbound, _ in try await statuses(inbound) }
                        }
                        let client = try await listener.connect()
                        let answered = try await client.executeThenClose { inbound, outbound in
                            try await outbound.write(try postback(keys, "Connection: close"))
                            return try await statuses(inbound)
                        }
                        #expect(answered == ["200"])
                        let left = try await ended.value
                        #expect(left == [])
                    }
                    try await outbound.write(try postback(keys))
                    let last = try #require(try await answers.next())
                    #expect(String(buffer: last).hasPrefix("HTTP/1.1 200 "))
                }
            }
        }
    }

    @Test("If the answers of all connections are due, none of them is closed, and a new client is served too")
    func noRoom() async throws {
        try await withListener(maximumConnections: 1) { listener, keys in
            let busy = try await listener.connect()
            try await busy.executeThenClose { inbound, outbound in
                var answers = inbound.makeAsyncIterator()
                try await outbound.write(try postback(keys))
                while listener.queues.depth == 0 { await Task.yield() }
                let request = try postback(keys, "Connection: close")
                let later = Task {
                    try await listener.connect().executeThenClose { inbound, outbound in
                        try await outbound.write(request)
                        return try await statuses(inbound)
                    }
                }
                try await run(listener.queues) {
                    let answer = try #require(try await answers.next())
                    #expect(String(buffer: answer).hasPrefix("HTTP/1.1 200 "))
                    let answered = try await later.value
                    #expect(answered == ["200"])
                }
            }
        }
    }

    @Test("A shutdown answers the postbacks that were accepted, and closes connections without a request at once")
    func drain() async throws {
        try await withListener { listener, keys in
            let idle = try await listener.connect()
            let closed = Task { try await idle.executeThenClose { inbound, _ in try await statuses(inbound) } }
            let busy = try await listener.connect()
            try await busy.executeThenClose { inbound, outbound in
                try await outbound.write(try postback(keys))
                while listener.queues.depth == 0 { await Task.yield() }
                await listener.group.triggerGracefulShutdown()
                let answers = try await closed.value
                #expect(answers == [])
                try await run(listener.queues) {
                    let answered = try await statuses(inbound)
                    #expect(answered == ["200"])
                }
            }
        }
    }
}
