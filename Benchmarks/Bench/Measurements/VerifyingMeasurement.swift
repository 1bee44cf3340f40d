/// A postback, JSON bytes in and verdict out, on one core: beside libcrypto, and beside the baseline commit.
struct VerifyingMeasurement {
    let bench: Workbench

    private struct Kind {
        let name: String
        let argument: String
        let algorithm: String
    }

    private static let kinds = [
        Kind(name: "2.0", argument: "2.0", algorithm: "ecdsap192"),
        Kind(name: "4.0", argument: "4.0", algorithm: "ecdsap256"),
        Kind(name: "aak", argument: "adattributionkit", algorithm: "ecdsap256"),
    ]

    func run(round: Int) async throws {
        for kind in Self.kinds {
            for mode in ["single", "batch"] {
                let figure = "verify_\(kind.name)_\(mode)"
                func measureCommit() async throws -> Result<Double, BenchError> {
                    try await bench.attempt { try await bench.verifyRate(kind.argument, mode, bench.baselineStore()) }
                }
                // What comes second finds the machine in another state, so they take turns.
                let before = round.isMultiple(of: 2) ? try await measureCommit() : nil
                let own = try await bench.attempt { try await bench.verifyRate(kind.argument, mode, bench.own) }
                let commit = if let before { before } else { try await measureCommit() }
                let library = try await bench.attempt { try await bench.openSSL(kind.algorithm, cores: 1).verifying }
                let recorder = bench.recorder
                try recorder.record([Reading(figure, "1/s")], .value, round: round, of: own)
                try recorder.record([Reading(figure, "1/s")], .baseline, round: round, of: library)
                try recorder.record([Reading(figure + "_commit", "1/s")], .value, round: round, of: own)
                try recorder.record([Reading(figure + "_commit", "1/s")], .baseline, round: round, of: commit)
            }
        }
    }
}

/// The bytes of a postback to a typed one, beside Foundation's JSONDecoder.
struct ParsingMeasurement {
    let bench: Workbench

    func run(round: Int) async throws {
        for version in ["2.0", "4.0"] {
            try await bench.compare(round: round, [Reading("parse_\(version)", "1/s")]) {
                try await bench.verifyRate(version, "parse", bench.own)
            } baseline: {
                try await bench.verifyRate(version, "decoder", bench.own)
            }
        }
    }
}

extension Workbench {
    /// What `bench verify` of a build prints.
    fileprivate func verifyRate(_ kind: String, _ mode: String, _ store: MeasuredStore) async throws -> Double {
        try await number(
            store.programs + "/bench", ["verify", kind, mode, "--seconds", String(settings.seconds)],
            cores: tools.cores.one)
    }
}
