/// `adsign sign --batch` beside what libcrypto signs alone.
struct SigningMeasurement {
    let bench: Workbench

    func run(round: Int) async throws {
        let cores = bench.tools.cores
        try await measure("sign_batch_1core", threads: 1, on: cores.one, round)
        try await measure("sign_batch_2cores", threads: 2, on: cores, round)
    }

    private func measure(_ figure: String, threads: Int, on cores: CoreSet, _ round: Int) async throws {
        try await bench.compare(round: round, [Reading(figure, "1/s")]) {
            try await bench.rate(of: BenchInputs.impressionCount) {
                let arguments = [
                    "sign", "--batch", "--key", bench.keys + "/example123.pem", "--input", bench.impressions,
                    "--threads", String(threads),
                ]
                try await bench.tools.run(
                    bench.own.programs + "/adsign", arguments, to: bench.folder + "/signed.ndjson", cores: cores)
            }
        } baseline: {
            try await bench.openSSL("ecdsap256", cores: threads).signing
        }
    }
}

extension Workbench {
    /// What libcrypto signs and verifies, for two seconds each.
    func openSSL(_ algorithm: String, cores: Int) async throws -> OpenSSLSpeed {
        let several = cores > 1 ? ["-multi", String(cores)] : []
        let output = try await tools.run(
            "openssl", ["speed", "-mr", "-seconds", "2"] + several + [algorithm],
            cores: cores > 1 ? tools.cores : tools.cores.one)
        return try OpenSSLSpeed(output: output)
    }
}
