import ArgumentParser
import PostgresClient

/// The option of commands that load files: whether anything stays.
struct DryRunOption: ParsableArguments {
    @Flag(help: "Do everything but store it: say what would be done, or refused.")
    var dryRun = false

    /// How the transaction ends.
    var ending: PostgresConnection.Ending { dryRun ? .rollback : .commit }

    /// What a line about a load begins with.
    var prefix: String { dryRun ? "dry run, nothing is stored: " : "" }
}
