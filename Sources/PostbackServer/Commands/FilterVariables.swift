import Archives
import ArgumentParser
import Foundation

/// `--filter-env`: the environment variables that a filter gets beside those that every filter gets.
struct FilterVariables: ParsableArguments {
    @Option(
        name: .customLong("filter-env"),
        help: ArgumentHelp(
            "An environment variable that the filter gets; can be repeated. Without it, it gets only "
                + FilterCommand.variables.joined(separator: ", ") + ".", valueName: "name"))
    var names: [String] = []

    /// Checks the names.
    ///
    /// One that is not set is refused: it is probably misspelt, and the filter would not get its key.
    func check(hasFilter: Bool) throws {
        guard !names.isEmpty else { return }
        guard hasFilter else { throw ValidationError("--filter-env goes with a filter only.") }
        let environment = ProcessInfo.processInfo.environment
        for name in names where environment[name] == nil {
            throw ValidationError("--filter-env \(name): there is no such environment variable.")
        }
    }

    /// A filter with these variables.
    func command(_ text: String) -> FilterCommand {
        FilterCommand(text, passing: names)
    }
}
