/// Postbacks over HTTP, answered when they are durable.
struct HTTPMeasurement {
    let bench: Workbench

    /// The version beside whose baseline commit the processor time is measured.
    private static let comparedVersion = "4.0"

    func run(round: Int) async throws {
        var peak = 0.0
        var rate = 0.0
        for version in ["2.0", "4.0"] {
            for connections in [64, 256] {
                let own = try await measure(version, connections, round)
                peak = max(peak, own?.peakMegabytes ?? 0)
                if version == Self.comparedVersion, connections == 64 { rate = own?.rate ?? 0 }
            }
        }
        let wanted = (rate * 0.7).rounded(.down)
        let load = HTTPLoad(postbacks: "4.0", connections: 64, rate: Int(wanted))
        let limited = try await bench.take(
            round: round,
            [
                Reading("http_4.0_rate_at_70", "1/s") { $0.rate }, Reading("http_4.0_p99_at_70", "ms") { $0.p99 },
            ]
        ) { () async throws -> HTTPReading in
            guard wanted > 0 else { throw BenchError("the rate is not known") }
            return try await bench.post(load, to: bench.own)
        }
        // The rate reached is recorded beside the one wanted.
        try bench.record("http_4.0_rate_at_70", "1/s", .baseline, round: round, wanted > 0 ? wanted : nil)
        peak = max(peak, limited?.peakMegabytes ?? 0)
        try bench.record("http_peak_rss", "MB", .value, round: round, peak > 0 ? peak : nil)
    }

    /// One version and number of connections: this build, the bare route, and the server of the baseline commit.
    private func measure(_ version: String, _ connections: Int, _ round: Int) async throws -> HTTPReading? {
        let figure = "http_\(version)_\(connections)"
        let load = HTTPLoad(postbacks: version, connections: connections)
        let isCompared = version == Self.comparedVersion
        var commit: Result<HTTPReading, BenchError>?
        func measureCommit() async throws -> Result<HTTPReading, BenchError> {
            try await bench.attempt { try await bench.post(load, to: try bench.baselineStore()) }
        }
        if isCompared, round.isMultiple(of: 2) { commit = try await measureCommit() }
        let own = try await bench.attempt { try await bench.post(load, to: bench.own) }
        if isCompared, commit == nil { commit = try await measureCommit() }
        let bare = try await bench.attempt { try await bench.postToBareRoute(load) }
        let recorder = bench.recorder
        try recorder.record([Reading(figure, "1/s") { $0.rate }], .value, round: round, of: own)
        try recorder.record([Reading(figure, "1/s") { $0.rate }], .baseline, round: round, of: bare)
        if let commit {
            let readings: [Reading<HTTPReading>] = [
                Reading(figure + "_commit", "1/s") { $0.rate },
                Reading(figure + "_cpu", "us") { $0.micros },
                Reading(figure + "_cpu_server", "us") { $0.serverMicros },
                Reading(figure + "_cpu_postgres", "us") { $0.clusterMicros },
            ]
            try recorder.record(readings, .value, round: round, of: own)
            try recorder.record(readings, .baseline, round: round, of: commit)
        }
        return try? own.get()
    }
}
