import Foundation

/// What every measurement works with.
struct Workbench: Sendable {
    let settings: RunSettings
    let tools: Tools
    /// The folder of the run, gone afterwards.
    let folder: String
    let cluster: MeasuredCluster
    /// This build's store.
    let own: MeasuredStore
    /// The baseline commit's store, or why there is none.
    let baseline: Result<MeasuredStore, BenchError>
    let recorder: SampleRecorder

    /// The folder of the key ring.
    var keys: String { folder + "/keys" }
    /// Where servers log to.
    var serverLog: String { folder + "/server.log" }

    /// The file of postbacks with a name: a version of SKAdNetwork, or what made them.
    func postbacks(_ name: String) -> String { "\(folder)/postbacks-\(name).ndjson" }

    /// The store of the baseline commit.
    ///
    /// - Throws: Why there is none.
    func baselineStore() throws -> MeasuredStore { try baseline.get() }

    /// Takes one measurement.
    ///
    /// - Returns: What it measured, or why it failed.
    /// - Throws: `CancellationError` only.
    func attempt<Measured: Sendable>(
        _ body: () async throws -> Measured
    ) async throws -> Result<Measured, BenchError> {
        try Task.checkCancellation()
        do {
            return .success(try await body())
        } catch {
            try Task.checkCancellation()
            return .failure(error as? BenchError ?? BenchError("\(error)"))
        }
    }

    /// Measures a value and its baseline, and records the figures that are read off them.
    ///
    /// What comes second finds the machine in another state, so they take turns at being first.
    ///
    /// - Returns: The value's measurement, if there is one.
    @discardableResult
    func compare<Measured: Sendable>(
        round: Int, _ readings: [Reading<Measured>], value: () async throws -> Measured,
        baseline: () async throws -> Measured
    ) async throws -> Measured? {
        if round.isMultiple(of: 2) {
            try recorder.record(readings, .baseline, round: round, of: try await attempt(baseline))
        }
        let result = try await attempt(value)
        try recorder.record(readings, .value, round: round, of: result)
        if !round.isMultiple(of: 2) {
            try recorder.record(readings, .baseline, round: round, of: try await attempt(baseline))
        }
        return try? result.get()
    }

    /// Measures a value that has no baseline.
    @discardableResult
    func take<Measured: Sendable>(
        round: Int, _ readings: [Reading<Measured>], _ value: () async throws -> Measured
    ) async throws -> Measured? {
        let result = try await attempt(value)
        try recorder.record(readings, .value, round: round, of: result)
        return try? result.get()
    }

    /// Records a value that is known already.
    func record(_ figure: String, _ unit: String, _ kind: Sample.Kind, round: Int, _ value: Double?) throws {
        try recorder.record(
            Sample(figure: figure, round: round, kind: kind, value: value, unit: unit, reason: nil))
    }

    /// How long a body takes, as a rate.
    ///
    /// - Returns: How many of `count` it worked through in a second.
    func rate(of count: Int, _ body: () async throws -> Void) async throws -> Double {
        let start = ContinuousClock.now
        try await body()
        return Double(count) / ((ContinuousClock.now - start) / .seconds(1))
    }

    /// The number that a program prints last.
    func number(_ program: String, _ arguments: [String], cores: CoreSet? = nil) async throws -> Double {
        let output = try await tools.run(program, arguments, cores: cores)
        let line = output.split(separator: "\n").last ?? ""
        guard let number = Double(line) else { throw BenchError("this is no number: \(line)") }
        return number
    }
}
