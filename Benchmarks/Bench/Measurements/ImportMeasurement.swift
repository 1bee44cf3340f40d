/// `PostbackServer import`, beside that of the baseline commit.
struct ImportMeasurement {
    let bench: Workbench

    func run(round: Int) async throws {
        try await bench.compare(round: round, [Reading("import_4.0", "1/s")]) {
            try await importArchive(into: bench.own)
        } baseline: {
            try await importArchive(into: try bench.baselineStore())
        }
    }

    private func importArchive(into store: MeasuredStore) async throws -> Double {
        let count = BenchInputs.importCount
        try await store.empty()
        let rate = try await bench.rate(of: count) {
            try await bench.tools.run(
                store.programs + "/PostbackServer", ["import", bench.archive],
                changes: ["DATABASE_URL": store.url, "KEYRING_PATH": bench.keys])
        }
        let stored = try await store.count()
        guard Int(stored) == count else { throw BenchError("stored \(Int(stored)) of \(count) postbacks") }
        return rate
    }
}
