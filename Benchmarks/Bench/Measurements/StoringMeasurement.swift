/// Verified postbacks into a store, beside the store of the baseline commit.
struct StoringMeasurement {
    let bench: Workbench

    /// How many postbacks a sample writes whose length is not fixed otherwise.
    static let rowCount = 100_000

    /// `store`: into an empty store, in batches of 500 over two connections.
    func run(round: Int) async throws {
        try await bench.compare(round: round, [Reading("store_empty", "1/s")]) {
            try await storeInEmpty(bench.own, seed: round)
        } baseline: {
            try await storeInEmpty(try bench.baselineStore(), seed: round)
        }
    }

    /// In a new cluster the first writes make the files of the write-ahead log, which later ones use again.
    func warmUp() async throws {
        _ = try await bench.attempt { try await storeInEmpty(bench.own, seed: 1) }
        _ = try await bench.attempt { try await storeInEmpty(try bench.baselineStore(), seed: 1) }
    }

    /// `cpu`: rate, and PostgreSQL's processor time for a row.
    ///
    /// It takes so many rows that the kernel's ticks, a hundredth of a second, are fine enough.
    func runForProcessorTime(round: Int) async throws {
        for (batch, rowsPerSecond) in [(30, 60_000), (500, 100_000)] {
            let count = bench.settings.seconds * rowsPerSecond
            let readings: [Reading<StoringReading>] = [
                Reading("store_batch_\(batch)", "1/s") { $0.rate },
                Reading("cpu_row_batch_\(batch)", "us") { $0.micros },
            ]
            try await bench.compare(round: round, readings) {
                try await bench.storeForTime(bench.own, seed: round, batch: batch, count: count)
            } baseline: {
                try await bench.storeForTime(try bench.baselineStore(), seed: round, batch: batch, count: count)
            }
        }
    }

    private func storeInEmpty(_ store: MeasuredStore, seed: Int) async throws -> Double {
        try await store.empty()
        return try await bench.storeRows(store, seed: seed)
    }
}

/// A rate, and PostgreSQL's processor time for each row in microseconds.
struct StoringReading: Sendable {
    let rate: Double
    let micros: Double?
}

extension Workbench {
    /// The rate of `bench store`.
    ///
    /// - Parameter connections: How many batches are written at once; 0 stands for one for each lane.
    func storeRows(
        _ store: MeasuredStore, seed: Int, batch: Int = 500, count: Int = StoringMeasurement.rowCount,
        connections: Int = 2
    ) async throws -> Double {
        try await number(
            store.programs + "/bench",
            [
                "store", "--url", store.url, "--count", String(count), "--seed", String(seed), "--connections",
                String(connections), "--batch", String(batch),
            ])
    }

    /// The same into an empty store, with the processor time of its clusters.
    func storeForTime(
        _ store: MeasuredStore, seed: Int, batch: Int, count: Int, connections: Int = 2
    ) async throws -> StoringReading {
        try await store.empty()
        let before = try ProcessorTime.ofClusters(store.postmasters)
        let rate = try await storeRows(store, seed: seed, batch: batch, count: count, connections: connections)
        return StoringReading(rate: rate, micros: try await clusterMicros(of: store, since: before, for: count))
    }

    /// The processor time of a store's clusters for each of so many rows, in microseconds.
    func clusterMicros(
        of store: MeasuredStore, since before: ProcessorTime, for count: Int
    ) async throws -> Double? {
        // Until connections that were closed have ended.
        try await Task.sleep(for: .milliseconds(300))
        return try ProcessorTime.ofClusters(store.postmasters).micros(since: before, for: count)
    }
}
