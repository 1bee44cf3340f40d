import ArgumentParser

/// What `make bench` measures with: each subcommand takes one sample, or sets something up for one.
@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "The parts of make bench; see docs/performance.md.",
        subcommands: [
            AgreeCommand.self, VerifyCommand.self, StoreCommand.self, LoadCommand.self, BareCommand.self,
            TableCommand.self,
        ])
}
