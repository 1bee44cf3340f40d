import AdAttribution
import ArgumentParser
import PublicSuffixes

/// The subcommand `adsign version`.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Print the version of adsign itself, and of its Public Suffix List.",
        discussion: """
            adsign --version prints the same. The option --version of other subcommands is the version of SKAdNetwork.
            """)

    func run() throws {
        try StandardStream.output(line: BuildVersion.current)
        try StandardStream.output(line: "Public Suffix List of \(PublicSuffixList.embeddedDate)")
    }
}
