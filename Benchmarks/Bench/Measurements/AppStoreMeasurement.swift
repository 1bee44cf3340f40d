import Foundation

/// Notifications of the App Store, version 2: over HTTP beside postbacks, and verified alone beside Apple's library.
struct AppStoreMeasurement {
    let bench: Workbench

    /// The app of all of them.
    static let bundleID = "com.example.game"

    func run(round: Int) async throws {
        try await deliver(round)
        try await verify(round)
    }

    /// Answered when they are durable.
    ///
    /// The baseline is postbacks of version 4.0, over as many connections.
    private func deliver(_ round: Int) async throws {
        let figure = "app_store_http_64"
        let readings: [Reading<HTTPReading>] = [
            Reading(figure, "1/s") { $0.rate },
            Reading(figure + "_p99_ms", "ms") { $0.p99 },
            Reading(figure + "_cpu_server", "us") { $0.serverMicros },
            Reading(figure + "_cpu_postgres", "us") { $0.clusterMicros },
            Reading(figure + "_peak_rss", "MB") { $0.peakMegabytes },
        ]
        try await bench.compare(round: round, readings) {
            try await bench.postNotifications()
        } baseline: {
            try await bench.post(HTTPLoad(postbacks: "4.0", connections: 64), to: bench.own)
        }
        try await bench.own.empty()
    }

    /// On one core, with a chain that is known, and with one that each notification proves anew.
    private func verify(_ round: Int) async throws {
        func measureLibrary() async throws -> Result<Double, BenchError> {
            try await bench.attempt { try await bench.verifyWithApplesLibrary() }
        }
        // What comes second finds the machine in another state, so they take turns.
        let before = round.isMultiple(of: 2) ? try await measureLibrary() : nil
        let cached = try await bench.attempt { try await bench.verifyNotifications("cached") }
        let cold = try await bench.attempt { try await bench.verifyNotifications("cold") }
        let library = if let before { before } else { try await measureLibrary() }
        for (figure, own) in [("app_store_verify", cached), ("app_store_verify_cold", cold)] {
            try bench.recorder.record([Reading(figure, "1/s")], .value, round: round, of: own)
            try bench.recorder.record([Reading(figure, "1/s")], .baseline, round: round, of: library)
        }
    }
}

extension Workbench {
    /// The folder of the key ring that names an app of the App Store, which older servers can't read.
    static func storeKeys(in folder: String) -> String { folder + "/store-keys" }
    /// The notifications that are posted.
    var notifications: String { folder + "/notifications.ndjson" }
    /// Some of them, to be verified alone.
    static func someNotifications(in folder: String) -> String { folder + "/notifications-alone.ndjson" }

    /// The Python into which `make test` installs Apple's library.
    private static let python = ".local/python/bin/python3"

    /// Posts notifications to a server on an empty store.
    ///
    /// Whatever was answered with 200 must be there afterwards.
    fileprivate func postNotifications() async throws -> HTTPReading {
        let store = own
        try await store.empty()
        let settings = ["KEYRING_PATH": Self.storeKeys(in: folder)]
        let reading = try await withServer(store, settings: settings) { server in
            try await measure(HTTPLoad(connections: 64, areNotifications: true), on: server, of: store)
        }
        let stored = Int(try await store.number("SELECT count(*) FROM attribution.store_notification"))
        guard stored >= reading.requests else {
            throw BenchError("LOST NOTIFICATIONS: \(reading.requests) answered, \(stored) stored")
        }
        return reading
    }

    /// What `bench verify-notifications` prints.
    fileprivate func verifyNotifications(_ chain: String) async throws -> Double {
        try await number(
            own.programs + "/bench", ["verify-notifications", chain] + verifying, cores: tools.cores.one)
    }

    /// What Apple's library for Python reaches with the same notifications; it proves the chain of all signed data.
    fileprivate func verifyWithApplesLibrary() async throws -> Double {
        guard FileManager.default.fileExists(atPath: Self.python) else {
            throw BenchError("Apple's library is not here; make test installs it into .local/python")
        }
        return try await number(
            Self.python, ["Benchmarks/app-store-python.py"] + verifying, cores: tools.cores.one)
    }

    private var verifying: [String] {
        [
            Self.someNotifications(in: folder), "--root", Self.storeKeys(in: folder) + "/store-root.crt", "--bundle-id",
            AppStoreMeasurement.bundleID, "--seconds", String(settings.seconds),
        ]
    }
}
