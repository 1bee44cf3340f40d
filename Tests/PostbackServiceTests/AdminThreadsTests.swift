import Access
import AdAttribution
import AuditTrail
import Dispatch
import Forwarding
import HTTPTypes
import InMemoryLogging
import Logging
import NIOCore
import NIOPosix
import Observability
import PostbackStore
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import AdminAPI
@testable import AdminPage
@testable import BackgroundWork
@testable import HTTPListener
@testable import PostbackIngest
@testable import PostbackService
@testable import Reports

/// Both listeners with real sockets and a real database.
@Suite("The threads of the admin listener", .enabled(if: TestEnvironment.databaseURL != nil)) struct AdminThreadsTests {
    private let store = PostbackStore.current

    private typealias Client = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// Blocks the threads of all that enter, until the gate is opened.
    private final class BlockingGate: Sendable {
        private let opened = DispatchSemaphore(value: 0)
        private let entered = Atomic(0)
        private let left = Atomic(0)
        private let connected = Atomic(0)

        /// Waits, without a thread, until so many connections are up.
        func connect(_ count: Int) async {
            connected.wrappingAdd(1, ordering: .relaxed)
            while connected.load(ordering: .relaxed) < count { await Task.yield() }
        }

        /// How many wait.
        var count: Int { entered.load(ordering: .relaxed) - left.load(ordering: .relaxed) }

        /// Waits; after a minute it goes on by itself, so that nothing hangs.
        func enter() {
            entered.wrappingAdd(1, ordering: .relaxed)
            if opened.wait(timeout: .now() + 60) == .success { opened.signal() }
            left.wrappingAdd(1, ordering: .relaxed)
        }

        func open() { opened.signal() }
    }

    private func connect(_ port: Int) async throws -> Client {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture { try Client(wrappingChannelSynchronously: channel) }
            }
    }

    /// Sends requests one after the other, of which the last one closes the connection; returns all that comes back.
    private func exchange(_ port: Int, _ requests: ByteBuffer..., ready: () async throws -> Void = {}) async throws
        -> String
    {
        try await connect(port).executeThenClose { inbound, outbound in
            var text = ""
            var answers = inbound.makeAsyncIterator()
            for request in requests.dropLast() {
                try await outbound.write(request)
                text += try await answers.next().map { String(buffer: $0) } ?? ""
            }
            try await ready()
            if let last = requests.last { try await outbound.write(last) }
            while let bytes = try await answers.next() { text += String(buffer: bytes) }
            return text
        }
    }

    private func port(_ log: InMemoryLogHandler) async throws -> Int {
        try await eventually("the listener is up") {
            log.entries.lazy.compactMap { $0.metadata["port"].flatMap { Int("\($0)") } }.first
        }
    }

    @Test(
        "While requests hold all threads of the admin listener, postbacks are received, committed and answered",
        .database)
    func blocked() async throws {
        let keys = try TestKeys()
        var configuration = ServiceConfiguration()
        configuration.http.port = 0
        configuration.admin.port = 0
        let metrics = ServiceMetrics()
        let queues = IngestQueues(
            store: store, limits: configuration.queues, lanes: try await store.lanes(),
            metrics: metrics.postbacks, logger: .silent)
        let (publicLog, adminLog) = (InMemoryLogHandler(), InMemoryLogHandler())
        let listener = Listeners.postbacks(
            configuration,
            receiver: PostbackReceiver(
                keyRing: try KeyRingInForce { _ in keys.keyRing }, queues: queues, clock: .system,
                metrics: metrics.postbacks, logger: .silent),
            payloads: SignedPayloads(
                keyRing: try KeyRingInForce { _ in keys.keyRing }, store: store,
                counter: ImpressionCounter(store: store, logger: .silent),
                clock: .system, metrics: metrics, gate: AdmissionGate(capacity: 1), logger: .silent),
            clock: .system, metrics: metrics, connections: ConnectionTable(limit: 100),
            logger: Logger(label: "test") { _ in publicLog })
        let gate = BlockingGate()
        let trail = Trail(store: store, logger: .silent)
        let tokens = TokenCheck(
            admin: nil, named: try TokensInForce { _ in TokenRing() }, clock: .system, logger: .silent
        ) { trail.sum($0, by: $1, $2) }
        let secrets = SecretFiles(folder: "/nowhere")
        let pages = try AdminPages(
            store: store, keyRing: try KeyRingInForce { _ in keys.keyRing }, tokens: tokens, trail: trail,
            installedAt: try await store.installedAt(),
            timeZone: try await store.reportTimeZone(), limits: ReportLimits(), clock: .system,
            tests: TestDelivery(secrets: secrets, addresses: .publicOnly), secrets: secrets, exposition: { "" },
            logger: .silent)
        let route = AdminRoute(
            method: .get, path: "/block", summary: "", needs: .nothing, query: .ignored,
            contentTypes: ["text/plain"]
        ) { _ in
            // A thread of tasks may be another one behind each suspension.
            await Task.yield()
            gate.enter()
            return .text("done")
        }
        let admin = Listeners.admin(
            .admin, at: .address(configuration.admin), names: AdminNames(), trusting: nil,
            router: AdminRouter(routes: [route], tokens: tokens, page: pages.router),
            metrics: metrics, connections: ConnectionTable(limit: 1_000),
            logger: Logger(label: "test") { _ in adminLog })
        let group = ServiceGroup(services: [queues, listener, admin], logger: .silent)
        async let running: Void = group.run()
        let (publicPort, adminPort) = (try await port(publicLog), try await port(adminLog))
        let count = 2 * AvailableCores.count
        try await withThrowingTaskGroup(of: String.self) { requests in
            for _ in 0..<count {
                requests.addTask {
                    // The first answer says that the connection was accepted, which a blocked thread can't do.
                    try await exchange(
                        adminPort, ByteBuffer(string: "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"),
                        ByteBuffer(string: "GET /block HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                    ) { await gate.connect(count) }
                }
            }
            try await eventually("all threads are blocked") { gate.count == AvailableCores.count ? true : nil }
            for _ in 0..<20 {
                let body = try TestPostback().body(keys.postbackKey)
                let head =
                    "POST \(PublicRoute.postbackPaths[0]) HTTP/1.1\r\nHost: h\r\nConnection: close\r\n"
                    + "Content-Length: \(body.count)\r\n\r\n"
                let answer = try await exchange(publicPort, ByteBuffer(bytes: Array(head.utf8) + body))
                #expect(answer.hasPrefix("HTTP/1.1 200 "))
            }
            #expect(gate.count == AvailableCores.count)
            gate.open()
            for try await answer in requests { #expect(answer.hasSuffix("done")) }
        }
        await group.triggerGracefulShutdown()
        try await running
    }
}
