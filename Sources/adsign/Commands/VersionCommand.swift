import AdAttribution
import ArgumentParser

/// The subcommand `adsign version`.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Print the version of adsign itself.",
        discussion: "The option --version of other subcommands is the version of SKAdNetwork.")

    func run() throws {
        try StandardStream.output(line: BuildVersion.current)
    }
}
