/// `PostbackServer export` of many events, beside `COPY … TO` of the same rows with the same columns.
struct ExportMeasurement {
    let bench: Workbench

    /// A rate, and the most memory in each half of the run.
    private struct Export: Sendable {
        let rate: Double
        let peak: Double
        let firstHalf: Double
        let secondHalf: Double
    }

    /// The rows of the export, joined as cheaply as PostgreSQL can.
    private static let copy = """
        COPY (SELECT log.*, line.*, source.*, traits.*, body.payload
                FROM attribution.postback_log AS log
                JOIN attribution.line USING (line)
                LEFT JOIN attribution.source USING (source)
                JOIN attribution.traits USING (traits)
                LEFT JOIN attribution.postback_body AS body
                       ON body.lane = log.lane AND body.position = log.position AND body.ordinal = log.ordinal)
        TO STDOUT
        """

    func run() async throws {
        let rows = bench.settings.exportRows
        guard try await bench.fill(bench.own, from: ".", rows, .value) else { return }
        try await bench.own.settle()
        let rate: [Reading<Double>] = [Reading("export", "1/s")]
        for round in 1...bench.settings.rounds {
            let copied = try await bench.attempt {
                try await bench.rate(of: rows) {
                    try await bench.tools.run(
                        "psql", ["-X", "-q", bench.own.url, "-c", Self.copy], to: bench.folder + "/copy.txt")
                }
            }
            try bench.recorder.record(rate, .baseline, round: round, of: copied)
            try await bench.tools.run("rm", ["-f", bench.folder + "/copy.txt"])
            let exported = try await bench.attempt { try await export(rows) }
            try bench.recorder.record(
                [
                    Reading("export", "1/s") { $0.rate }, Reading("export_peak_rss", "MB") { $0.peak },
                    Reading("export_rss_growth", "MB") { $0.secondHalf },
                ], .value, round: round, of: exported)
            try bench.recorder.record(
                [Reading("export_rss_growth", "MB") { $0.firstHalf }], .baseline, round: round, of: exported)
        }
        try await bench.own.empty()
    }

    private func export(_ rows: Int) async throws -> Export {
        let folder = bench.folder + "/events"
        try await bench.tools.run("rm", ["-rf", folder])
        try await bench.tools.run("mkdir", [folder])
        let start = ContinuousClock.now
        let samples = try await bench.tools.with(
            bench.own.programs + "/PostbackServer", ["export", folder], folder: bench.folder, log: bench.serverLog,
            changes: ["DATABASE_URL": bench.own.url, "KEYRING_PATH": bench.keys]
        ) { program in
            var samples: [(end: ContinuousClock.Instant, megabytes: Double)] = []
            while let status = ProcessStatus.of(program.id), !status.hasEnded {
                if let now = ProcessStatus.residentMegabytes(of: program.id) { samples.append((.now, now)) }
                try await Task.sleep(for: .milliseconds(20))
            }
            return samples
        }
        let end = samples.last?.end ?? .now
        let written = try await bench.tools.run("sh", ["-c", "cat '\(folder)'/events-*.ndjson | wc -l"]).trimmed
        guard Int(written) == rows else { throw BenchError("exported \(written) of \(rows) events") }
        try await bench.tools.run("rm", ["-rf", folder])
        // The first tenth warms up.
        let memory = samples.map(\.megabytes).dropFirst(samples.count / 10)
        return Export(
            rate: Double(rows) / ((end - start) / .seconds(1)), peak: memory.max() ?? 0,
            firstHalf: memory.prefix(memory.count / 2).max() ?? 0,
            secondHalf: memory.suffix(memory.count / 2).max() ?? 0)
    }
}
