import PostgresClient

/// The store under load beside a transaction that holds a snapshot from before; the baseline is the same without it.
struct SnapshotMeasurement {
    let bench: Workbench

    func run() async throws {
        let readings: [Reading<LoadReading>] = [
            Reading("snapshot_store", "1/s") { $0.rate },
            Reading("snapshot_store_last_tenth", "1/s") { $0.lastTenth },
            Reading("snapshot_cpu_row", "us") { $0.micros },
            Reading("snapshot_reader_lag", "s") { $0.lag },
        ]
        for round in 1...(bench.settings.rounds + 2) / 3 {
            let alone = try await bench.attempt {
                try await bench.own.empty()
                return try await load()
            }
            let beside = try await bench.attempt { try await loadBesideSnapshot() }
            try bench.recorder.record(readings, .baseline, round: round, of: alone)
            try bench.recorder.record(readings, .value, round: round, of: beside)
        }
    }

    private func load() async throws -> LoadReading {
        let before = try ProcessorTime.ofClusters(bench.own.postmasters)
        let output = try await bench.tools.run(
            bench.own.programs + "/bench",
            ["load", "--url", bench.own.url, "--seconds", String(bench.settings.snapshotSeconds)])
        var reading = try LoadReading(output: output)
        reading.micros = try await bench.clusterMicros(of: bench.own, since: before, for: reading.count)
        return reading
    }

    private func loadBesideSnapshot() async throws -> LoadReading {
        try await bench.own.empty()
        let holder = try await bench.own.connect()
        do {
            try await holder.execute(script: "BEGIN ISOLATION LEVEL REPEATABLE READ")
            _ = try await holder.query(
                PostgresStatement("bench_snapshot", "SELECT count(*) FROM attribution.postback_state"))
            let reading = try await load()
            let held = PostgresStatement(
                "bench_snapshot_held",
                "SELECT backend_xmin IS NOT NULL FROM pg_stat_activity WHERE pid = pg_backend_pid()")
            guard try await holder.query(held).first?.decode(Bool.self, at: 0) == true else {
                throw BenchError("the snapshot was gone before the end")
            }
            await holder.close()
            return reading
        } catch {
            await holder.close()
            throw error
        }
    }
}
