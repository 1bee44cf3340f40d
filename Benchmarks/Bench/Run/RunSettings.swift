import ArgumentParser

/// What a run measures, and how long.
struct RunSettings: Equatable, Sendable {
    var rounds = 3
    /// How long one sample takes if it does not end by itself; HTTP takes twice as long.
    var seconds = 5
    var groups = BenchGroup.allCases.filter(\.isUsual)
    var growthRows = 10_000_000
    var snapshotSeconds = 600
    var exportRows = 10_000_000
    /// The backlog that a destination catches up with.
    var forwardRows = 3_600_000
    /// The commit that the store, the server and the verifier are measured against.
    var baseline = "06f5115"
    /// Folders with built programs; without them the programs are built.
    var programs: String?
    var baselinePrograms: String?

    /// What is measured if nothing else is asked for.
    init() {}

    /// Options win over variables of the environment, as `make bench` passes them.
    ///
    /// - Throws: `ValidationError`, which names the option and what it must be.
    init(_ options: RunOptions, environment: [String: String] = [:]) throws {
        func text(_ option: String?, _ name: String) -> String? {
            option ?? environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        func number(_ option: Int?, _ name: String, _ usual: Int) throws -> Int {
            guard let text = text(option.map(String.init), name) else { return usual }
            guard let number = Int(text), 1...99_999_999 ~= number else {
                throw ValidationError("\(name) must be a number from 1 on, not \(text).")
            }
            return number
        }
        rounds = try number(options.rounds, "ROUNDS", rounds)
        seconds = try number(options.seconds, "BENCH_SECONDS", seconds)
        growthRows = try number(options.growthRows, "GROWTH_ROWS", growthRows)
        snapshotSeconds = try number(options.snapshotSeconds, "SNAPSHOT_SECONDS", snapshotSeconds)
        exportRows = try number(options.exportRows, "EXPORT_ROWS", exportRows)
        forwardRows = try number(options.forwardRows, "FORWARD_ROWS", forwardRows)
        if let list = text(options.only, "BENCH_ONLY") {
            guard let groups = BenchGroup.list(list) else {
                let names = BenchGroup.names.joined(separator: ",")
                throw ValidationError("BENCH_ONLY takes some of \(names), not \(list).")
            }
            self.groups = groups
        } else {
            if options.growth || text(nil, "GROWTH") != nil { groups.append(.growth) }
            if options.snapshot || text(nil, "SNAPSHOT") != nil { groups.append(.snapshot) }
            if options.export || text(nil, "EXPORT") != nil { groups.append(.export) }
        }
        baseline = text(options.baseline, "BASELINE") ?? baseline
        guard 7...40 ~= baseline.count, baseline.allSatisfy({ $0.isHexDigit && !$0.isUppercase }) else {
            throw ValidationError("BASELINE must be a commit in 7 to 40 hexadecimal digits, not \(baseline).")
        }
        programs = text(options.programs, "BENCH_BIN")
        baselinePrograms = text(options.baselinePrograms, "BASELINE_BIN")
    }

    /// Whether any group needs the programs of the baseline commit.
    var needsBaselineCommit: Bool { groups.contains(where: \.needsBaselineCommit) }
}
