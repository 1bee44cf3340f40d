/// How many lanes are best: batches of 500 with one writer a lane, and what 64 clients post.
struct LanesMeasurement {
    let bench: Workbench

    private static let laneCounts = [1, 2, 4]

    /// A store for each number of lanes.
    func makeStores() async throws -> [(lanes: Int, store: MeasuredStore)] {
        var stores: [(Int, MeasuredStore)] = []
        for lanes in Self.laneCounts {
            let store = try await bench.cluster.makeStore(
                "lanes_\(lanes)", programs: bench.own.programs, lanes: lanes)
            stores.append((lanes, store))
        }
        return stores
    }

    func run(round: Int, _ stores: [(lanes: Int, store: MeasuredStore)]) async throws {
        let rows = bench.settings.seconds * 100_000
        let load = HTTPLoad(postbacks: "4.0")
        // One baseline for all.
        let commitRows = try await bench.attempt {
            try await bench.storeForTime(try bench.baselineStore(), seed: round, batch: 500, count: rows)
        }
        let commitPosts = try await bench.attempt { try await bench.post(load, to: try bench.baselineStore()) }
        for (lanes, store) in stores {
            let ownRows = try await bench.attempt {
                try await bench.storeForTime(store, seed: round, batch: 500, count: rows, connections: 0)
            }
            let ownPosts = try await bench.attempt { try await bench.post(load, to: store) }
            let storing: [Reading<StoringReading>] = [
                Reading("lanes_\(lanes)_store", "1/s") { $0.rate },
                Reading("lanes_\(lanes)_store_cpu_row", "us") { $0.micros },
            ]
            let posting: [Reading<HTTPReading>] = [
                Reading("lanes_\(lanes)_http", "1/s") { $0.rate },
                Reading("lanes_\(lanes)_http_cpu_row", "us") { $0.clusterMicros },
            ]
            let recorder = bench.recorder
            try recorder.record(storing, .value, round: round, of: ownRows)
            try recorder.record(storing, .baseline, round: round, of: commitRows)
            try recorder.record(posting, .value, round: round, of: ownPosts)
            try recorder.record(posting, .baseline, round: round, of: commitPosts)
        }
    }
}
