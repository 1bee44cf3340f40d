import ArgumentParser

/// The options of `bench run`.
///
/// Each has a variable of the environment that means the same.
struct RunOptions: ParsableArguments {
    @Option(name: .long, help: "How often each figure is measured; ROUNDS. (default: 3)")
    var rounds: Int?

    @Option(name: .long, help: "How many seconds a sample takes; HTTP twice as many; BENCH_SECONDS. (default: 5)")
    var seconds: Int?

    @Option(name: .long, help: "Only these groups, separated by commas; BENCH_ONLY.")
    var only: String?

    @Flag(name: .long, help: "Also fill the store and measure it again with its reports; GROWTH=1.")
    var growth = false

    @Option(name: .long, help: "With how many postbacks the store is filled; GROWTH_ROWS. (default: 10000000)")
    var growthRows: Int?

    @Flag(name: .long, help: "Also measure the store beside an open snapshot; SNAPSHOT=1.")
    var snapshot = false

    @Option(name: .long, help: "For how many seconds; SNAPSHOT_SECONDS. (default: 600)")
    var snapshotSeconds: Int?

    @Flag(name: .long, help: "Also measure the export of all events; EXPORT=1.")
    var export = false

    @Option(name: .long, help: "Of how many events; EXPORT_ROWS. (default: 10000000)")
    var exportRows: Int?

    @Option(
        name: .long, help: "With how many events a destination is behind, of forward; FORWARD_ROWS. (default: 3600000)")
    var forwardRows: Int?

    @Option(name: .long, help: "The commit to measure against; BASELINE. (default: 06f5115)")
    var baseline: String?

    @Option(name: .long, help: "Measure the programs in this folder instead of building them; BENCH_BIN.")
    var programs: String?

    @Option(name: .long, help: "The same for the programs of the baseline; BASELINE_BIN.")
    var baselinePrograms: String?
}
