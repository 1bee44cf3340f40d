/// Postbacks into a Citus cluster of three nodes, beside plain PostgreSQL, all of it on the same cores.
struct ClusterMeasurement {
    let bench: Workbench

    /// As many as plain PostgreSQL has, one on each worker; and as many as `distribute` makes.
    private static let laneCounts = [2, 16]

    /// A store for each number of lanes; none, with the reason recorded, if there is no Citus.
    func makeStores() async throws -> [(lanes: Int, store: MeasuredStore)] {
        let nodes: CitusNodes
        switch try await bench.attempt({ try await CitusNodes.start(in: bench.folder + "/citus", with: bench.tools) }) {
        case .success(let started): nodes = started
        case .failure(let error):
            for lanes in Self.laneCounts {
                try bench.recorder.record(posting(lanes), .value, round: 1, of: .failure(error))
            }
            return []
        }
        var stores: [(Int, MeasuredStore)] = []
        for lanes in Self.laneCounts {
            let store = try await nodes.makeStore("lanes_\(lanes)", programs: bench.own.programs, lanes: lanes)
            stores.append((lanes, store))
        }
        return stores
    }

    func run(round: Int, lanes: Int, _ store: MeasuredStore) async throws {
        for (batch, rowsPerSecond) in [(30, 40_000), (500, 80_000)] {
            let count = bench.settings.seconds * rowsPerSecond
            let readings: [Reading<StoringReading>] = [
                Reading("cluster_\(lanes)_lanes_store_batch_\(batch)", "1/s") { $0.rate },
                Reading("cluster_\(lanes)_lanes_cpu_row_batch_\(batch)", "us") { $0.micros },
            ]
            try await bench.compare(round: round, readings) {
                try await bench.storeForTime(store, seed: round, batch: batch, count: count)
            } baseline: {
                try await bench.storeForTime(bench.own, seed: round, batch: batch, count: count)
            }
        }
        let load = HTTPLoad(postbacks: "4.0", connections: 256)
        try await bench.compare(round: round, posting(lanes)) {
            try await bench.post(load, to: store)
        } baseline: {
            try await bench.post(load, to: bench.own)
        }
    }

    private func posting(_ lanes: Int) -> [Reading<HTTPReading>] {
        [
            Reading("cluster_\(lanes)_lanes_http_4.0_256", "1/s") { $0.rate },
            Reading("cluster_\(lanes)_lanes_http_4.0_256_cpu_postgres", "us") { $0.clusterMicros },
        ]
    }
}
