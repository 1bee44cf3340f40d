import ArgumentParser
import Dispatch
import Foundation

/// `bench run`: measures each figure beside its baseline, several times, and prints one table.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Measure each figure beside its baseline, and print one table.",
        discussion: """
            It is a measurement and no test: a slow machine does not fail, and a figure that cannot be taken shows as -. \
            Run it in the root of the checkout. The samples stay in .local/bench.ndjson, the table in .local/bench.json, \
            and the baseline in .local/baseline-COMMIT. The rest, with a PostgreSQL cluster of its own, is gone \
            afterwards. Settings of the server that are in the environment, such as VERIFIER, are passed on.

            Examples:
              bench run --rounds 5 --seconds 10
              bench run --only verify,store
              GROWTH=1 bench run
            """)

    @OptionGroup
    var options: RunOptions

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let settings = try RunSettings(options, environment: environment)
        let work = Task { try await BenchRun.run(settings, environment: environment) }
        // A signal ends the run in order: programs first, then the cluster.
        let sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { work.cancel() }
            source.activate()
            return source
        }
        defer { for source in sources { source.cancel() } }
        do {
            try await work.value
        } catch is CancellationError {
            Console.complain("stopped")
            throw ExitCode(130)
        }
    }
}
