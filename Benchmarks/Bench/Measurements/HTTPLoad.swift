import NIOCore
import NIOPosix

/// What `wrk` sends.
struct HTTPLoad: Sendable {
    /// The file of postbacks, by its name (`Workbench.postbacks`); nil stands for impressions to be signed.
    var postbacks: String?
    var connections = 64
    /// So many requests a second; nil stands for as many as there can be.
    var rate: Int?
    /// For how many seconds, if not for the usual time.
    var seconds: Int?
    /// Whether notifications of the App Store are sent instead (`Workbench.notifications`).
    var areNotifications = false
}

/// What a server made of a load.
struct HTTPReading: Sendable {
    let requests: Int
    /// Requests a second.
    let rate: Double
    /// The 99th percentile of the latencies, in milliseconds.
    let p99: Double
    /// The processor time of the server and of PostgreSQL for a request, in microseconds.
    var serverMicros: Double?
    var clusterMicros: Double?
    /// The most memory that the server had resident.
    var peakMegabytes: Double?

    init(_ wrk: WrkReading) {
        requests = wrk.requests
        rate = wrk.rate
        p99 = wrk.p99 / 1_000
    }

    /// The processor time of both together.
    var micros: Double? { serverMicros.flatMap { server in clusterMicros.map { server + $0 } } }
}

extension Workbench {
    /// Posts to a server on an empty store.
    ///
    /// Whatever was answered with 200 must be there afterwards.
    func post(_ load: HTTPLoad, to store: MeasuredStore) async throws -> HTTPReading {
        try await store.empty()
        let (reading, accepted) = try await withServer(store) { server in
            let reading = try await measure(load, on: server, of: store)
            return (reading, try await countAccepted(by: server))
        }
        let stored = Int(try await store.count())
        guard stored >= reading.requests, stored >= accepted else {
            throw BenchError("LOST POSTBACKS: \(reading.requests) answered, \(accepted) accepted, \(stored) stored")
        }
        return reading
    }

    /// How many postbacks a server has accepted since its start.
    func countAccepted(by server: MeasuredServer) async throws -> Int {
        let page = try await tools.run("curl", ["-s", "-m", "10", "http://127.0.0.1:\(server.adminPort)/metrics"])
        // A baseline may be of the time before metrics had a prefix.
        let accepted = ["adattribution_postbacks_total", "postbacks_total"].reduce(0) {
            $0 + MetricsPage(text: page).sum(of: $1, with: "outcome=\"accepted\"")
        }
        return Int(accepted)
    }

    /// Posts to a server that runs, whatever its store holds.
    func measure(
        _ load: HTTPLoad, on server: MeasuredServer, of store: MeasuredStore
    ) async throws -> HTTPReading {
        let clusterBefore = try ProcessorTime.ofClusters(store.postmasters)
        let before = ProcessorTime.of(server.program.id)
        var reading = HTTPReading(try await runWrk(load, port: server.port))
        reading.serverMicros = ProcessorTime.of(server.program.id).micros(since: before, for: reading.requests)
        reading.clusterMicros = try await clusterMicros(of: store, since: clusterBefore, for: reading.requests)
        reading.peakMegabytes = ProcessStatus.peakMegabytes(of: server.program.id)
        return reading
    }

    /// Posts to a route of the same framework that does nothing.
    func postToBareRoute(_ load: HTTPLoad) async throws -> HTTPReading {
        let port = try await freePort()
        return try await tools.with(
            own.programs + "/bench", ["bare", "--port", String(port)], folder: folder, log: serverLog
        ) { program in
            try await program.wait { await isOpen(port) }
            return HTTPReading(try await runWrk(load, port: port))
        }
    }

    /// Has impressions signed over HTTP.
    func sign(_ load: HTTPLoad) async throws -> HTTPReading {
        try await withServer(own) { server in HTTPReading(try await runWrk(load, port: server.adminPort)) }
    }

    /// A server under measurement.
    struct MeasuredServer: Sendable {
        let program: RunningProgram
        let port: Int
        let adminPort: Int
    }

    /// Starts a server on a store, and ends it after a body.
    ///
    /// - Parameter others: Further settings of the server.
    func withServer<Value: Sendable>(
        _ store: MeasuredStore, settings others: [String: String] = [:],
        _ body: @escaping @Sendable (MeasuredServer) async throws -> Value
    ) async throws -> Value {
        let port = try await freePort()
        let adminPort = try await freePort()
        let settings = [
            "HTTP_HOST": "127.0.0.1", "HTTP_PORT": String(port), "ADMIN_HOST": "127.0.0.1",
            "ADMIN_PORT": String(adminPort), "ADMIN_TOKEN": Self.token, "DATABASE_URL": store.url,
            "KEYRING_PATH": keys,
        ].merging(others) { $1 }
        // In a folder of its own, without a .env that changes its settings.
        return try await tools.with(
            store.programs + "/PostbackServer", ["serve"], folder: folder, log: serverLog, changes: settings
        ) { program in
            let ready = "http://127.0.0.1:\(adminPort)/ready"
            try await program.wait {
                (try? await tools.run("curl", ["-s", "-f", "-m", "5", "-o", "/dev/null", ready])) != nil
            }
            return try await body(MeasuredServer(program: program, port: port, adminPort: adminPort))
        }
    }

    /// The server listens on this machine only, and for seconds.
    private static let token = "a-token-for-measuring-of-32-characters"

    /// Has `wrk` send a load to a port.
    func runWrk(_ load: HTTPLoad, port: Int) async throws -> WrkReading {
        let script =
            load.areNotifications ? "notifications.lua" : load.postbacks == nil ? "impressions.lua" : "postbacks.lua"
        let file = load.areNotifications ? notifications : load.postbacks.map { postbacks($0) }
        let rest = [file, load.rate.map { String($0) }].compactMap { $0 }
        let output = try await tools.run(
            "wrk",
            [
                "-t1", "-c\(load.connections)", "-d", "\(load.seconds ?? 2 * settings.seconds)s", "--timeout", "30s",
                "-s",
                "Benchmarks/wrk/" + script, "http://127.0.0.1:\(port)", "--",
            ] + rest, changes: ["ADMIN_TOKEN": Self.token])
        return try WrkReading(output: output)
    }

    /// A port that nobody listens on.
    ///
    /// The kernel gives out others for outgoing connections.
    func freePort() async throws -> Int {
        for _ in 0..<100 {
            let port = Int.random(in: 20_000..<30_000)
            let group = MultiThreadedEventLoopGroup.singleton
            guard let channel = try? await ServerBootstrap(group: group).bind(host: "127.0.0.1", port: port).get()
            else { continue }
            try await channel.close()
            return port
        }
        throw BenchError("there is no free port")
    }

    func isOpen(_ port: Int) async -> Bool {
        let client = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        guard let channel = try? await client.connect(host: "127.0.0.1", port: port).get() else { return false }
        try? await channel.close()
        return true
    }
}
