import AdAttribution
import ArgumentParser
import PublicSuffixes

/// The command `PostbackServer version`.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version", abstract: "Print the version of PostbackServer, and of its Public Suffix List.")

    /// What is printed, also for `PostbackServer --version`.
    static var text: String {
        "PostbackServer \(BuildVersion.current)\nPublic Suffix List of \(PublicSuffixList.embeddedDate)"
    }

    func run() throws {
        try StandardOutput.line(Self.text)
    }
}
