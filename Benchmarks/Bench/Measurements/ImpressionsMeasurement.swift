/// `POST /v1/impressions`, one impression a request.
struct ImpressionsMeasurement {
    let bench: Workbench

    private static let wanted = 5_000

    func run(round: Int) async throws {
        try await bench.take(round: round, [Reading("impressions_peak", "1/s") { $0.rate }]) {
            try await bench.sign(HTTPLoad())
        }
        let readings: [Reading<HTTPReading>] = [
            Reading("impressions_rate_at_\(Self.wanted)", "1/s") { $0.rate },
            Reading("impressions_p99_ms", "ms") { $0.p99 },
        ]
        try await bench.take(round: round, readings) { try await bench.sign(HTTPLoad(rate: Self.wanted)) }
        try bench.record(
            "impressions_rate_at_\(Self.wanted)", "1/s", .baseline, round: round, Double(Self.wanted))
    }
}
