import AdAttribution
import ArgumentParser

/// The command `PostbackServer version`.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version", abstract: "Print the version of PostbackServer.")

    func run() {
        print("PostbackServer \(BuildVersion.current)")
    }
}
